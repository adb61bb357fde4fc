"""Laws of waiting: a free slot goes at once to who asked first, and waiting counts as nothing. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from resources.contract.errors import RATE_LIMITED
from resources.ledger.ledger_errors import NoPermitError, NoSlotError
from resources.ledger.limits import (
    FINAL_STATUS_PREFIX,
    PERMIT_PREFIX,
    SLOT_PREFIX,
    format_wait,
    is_waiting_for_limit,
    parse_wait,
)
from resources.ledger.schema.tables import Status
from tests.chaos.environment import CLOCK, RATES, SLOTS
from tests.chaos.hand_laws import over_at, states
from tests.chaos.history import History, Row, Story

_LONGEST_WAIT = timedelta(seconds=8)
_AT_ONCE = timedelta(seconds=1)
_LATEST_CALL = timedelta(seconds=3)
"""What was counted as a call reaches the vendor within this time."""
_RUNS = int(CLOCK["CASTAD_CONCURRENT_RUNS"])
_AT_WORK = (Status.DISPATCHED, Status.PROCESSING)
_LEAVES_IN_LINE = ("worker_lost", "released", "undelivered")
_KEEPS_ASKING = (*_LEAVES_IN_LINE, "dispatched", "redelivered", "claimed", "stage_started")
_NO_FAILURES = (RATE_LIMITED, NoPermitError.code, NoSlotError.code)


@dataclass(frozen=True)
class _Held:
    """A slot of a stage, and from when to when an order had it; `asked` is when it had asked for it.

    None where it came from another line, whose order of asking is another one.
    """

    task_id: str
    stage: str
    begin: datetime
    end: datetime
    asked: datetime | None


@dataclass(frozen=True)
class _Wait:
    """How long an order stood in the line for a slot of a stage."""

    task_id: str
    stage: str
    begin: datetime
    end: datetime
    asked: datetime


def free_slots_are_given(history: History) -> Iterator[str]:
    """No more at work in a stage than its slots, nobody waits for a free one, nobody is passed."""
    for stage, most in SLOTS.items():
        yield from _overfull(history, stage, most)
        yield from _left_waiting(history, stage, most)
    yield from _passed(history)


def _overfull(history: History, stage: str, most: int) -> Iterator[str]:
    changes = [
        change
        for story in history.sound_stories
        for held in _slots(story.task_id, story.events, history.read_at)
        if held.stage == stage
        for change in ((held.begin, 1), (held.end, -1))
    ]
    taken = 0
    for moment, change in sorted(changes):
        taken += change
        if taken > most:
            yield f"{taken} had a slot of {stage} at {moment:%H:%M:%S.%f}, of which there are {most}"
            return


def _left_waiting(history: History, stage: str, most: int) -> Iterator[str]:
    """Only while workers have slots for whom it could be given to, and nothing is disturbed."""
    changes: list[tuple[datetime, int, int, int, int]] = []

    def during(begin: datetime, end: datetime, *counts: int) -> None:
        if begin < end:
            waiting, held, running, disturbed = counts
            changes.append((begin, waiting, held, running, disturbed))
            changes.append((end, -waiting, -held, -running, -disturbed))

    for wait in _waits(history):
        during(wait.begin, wait.end, wait.stage == stage, 0, 0, 0)
    for task_id, events, until in _lives(history):
        for held in _slots(task_id, events, until):
            during(held.begin, held.end, 0, held.stage == stage, 0, 0)
        for event, following in states(events, until):
            during(event["at"], following, 0, 0, event["to"] in _AT_WORK, 0)
    for each in history.disturbances:
        during(each.at, over_at(each), 0, 0, 0, 1)
    waiting = taken = running = disturbed = 0
    since: datetime | None = None
    for now, later in pairwise(sorted(changes)):
        waiting, taken = waiting + now[1], taken + now[2]
        running, disturbed = running + now[3], disturbed + now[4]
        is_free = waiting and taken < most and running < _RUNS and not disturbed
        since = (since or now[0]) if is_free else None
        if since is not None and later[0] - since > _LONGEST_WAIT:
            yield f"a slot of {stage} was free from {since:%H:%M:%S.%f} on, and nobody who waited got it"
            return


def _passed(history: History) -> Iterator[str]:
    waits = list(_waits(history))
    for story in history.sound_stories:
        for held in _slots(story.task_id, story.events, history.read_at):
            for wait in waits:
                is_there = wait.begin + _AT_ONCE < held.begin < wait.end - _AT_ONCE
                of_it = wait.stage == held.stage and wait.task_id != held.task_id
                if held.asked and of_it and is_there and wait.asked + _AT_ONCE < held.asked:
                    yield f"{held.task_id} got a slot of {held.stage} before {wait.task_id}, who had asked before"
                    return


def _lives(history: History) -> Iterator[tuple[str, Sequence[Row], datetime]]:
    """What happened to every order that there ever was, and until when it stood where that had led."""
    for story in history.stories:
        row = story.request
        is_set_aside = story.task_id in history.spoiled and row["status"] not in _AT_WORK
        until = row.get("updated_at") if is_set_aside else None
        yield story.task_id, story.events, until or history.read_at
    for deletion in history.deletions:
        yield deletion.task_id, deletion.events, deletion.at


def _slots(task_id: str, events: Sequence[Row], until: datetime) -> Iterator[_Held]:
    stage: str | None = None
    begin, asked = until, None
    line, asked_at = None, until
    for event in events:
        given = _given(event)
        has_left = event["to"] not in _AT_WORK or event["type"] == "stage_completed"
        if stage is not None and (has_left or given not in (None, stage)):
            yield _Held(task_id, stage, begin, event["at"], asked)
            stage = None
        if stage is None and given is not None:
            stage, begin = given, event["at"]
            new = events[0]["at"] if event["type"] == "dispatched" else begin
            asked = asked_at if line == format_wait(SLOT_PREFIX, given) else None if line else new
        line, asked_at = _in_line(event, line, asked_at)
    if stage is not None:
        yield _Held(task_id, stage, begin, until, asked)


def _given(event: Row) -> str | None:
    """The limited stage of which an event gives a slot."""
    if event["type"] == "stage_started":
        return event["data"]["stage"] if event["data"]["stage"] in SLOTS else None
    slot: str | None = event["data"].get("slot")
    return slot if event["type"] == "dispatched" else None


def _waits(history: History) -> Iterator[_Wait]:
    for story in history.sound_stories:
        line, asked = None, history.read_at
        for event, until in states(story.events, history.read_at):
            line, asked = _in_line(event, line, asked)
            stands = (
                event["type"] in ("waiting", *_LEAVES_IN_LINE) and event["to"] == Status.PENDING
            )
            if stands and line is not None and line.startswith(SLOT_PREFIX):
                begin = event["at"] + timedelta(seconds=event["data"].get("wait") or 0)
                yield _Wait(story.task_id, line.removeprefix(SLOT_PREFIX), begin, until, asked)


def _in_line(event: Row, line: str | None, asked: datetime) -> tuple[str | None, datetime]:
    """The line in which an order stands after an event, or would if it were given back, and since when."""
    told = event["data"].get("waits_for")
    if event["type"] == "waiting" and is_waiting_for_limit(told):
        return told, asked if line is not None else event["at"]
    is_used = event["type"] == "stage_started" and line == format_wait(
        SLOT_PREFIX, event["data"]["stage"]
    )
    is_sent = (
        event["type"] == "submission_intended"
        and line is not None
        and line.startswith(PERMIT_PREFIX)
    )
    keeps = event["type"] in (*_KEEPS_ASKING, "submission_intended")
    return (line if keeps and not is_used and not is_sent else None), asked


def waiting_counts_nothing(history: History) -> Iterator[str]:
    """No retry, no death, no try of a stage, no failure; and no vendor is called more often than it allows."""
    for story in history.sound_stories:
        yield from _counted(story)
        yield from _tried(story)
        for event in story.events:
            code = event["data"]["set"].get("error_code")
            if event["type"] in ("failed", "dead") and code in _NO_FAILURES:
                yield f"{story.at(event)} by {code}, which is nobody's failure"
    for vendor in RATES:
        yield from _called_too_often(history, vendor)


def _counted(story: Story) -> Iterator[str]:
    state: dict[str, object] = {}
    for event in story.events:
        changes = event["data"]["set"]
        for name in ("retry_count", "deaths") if event["type"] == "waiting" else ():
            if changes.get(name, state.get(name)) != state.get(name):
                yield f"{story.at(event)}: {name} went from {state.get(name)} to {changes[name]}"
        state.update(changes)


def _tried(story: Story) -> Iterator[str]:
    """Who stands in a line has not begun the stage that it is to go on with, but for who only asks on."""
    tries: Counter[tuple[str, int]] = Counter()
    begun: tuple[str, int] | None = None
    line, asked = None, story.events[0]["at"]
    for event in story.events:
        if event["type"] == "stage_started":
            begun = event["data"]["stage"], event["data"]["generation"]
            tries[begun] += 0 if parse_wait(FINAL_STATUS_PREFIX, line) else 1
        elif event["to"] != Status.PROCESSING or event["type"] == "stage_completed":
            waits_for = event["data"].get("waits_for") if event["type"] == "waiting" else None
            if (
                begun is not None
                and is_waiting_for_limit(waits_for)
                and not parse_wait(FINAL_STATUS_PREFIX, waits_for)
            ):
                tries[begun] -= 1
            begun = None
        line, asked = _in_line(event, line, asked)
    for stage in story.stages:
        told = tries.get((stage["stage"], stage["generation"]))
        if told is not None and stage["attempts"] > told:
            yield f"{story.named(stage)}: {stage['attempts']} tries are counted, its events tell of {told}"


def _called_too_often(history: History, vendor: str) -> Iterator[str]:
    most, seconds = RATES[vendor]
    calls = sorted(history.calls.get(vendor, ()))
    for first, last in zip(calls, calls[most:], strict=False):
        is_disturbed = any(
            each.at <= last and first <= over_at(each) for each in history.disturbances
        )
        if last - first < timedelta(seconds=seconds) - _LATEST_CALL and not is_disturbed:
            took = (last - first).total_seconds()
            yield f"{vendor} was called {most + 1} times within {took:.1f} s, from {first:%H:%M:%S.%f} on"
            return
