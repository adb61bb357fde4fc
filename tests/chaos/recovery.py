"""How long it took until things went on after each disturbance. Pure."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from tests.chaos.history import (
    MACHINE_STALLED,
    WORKER_LOST,
    WORKER_TROUBLE,
    Disturbance,
    History,
    Row,
    Story,
)

BAR = 20


@dataclass(frozen=True)
class Spread:
    """Seconds, as a list says them: how many there are, the median, the 95th percentile and the largest."""

    count: int
    p50: float
    p95: float
    most: float


def recoveries(history: History) -> Mapping[str, Sequence[float]]:
    """Seconds from each disturbance to the next progress of what it hit, by kind.

    What a worker's end hits are the requests whose attempts it ends: they go on when the next attempt claims.
    Anything else hits everybody: it is over when any request that was open then changes.
    """
    found: dict[str, list[float]] = defaultdict(list)
    for disturbance in history.disturbances:
        if disturbance.kind in (*WORKER_TROUBLE, MACHINE_STALLED):
            continue
        recovered_after = _next_progress(history, disturbance)
        if recovered_after is not None:
            found[disturbance.kind].append(recovered_after)
    for kind, seconds in _of_workers(history):
        found[kind].append(seconds)
    return dict(found)


def spread(seconds: Sequence[float]) -> Spread:
    """What a list of seconds comes to; it has at least one."""
    ordered = sorted(seconds)

    def at(share: float) -> float:
        return ordered[max(0, ceil(share * len(ordered)) - 1)]

    return Spread(len(ordered), at(0.5), at(0.95), ordered[-1])


def bar(seconds: float, longest: float) -> str:
    """A bar whose length tells how long; the longest fills the width."""
    return "█" * max(1, round(BAR * seconds / longest)) if longest > 0 else ""


def _next_progress(history: History, disturbance: Disturbance) -> float | None:
    moments = [
        event["at"]
        for story in history.stories
        if _was_open(story, disturbance)
        for event in story.events
        if event["at"] > disturbance.at and event["type"] != WORKER_LOST
    ]
    if not moments:
        return None
    return float((min(moments) - disturbance.at).total_seconds())


def _was_open(story: Story, disturbance: Disturbance) -> bool:
    """Whether a request stood, at that moment, where something had to follow by itself."""
    moments = [event["at"] for event in story.events]
    before = bisect_right(moments, disturbance.at)
    return before > 0 and story.events[before - 1]["to"] in ("pending", "dispatched", "processing")


def _of_workers(history: History) -> list[tuple[str, float]]:
    kills = sorted(history.disturbed(WORKER_TROUBLE), key=lambda each: each.at)
    found = []
    for story in history.stories:
        for attempt in story.attempts:
            kill = _kill_of(attempt, kills)
            next_claim = _claim_after(story, attempt)
            if kill is not None and next_claim is not None:
                waited = (next_claim["started_at"] - kill.at).total_seconds()
                found.append((kill.kind, float(waited)))
    return found


def _kill_of(attempt: Row, kills: Sequence[Disturbance]) -> Disturbance | None:
    """The last disturbance while the attempt was open, where it ended for the loss of its worker."""
    if attempt["error_code"] != WORKER_LOST:
        return None
    during = [each for each in kills if attempt["started_at"] <= each.at <= attempt["ended_at"]]
    return during[-1] if during else None


def _claim_after(story: Story, attempt: Row) -> Row | None:
    later = [each for each in story.attempts if each["number"] > attempt["number"]]
    return min(later, key=lambda each: int(each["number"]), default=None)
