"""Who goes on when room is free: a place of a worker, of a stage, a turn at a vendor. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

PLACE_PREFIX = "place:"
TURN_PREFIX = "turn:"
VERDICT_PREFIX = "verdict:"


def place_queue(stage: str) -> str:
    """The line of those that wait for a place of a stage, as `waits_for` names it."""
    return f"{PLACE_PREFIX}{stage}"


def turn_queue(vendor: str) -> str:
    """The line of those that wait for their turn at a vendor, as `waits_for` names it."""
    return f"{TURN_PREFIX}{vendor}"


def verdict_queue(vendor: str) -> str:
    """The line of those whose submission a vendor works on, and which no run attends, as `waits_for` names it."""
    return f"{VERDICT_PREFIX}{vendor}"


def stage_of_place_queue(waits_for: str | None) -> str | None:
    """The stage whose place is waited for, if it is one."""
    return (
        waits_for.removeprefix(PLACE_PREFIX)
        if waits_for and waits_for.startswith(PLACE_PREFIX)
        else None
    )


def vendor_of_turn_queue(waits_for: str | None) -> str | None:
    """The vendor whose turn is waited for, if it is one."""
    return (
        waits_for.removeprefix(TURN_PREFIX)
        if waits_for and waits_for.startswith(TURN_PREFIX)
        else None
    )


def vendor_of_verdict_queue(waits_for: str | None) -> str | None:
    """The vendor whose verdict is waited for, if it is one."""
    return (
        waits_for.removeprefix(VERDICT_PREFIX)
        if waits_for and waits_for.startswith(VERDICT_PREFIX)
        else None
    )


def is_wait_queue(waits_for: str | None) -> bool:
    """Whether who waits for this stands in a line, and not only for a moment."""
    return waits_for is not None and waits_for.startswith(
        (PLACE_PREFIX, TURN_PREFIX, VERDICT_PREFIX)
    )


@dataclass(frozen=True)
class Candidate:
    """A request that could go on, and what it needs beside a worker's place.

    `asked` is when it first asked, as text that sorts; `place` the stage it goes on in, where the places of that
    are limited; `turn` the vendor whose turn it waits for.
    """

    id: int
    priority: int
    asked: str
    place: str | None = None
    turn: str | None = None

    @property
    def wait_queue(self) -> str:
        """Where it stands: those of one line go in the order of asking."""
        if self.turn is not None:
            return turn_queue(self.turn)
        return "" if self.place is None else place_queue(self.place)


@dataclass(frozen=True)
class FreeCapacity:
    """How many runs may be started, how many places of each limited stage and turns at each vendor are free."""

    runs: int
    places: Mapping[str, int]
    turns: Mapping[str, int]


def admit(candidates: Iterable[Candidate], free_capacity: FreeCapacity) -> list[Candidate]:
    """Who goes on, in this order; as many as there is room for.

    A higher priority goes first. Inside one, a place or a turn goes to who asked first, and of the lines that
    have room the oldest request goes on first. Whoever lacks one thing takes nothing from the others.
    """
    wait_queues: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in sorted(candidates, key=_queue_order, reverse=True):
        wait_queues[candidate.wait_queue].append(candidate)
    places, turns = dict(free_capacity.places), dict(free_capacity.turns)
    admitted: list[Candidate] = []
    while wait_queues and len(admitted) < free_capacity.runs:
        name = min(
            wait_queues,
            key=lambda wait_queue: (
                -wait_queues[wait_queue][-1].priority,
                wait_queues[wait_queue][-1].id,
            ),
        )
        first = wait_queues[name].pop()
        if not wait_queues[name]:
            del wait_queues[name]
        if _is_free(first.place, places) and _is_free(first.turn, turns):
            _take(first.place, places)
            _take(first.turn, turns)
            admitted.append(first)
    return admitted


def _queue_order(candidate: Candidate) -> tuple[int, str, int]:
    return -candidate.priority, candidate.asked, candidate.id


def _is_free(name: str | None, left: Mapping[str, int]) -> bool:
    return name is None or left.get(name, 1) > 0


def _take(name: str | None, left: dict[str, int]) -> None:
    if name in left:
        left[name] -= 1
