"""Laws of operators' SQL: a spoiled row harms no other, a deleted order's money is kept. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from resources.ledger.schema.tables import IN_DOUBT, TERMINAL, Status
from resources.ledger.transitions.core import ROW_UNUSABLE
from tests.chaos.environment import CLOCK
from tests.chaos.history import UNKNOWN, WORKER_KILLED, Disturbance, History, Row, Story

_LONGEST_STAND = timedelta(seconds=8)
_SLOTS = int(CLOCK["CASTAD_CONCURRENT_RUNS"])
_TAKES_SLOTS = (Status.DISPATCHED, Status.PROCESSING)
_BACK_AFTER: Mapping[str, timedelta] = defaultdict(
    lambda: timedelta(seconds=10),
    {WORKER_KILLED: timedelta(seconds=5), "daemon killed": timedelta(seconds=20)},
)
"""How long after each disturbance nobody is expected to dispatch."""


def spoiled_are_set_aside(history: History) -> Iterator[str]:
    """One that waited can only be set aside; of one that was at work, the value may never have been needed."""
    rows = {story.task_id: story.request for story in history.stories}
    for spoiling in history.spoilings:
        row = rows.get(spoiling.task_id)
        is_gone = row is None and spoiling.task_id in history.deleted
        if not spoiling.is_taken or is_gone or (row and row["error_code"] == ROW_UNUSABLE):
            continue
        if row is None or spoiling.outcome == Status.PENDING or not _has_ended(row):
            found = "gone" if row is None else f"{row['status']} ({row['error_code']})"
            yield f"{spoiling.task_id} got {spoiling.how} while {spoiling.outcome} and is {found}"


def _has_ended(row: Row) -> bool:
    is_unknown = row["status"] == Status.FAILED and row["error_code"] == UNKNOWN
    return is_unknown or row["status"] in TERMINAL


def nobody_waits_for_the_spoiled(history: History) -> Iterator[str]:
    """Others are dispatched, as soon as one waits and there is a slot, unless something else is disturbed."""
    dispatched = sorted(
        event["at"]
        for story in history.sound_stories
        for event in story.events
        if event["type"] == "dispatched"
    )
    chances = _chances(history)
    settled = {story.task_id: _settled_at(story, history) for story in history.stories}
    for spoiling in history.spoilings:
        has_begun = bool(dispatched) and dispatched[0] <= spoiling.at
        if not (spoiling.is_taken and has_begun):
            continue
        later = [moment for moment in dispatched if moment > spoiling.at]
        over = settled.get(spoiling.task_id, spoiling.at)
        gaps = [gap for gap in pairwise([spoiling.at, *later, history.read_at]) if gap[0] <= over]
        stood = max((_missed(chances, *gap) for gap in gaps), default=timedelta())
        if stood > _LONGEST_STAND:
            told = f"{spoiling.task_id} had got {spoiling.how}"
            yield f"after {told} nobody else was dispatched for {stood.total_seconds():.1f} s"


def _settled_at(story: Story, history: History) -> datetime:
    """When the last was heard of an order; one that is open may hold up others until now."""
    has_ended = story.events and _has_ended(story.request)
    return story.events[-1]["at"] if has_ended else history.read_at


def _missed(
    chances: Sequence[tuple[datetime, datetime]], since: datetime, until: datetime
) -> timedelta:
    """How much of the time between was a chance to dispatch."""
    parts = (min(end, until) - max(begin, since) for begin, end in chances)
    return sum((part for part in parts if part > timedelta()), timedelta())


def _chances(history: History) -> Sequence[tuple[datetime, datetime]]:
    """When a new order other than the spoiled waited, slots were free, and nothing was disturbed."""
    changes: list[tuple[datetime, int, int, int]] = []

    def during(begin: datetime, end: datetime, *counts: int) -> None:
        waiting, taken, disturbed = counts
        changes.append((begin, waiting, taken, disturbed))
        changes.append((end, -waiting, -taken, -disturbed))

    for story in history.stories:
        for event, until in states(story.events, history.read_at):
            is_new = event["type"] == "created" and story.task_id not in history.spoiled
            during(event["at"], until, is_new, event["to"] in _TAKES_SLOTS, 0)
    for each in history.disturbances:
        during(each.at, over_at(each), 0, 0, 1)
    found = []
    waiting = taken = disturbed = 0
    for now, following in pairwise(sorted(changes)):
        waiting, taken, disturbed = (waiting + now[1], taken + now[2], disturbed + now[3])
        if waiting and taken < _SLOTS and not disturbed:
            found.append((now[0], following[0]))
    return found


def over_at(disturbance: Disturbance) -> datetime:
    """From when on somebody is expected to dispatch again."""
    return disturbance.until + _BACK_AFTER[disturbance.kind]


def states(events: Sequence[Row], until: datetime) -> Iterator[tuple[Row, datetime]]:
    """Each event, and until when the order stood where it had led."""
    for event, following in pairwise(events):
        yield event, following["at"]
    for event in events[-1:]:
        yield event, until


def ids_are_ones_own(history: History) -> Iterator[str]:
    charged: dict[tuple[str, str], set[str | None]] = defaultdict(set)
    for charge in history.charges:
        charged[charge.vendor, charge.id].add(charge.token)
    for row in (*history.jobs, *history.orphans):
        tokens = charged.get((row["provider"], row["external_id"]), {row["token"]})
        if row["token"] not in tokens:
            yield (
                f"{row['provider']}'s {row['external_id']} was charged for another submission "
                f"than {row['token']}, which is settled with it"
            )


def orphans_are_stored(history: History) -> Iterator[str]:
    kept = {orphan["token"] for orphan in history.orphans}
    for deletion in history.deletions:
        for job in deletion.jobs:
            if job["status"] not in IN_DOUBT or job["token"] in kept:
                continue
            for charge in history.charges_by_token.get(job["token"], ()):
                told = f"{deletion.task_id} was deleted"
                yield f"{told}, and {charge.vendor}'s charge {charge.id} is stored nowhere"
