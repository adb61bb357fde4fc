"""Which waiting requests are admitted to free places and turns. Pure."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from resources.ledger.lanes import DEFAULT_LANE, LaneCapacity, LanePlaces

PLACE_PREFIX = "place:"
TURN_PREFIX = "turn:"
VERDICT_PREFIX = "verdict:"
APPROVAL_PREFIX = "approval:"
ORDER_PREFIX = "order:"
SAME_ORDER = "order"
"""What all requests that wait for another one's result are counted under."""
_LONGEST_WAIT = 64
SETTINGS = "settings"
"""What a request waits for, as `waits_for` names it, whose order these settings cannot fulfill."""


class PipelineStage(NamedTuple):
    """A stage of a pipeline, as its places are counted: another pipeline may have a stage of the same name."""

    pipeline: str
    stage: str

    @property
    def wait_queue(self) -> "WaitQueue":
        """The wait queue for its places."""
        return WaitQueue(place_queue(self.stage), self.pipeline)


class WaitQueue(NamedTuple):
    """The requests with this `waits_for`: those of one pipeline, or of all where `pipeline` is None."""

    name: str
    pipeline: str | None = None


def place_queue(stage: str) -> str:
    """The wait queue for a place of the stage, as `waits_for` names it."""
    return f"{PLACE_PREFIX}{stage}"


def turn_queue(vendor: str) -> str:
    """The wait queue for a turn at the vendor, as `waits_for` names it."""
    return f"{TURN_PREFIX}{vendor}"


def verdict_queue(vendor: str) -> str:
    """The wait queue for the vendor's verdict on a submission without a run, as `waits_for` names it."""
    return f"{VERDICT_PREFIX}{vendor}"


def stage_of_place_queue(waits_for: str | None) -> str | None:
    """The stage, if this is the wait queue for its places."""
    return _name_after(PLACE_PREFIX, waits_for)


def vendor_of_turn_queue(waits_for: str | None) -> str | None:
    """The vendor, if this is the wait queue for its turns."""
    return _name_after(TURN_PREFIX, waits_for)


def vendor_of_verdict_queue(waits_for: str | None) -> str | None:
    """The vendor, if this is the wait queue for its verdicts."""
    return _name_after(VERDICT_PREFIX, waits_for)


def approval_of(stage: str) -> str:
    """A person's approval of the stage, as `waits_for` names it; it is no wait queue, since nothing admits it."""
    return f"{APPROVAL_PREFIX}{stage}"


def stage_of_approval(waits_for: str | None) -> str | None:
    """The stage, if its approval is waited for."""
    return _name_after(APPROVAL_PREFIX, waits_for)


def order_of(task_id: str) -> str:
    """The result of another request, as `waits_for` names it, as far as its name fits; it is no wait queue."""
    return f"{ORDER_PREFIX}{task_id}"[:_LONGEST_WAIT]


def order_waited_for(waits_for: str | None) -> str | None:
    """The task_id of the other request, if its result is waited for."""
    return _name_after(ORDER_PREFIX, waits_for)


def _name_after(prefix: str, waits_for: str | None) -> str | None:
    if waits_for is None or not waits_for.startswith(prefix):
        return None
    return waits_for.removeprefix(prefix)


def is_wait_queue(waits_for: str | None) -> bool:
    """Whether `waits_for` names a wait queue."""
    return waits_for is not None and waits_for.startswith(
        (PLACE_PREFIX, TURN_PREFIX, VERDICT_PREFIX)
    )


@dataclass(frozen=True)
class Candidate:
    """A due request, and what it needs besides a worker's place.

    `asked` is when it first asked, as text that sorts; `place` is its stage, if the places of that stage are
    limited; `turn` is the vendor whose turn it waits for; `lane` is that of its pipeline.
    """

    id: int
    priority: int
    asked: str
    place: PipelineStage | None = None
    turn: str | None = None
    lane: str = DEFAULT_LANE
    pipeline: str = ""

    @property
    def wait_queue(self) -> WaitQueue | None:
        """The wait queue it is in; requests of one queue are admitted in the order of asking."""
        if self.turn is not None:
            return WaitQueue(turn_queue(self.turn))
        return None if self.place is None else self.place.wait_queue


@dataclass(frozen=True)
class FreeCapacity:
    """The number of free runs, of free places per limited stage, and of free turns per vendor.

    `lanes` is None where all pipelines share the default lane without limits.
    """

    runs: int
    places: Mapping[PipelineStage, int]
    turns: Mapping[str, int]
    lanes: LaneCapacity | None = None


def admit(candidates: Iterable[Candidate], free_capacity: FreeCapacity) -> list[Candidate]:
    """The admitted requests, in order, as many as the free capacity allows.

    Lanes are served in turn: the one with the fewest requests at work goes first, of several the one that was
    served longest ago. Within a lane the highest priority goes first. Within a priority each wait queue is served
    in the order of asking, and of the queues' heads the oldest request goes first. A request that lacks something
    does not hold up others.
    """
    wait_queues: dict[tuple[str, WaitQueue | None], list[Candidate]] = defaultdict(list)
    for candidate in sorted(candidates, key=_queue_order, reverse=True):
        wait_queues[candidate.lane, candidate.wait_queue].append(candidate)
    places, turns = dict(free_capacity.places), dict(free_capacity.turns)
    lanes = LanePlaces(free_capacity.lanes)
    admitted: list[Candidate] = []
    while wait_queues and len(admitted) < free_capacity.runs:
        name = min(
            wait_queues,
            key=lambda wait_queue: (
                lanes.share(wait_queue[0]),
                -wait_queues[wait_queue][-1].priority,
                wait_queues[wait_queue][-1].id,
            ),
        )
        first = wait_queues[name].pop()
        if not wait_queues[name]:
            del wait_queues[name]
        is_free = _is_free(first.place, places) and _is_free(first.turn, turns)
        if is_free and lanes.take(first.lane, first.pipeline):
            _take(first.place, places)
            _take(first.turn, turns)
            admitted.append(first)
    return admitted


def _queue_order(candidate: Candidate) -> tuple[int, str, int]:
    return -candidate.priority, candidate.asked, candidate.id


def _is_free(key: Hashable, left: Mapping[Any, int]) -> bool:
    return left.get(key, 1) > 0


def _take(key: Hashable, left: dict[Any, int]) -> None:
    if key in left:
        left[key] -= 1
