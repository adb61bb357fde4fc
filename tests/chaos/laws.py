"""The laws of a history, each a pure function that names what breaks it. Nothing is read and nothing written."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from resources.ledger.rules import LEGAL_MOVES, fold
from resources.ledger.tables import TERMINAL, JobStatus, StageStatus, Status
from tests.chaos.history import History, Row, Story

UNKNOWN = "submission_unknown"
CHEAP_AND_LOST = "submission_lost"
WORKER_LOST = "worker_lost"
WORKER_KILLED = "worker killed"
WORKER_STOPPED = "worker stopped"
WORKER_TROUBLE = (WORKER_KILLED, WORKER_STOPPED)
TROUBLE = (*WORKER_TROUBLE, "database down", "database locked")
_FREE = ("created", "edited")
_BACK = ("retried", "redone", "resolved", "replayed", "edited")
_OPEN_RUNS = ("NOT_STARTED", "QUEUED", "STARTING", "STARTED", "CANCELING", "MANAGED")
_KILLED_WITHIN = timedelta(seconds=90)
_VENDOR_CLOCK = timedelta(seconds=1)


@dataclass(frozen=True)
class Law:
    """What has to hold; `broken_by` names every breach in one sentence."""

    name: str
    says: str
    broken_by: Callable[[History], Iterator[str]]


def orders_end(history: History) -> Iterator[str]:
    for story in history.stories:
        row = story.request
        unknown = row["status"] == Status.FAILED and row["error_code"] == UNKNOWN
        if row["status"] not in TERMINAL and not unknown:
            yield f"{story.task_id} is {row['status']} ({row['error_code']}) when all is quiet"


def deaths_are_explained(history: History) -> Iterator[str]:
    """Faults that are sat out must not kill an order; only a submission nobody heard of again may."""
    for story in history.stories:
        row = story.request
        if row["status"] == Status.DEAD and row["error_code"] != UNKNOWN:
            yield f"{story.task_id} is dead: {row['error_code']}: {row['error_message']}"


def rows_were_ordered(history: History) -> Iterator[str]:
    ordered = {placed.task_id for placed in history.placed}
    stories = {story.task_id for story in history.stories}
    for task_id in sorted(stories - ordered):
        yield f"{task_id} was never ordered"
    accepted = {each.task_id for each in history.placed if each.outcome in ("made", "known")}
    for task_id in sorted(accepted - stories):
        yield f"{task_id} was accepted and is not there"


def orders_are_one(history: History) -> Iterator[str]:
    answers: dict[str, list[tuple[str, Row]]] = defaultdict(list)
    for placed in history.placed:
        answers[placed.task_id].append((placed.outcome, placed.payload))
    for task_id, given in sorted(answers.items()):
        made = [payload for outcome, payload in given if outcome == "made"]
        if len(made) > 1:
            yield f"{task_id} was made {len(made)} times"
        taken = [payload for outcome, payload in given if outcome in ("made", "known")]
        refused = [payload for outcome, payload in given if outcome == "refused"]
        if any(payload != taken[0] for payload in taken):
            yield f"{task_id} was taken for another order than it is"
        if any(payload in taken for payload in refused):
            yield f"{task_id} was refused though it is the same order"
    for story in history.stories:
        created = sum(event["type"] == "created" for event in story.events)
        if created != 1:
            yield f"{story.task_id} was created {created} times"


def stages_are_bought_once(history: History) -> Iterator[str]:
    for story in history.stories:
        by_hand = "resolved" in story.types
        bought: Counter[tuple[str, int]] = Counter()
        for job in story.jobs:
            charges = len(history.charges_by_token.get(job["token"], ()))
            if charges > 1:
                yield f"{_stage(story, job)}: one submission was charged {charges} times"
            if charges and not (by_hand or _may_be_followed(job, history.resubmit_below)):
                bought[job["stage"], job["generation"]] += 1
        for (stage, generation), count in bought.items():
            if count > 1:
                yield f"{story.task_id} {stage} (generation {generation}) was bought {count} times"
        yield from _completed_without_charge(history, story)


def _may_be_followed(job: Row, resubmit_below: int) -> bool:
    """Whether a charged submission allows another: by the vendor's own verdict, or because it is cheap."""
    if job["status"] != JobStatus.FAILED:
        return False
    if job["error_code"] == CHEAP_AND_LOST:
        return bool(job["cost"] < resubmit_below)
    return job["submitted_at"] is not None


def _completed_without_charge(history: History, story: Story) -> Iterator[str]:
    for stage in story.stages:
        if stage["status"] != StageStatus.COMPLETED:
            continue
        charged = [
            job
            for job in story.jobs
            if (job["stage"], job["generation"]) == (stage["stage"], stage["generation"])
            and job["status"] == JobStatus.SUCCEEDED
            and len(history.charges_by_token.get(job["token"], ())) == 1
        ]
        if len(charged) != 1:
            yield f"{_stage(story, stage)} is completed with {len(charged)} charged submissions"


def books_agree(history: History) -> Iterator[str]:
    tokens = {job["token"] for job in history.jobs}
    for charge in history.charges:
        if charge.token not in tokens:
            yield f"{charge.vendor} charged {charge.id}, which nobody intended"
    for story in history.stories:
        for job in story.jobs:
            charges = history.charges_by_token.get(job["token"], ())
            known = job["external_id"] is not None
            if known and job["external_id"] not in [charge.id for charge in charges]:
                yield f"{_stage(story, job)}: {job['external_id']} is in no vendor's books"
            if not known and job["status"] in (JobStatus.SUBMITTED, JobStatus.SUCCEEDED):
                yield f"{_stage(story, job)} is {job['status']} without the vendor's id"


def seqs_have_no_gap(history: History) -> Iterator[str]:
    for story in history.stories:
        seqs = [event["seq"] for event in story.events]
        if seqs != list(range(1, len(seqs) + 1)):
            yield f"{story.task_id}: its events are numbered {_shown(seqs)}"
        elif story.request["seq"] != len(seqs):
            yield f"{story.task_id}: its row is at {story.request['seq']}, its events at {len(seqs)}"


def events_fold_to_rows(history: History) -> Iterator[str]:
    for story in history.stories:
        try:
            folded = fold(event["data"] for event in story.events)
        except KeyError as error:
            yield f"{story.task_id}: its events never tell {error}"
            continue
        different = {
            name: (value, story.request[name])
            for name, value in folded.items()
            if value != story.request[name]
        }
        if different:
            yield f"{story.task_id}: told and written differ in {different}"


def moves_are_legal(history: History) -> Iterator[str]:
    for story in history.stories:
        for event in story.events:
            edge = (event["from"], event["to"])
            if event["type"] not in _FREE and edge not in LEGAL_MOVES.get(event["type"], ()):
                yield f"{_at(story, event)}: {event['from']} → {event['to']} is no legal move"
        for earlier, later in pairwise(story.events):
            if later["from"] != earlier["to"]:
                yield f"{_at(story, later)}: from {later['from']}, but it was {earlier['to']}"


def one_attempt_at_a_time(history: History) -> Iterator[str]:
    for story in history.stories:
        by_time = sorted(story.attempts, key=lambda attempt: attempt["started_at"])
        for earlier, later in pairwise(by_time):
            if earlier["ended_at"] is None or earlier["ended_at"] > later["started_at"]:
                yield (
                    f"{story.task_id}: attempts {earlier['number']} ({earlier['worker']}) and "
                    f"{later['number']} ({later['worker']}) held it at the same time"
                )
        still = [attempt["number"] for attempt in by_time if attempt["ended_at"] is None]
        if still and story.request["status"] != Status.PROCESSING:
            yield f"{story.task_id} is {story.request['status']} with attempt {still} open"


def fences_rise(history: History) -> Iterator[str]:
    for story in history.stories:
        fence = 0
        for event in story.events:
            now = event["data"]["set"].get("fence", fence)
            claims = event["type"] == "claimed"
            if now < fence or (claims and now == fence):
                yield f"{_at(story, event)}: the fence went from {fence} to {now}"
            fence = now


def only_holders_work(history: History) -> Iterator[str]:
    for story in history.stories:
        held = {attempt["number"]: attempt for attempt in story.attempts}
        for job in story.jobs:
            attempt = held.get(job["attempt"])
            if attempt is None or not _is_within(job["created_at"], attempt):
                yield f"{_stage(story, job)}: intended outside attempt {job['attempt']}"
        done = Counter(
            (event["data"].get("stage"), event["data"].get("generation"))
            for event in story.events
            if event["type"] == "stage_completed"
        )
        for (stage, generation), count in done.items():
            if count > 1:
                yield f"{story.task_id} {stage} (generation {generation}) was completed {count} times"


def _is_within(moment: object, attempt: Row) -> bool:
    ended = attempt["ended_at"]
    return bool(attempt["started_at"] <= moment and (ended is None or moment <= ended))


def the_living_are_left_alone(history: History) -> Iterator[str]:
    """A worker that is given up was really disturbed, and one that was killed is never heard of again."""
    last_heard = _last_heard(history)
    for story in history.stories:
        for attempt in story.attempts:
            if attempt["error_code"] != WORKER_LOST:
                continue
            given_up, worker = attempt["ended_at"], attempt["worker"]
            kinds = {
                each.kind
                for each in history.disturbed(TROUBLE)
                if attempt["started_at"] <= each.until and each.at <= given_up
            }
            told = f"{story.task_id}: attempt {attempt['number']} of {worker} was given up"
            if not kinds:
                yield f"{told}, and nothing had happened to it"
            elif kinds == {WORKER_KILLED} and last_heard.get(worker, given_up) > given_up:
                yield f"{told}, and it worked on elsewhere"


def _last_heard(history: History) -> Mapping[str, datetime]:
    """When each worker last claimed something or ended an attempt by itself."""
    heard: dict[str, datetime] = {}
    for attempt in history.attempts:
        by_itself = attempt["ended_at"] is not None and attempt["error_code"] != WORKER_LOST
        moment = attempt["ended_at"] if by_itself else attempt["started_at"]
        heard[attempt["worker"]] = max(moment, heard.get(attempt["worker"], moment))
    return heard


def cancels_hold(history: History) -> Iterator[str]:
    for story in history.stories:
        canceled_at: datetime | None = None
        for event in story.events:
            if event["type"] == "canceled":
                canceled_at = event["at"]
            elif event["type"] in _BACK:
                canceled_at = None
            elif canceled_at is not None:
                yield f"{_at(story, event)}: it had been canceled"
        if canceled_at is not None:
            yield from _charged_after(history, story, canceled_at + _VENDOR_CLOCK)
    statuses = {story.task_id: story.request["status"] for story in history.stories}
    for cancel in history.cancels:
        if cancel.outcome == Status.CANCELED and statuses.get(cancel.task_id) != Status.CANCELED:
            yield f"{cancel.task_id} was said to be canceled and is {statuses.get(cancel.task_id)}"


def _charged_after(history: History, story: Story, moment: datetime) -> Iterator[str]:
    for job in story.jobs:
        for charge in history.charges_by_token.get(job["token"], ()):
            if charge.at > moment:
                yield f"{_stage(story, job)} was charged after it had been canceled"


def files_are_whole(history: History) -> Iterator[str]:
    wanted = {row["where"]: row for row in history.artifacts}
    found: set[str] = set()
    unfinished = _unfinished_stages(history)
    for file in history.files:
        row = wanted.get(file.where)
        if row is None:
            if file.where.partition("/")[0] not in unfinished:
                yield f"{file.home}: {file.where} belongs to nobody"
        elif (file.sha256, file.bytes) != (row["sha256"], row["bytes"]):
            yield f"{file.home}: {file.where} has {file.bytes} bytes, not those of its sha256"
        else:
            found.add(file.where)
    for where in sorted(wanted.keys() - found):
        yield f"{where} is in no artifact folder"


def _unfinished_stages(history: History) -> frozenset[str]:
    """Orders that ended before a stage did: its file may lie in its place, as the next attempt would find it."""
    ended = {story.task_id for story in history.stories if story.request["status"] != "completed"}
    return frozenset(ended)


def nothing_is_left_half_made(history: History) -> Iterator[str]:
    """What a killed worker was making stays for a day, until the store sweeps it; nobody else leaves any."""
    kills = history.disturbed(WORKER_TROUBLE)
    for left in history.leftovers:
        if not any(left.at <= kill.at <= left.at + _KILLED_WITHIN for kill in kills):
            yield f"{left.path} was left half made by nobody's death"


def runs_have_ended(history: History) -> Iterator[str]:
    for run_id, run in sorted(history.runs.items()):
        if run.status in _OPEN_RUNS:
            yield f"run {run_id} is {run.status} when all is quiet"


def runs_end_once(history: History) -> Iterator[str]:
    if history.disturbed((WORKER_STOPPED,)):
        return  # a zombie tells its own end after it was given up
    for run_id, run in sorted(history.runs.items()):
        if len(run.ends) > 1:
            yield f"run {run_id} ended {len(run.ends)} times: {', '.join(run.ends)}"


def claims_have_runs(history: History) -> Iterator[str]:
    for story in history.stories:
        for attempt in story.attempts:
            if attempt["run_id"] not in history.runs:
                yield f"{story.task_id}: Dagster knows no run of attempt {attempt['number']}"


LAWS: Sequence[Law] = (
    Law("ended", "every accepted order has ended, or is visibly unknown", orders_end),
    Law("deaths", "an order is dead only by a submission nobody heard of", deaths_are_explained),
    Law("ordered", "every row was ordered, every accepted order has its row", rows_were_ordered),
    Law("one", "an order placed again is one request; another is refused", orders_are_one),
    Law("charges", "a stage is bought once, in the vendors' own books", stages_are_bought_once),
    Law("books", "the ledger's submissions are those of the vendors' books", books_agree),
    Law("seq", "events are numbered 1 to n", seqs_have_no_gap),
    Law("fold", "events fold to the row", events_fold_to_rows),
    Law("moves", "only legal moves", moves_are_legal),
    Law("attempts", "one attempt holds a request at a time", one_attempt_at_a_time),
    Law("fences", "fences only rise", fences_rise),
    Law("holders", "who holds no lease writes and buys nothing", only_holders_work),
    Law("living", "nobody is given up who lives", the_living_are_left_alone),
    Law("cancels", "nothing happens to an order after its cancel", cancels_hold),
    Law("files", "every file is whole and belongs to somebody", files_are_whole),
    Law(
        "leftovers", "nothing is left half made, but by a killed worker", nothing_is_left_half_made
    ),
    Law("quiet", "no Dagster run is open", runs_have_ended),
    Law("ends", "a Dagster run ends once", runs_end_once),
    Law("runs", "every claim has its Dagster run", claims_have_runs),
)


def breaches(history: History) -> Mapping[str, Sequence[str]]:
    """What breaks each law, by the law's name; laws that hold have none."""
    return {law.name: list(law.broken_by(history)) for law in LAWS}


def _stage(story: Story, row: Row) -> str:
    return f"{story.task_id} {row['stage']} (generation {row['generation']})"


def _at(story: Story, event: Row) -> str:
    return f"{story.task_id} #{event['seq']} {event['type']}"


def _shown(numbers: Sequence[int], most: int = 12) -> str:
    listed = ", ".join(str(number) for number in numbers[:most])
    return f"{listed} …" if len(numbers) > most else listed
