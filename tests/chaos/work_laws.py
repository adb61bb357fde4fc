"""Laws of those who work: attempts, workers, their files, and the Dagster runs they execute. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import pairwise

from resources.ledger.schema.tables import Status
from tests.chaos.history import TROUBLE, WORKER_KILLED, WORKER_LOST, WORKER_TROUBLE, History, Row

_OPEN_RUNS = ("NOT_STARTED", "QUEUED", "STARTING", "STARTED", "CANCELING", "MANAGED")
_KILLED_WITHIN = timedelta(seconds=90)


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


def only_holders_work(history: History) -> Iterator[str]:
    for story in history.stories:
        held = {attempt["number"]: attempt for attempt in story.attempts}
        for job in story.jobs:
            attempt = held.get(job["attempt"])
            if attempt is None or not _is_within(job["created_at"], attempt):
                yield f"{story.named(job)}: intended outside attempt {job['attempt']}"
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
    """A worker that is given up was really disturbed, and one that was killed is never heard of again.

    An operator's value may have cost it its lease.
    """
    last_heard = _last_heard(history)
    for story in history.sound_stories:
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


_ENDED_BY_OTHERS = (WORKER_LOST, "canceled")


def _last_heard(history: History) -> Mapping[str, datetime]:
    """When each worker last claimed something or ended an attempt by itself.

    Whoever rescues an order whose cancel was requested ends its attempt `canceled`.
    """
    heard: dict[str, datetime] = {}
    for attempt in history.attempts:
        by_itself = (
            attempt["ended_at"] is not None and attempt["error_code"] not in _ENDED_BY_OTHERS
        )
        moment = attempt["ended_at"] if by_itself else attempt["started_at"]
        heard[attempt["worker"]] = max(moment, heard.get(attempt["worker"], moment))
    return heard


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
    """Orders that ended, or were deleted, before a stage did: its file may lie where an attempt would look."""
    ended = {story.task_id for story in history.stories if story.request["status"] != "completed"}
    return frozenset(ended) | history.deleted


def nothing_is_left_half_made(history: History) -> Iterator[str]:
    """What a killed worker was making stays for a day, until the store sweeps it; nobody else leaves any."""
    kills = history.disturbed(WORKER_TROUBLE)
    for left in history.leftovers:
        if not any(left.at <= kill.until and kill.at <= left.at + _KILLED_WITHIN for kill in kills):
            yield f"{left.path} was left half made by nobody's death"


def runs_have_ended(history: History) -> Iterator[str]:
    for run_id, run in sorted(history.runs.items()):
        if run.status in _OPEN_RUNS:
            yield f"run {run_id} is {run.status} when all is quiet"


def runs_end_once(history: History) -> Iterator[str]:
    for run_id, run in sorted(history.runs.items()):
        if len(run.ends) > 1:
            yield f"run {run_id} ended {len(run.ends)} times: {', '.join(run.ends)}"


def claims_have_runs(history: History) -> Iterator[str]:
    for story in history.stories:
        for attempt in story.attempts:
            if attempt["run_id"] not in history.runs:
                yield f"{story.task_id}: Dagster knows no run of attempt {attempt['number']}"
