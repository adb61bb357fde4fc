"""Lanes: groups of pipelines that are served in turn, some of them by workers of their own. Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

DEFAULT_LANE = "default"
_SEPARATOR = ","


@dataclass(frozen=True)
class PipelineLimit:
    """A pipeline's lane, and how many of its requests may be at work at once, None without a limit."""

    name: str
    lane: str = DEFAULT_LANE
    places: int | None = None


@dataclass(frozen=True)
class WorkerGroup:
    """Workers that serve the same lanes, None for all, and how many runs they could take."""

    lanes: frozenset[str] | None
    free: int

    def serves(self, lane: str) -> bool:
        """Whether these workers execute the lane's runs."""
        return self.lanes is None or lane in self.lanes


@dataclass(frozen=True)
class LaneCapacity:
    """The capacity of each lane: its workers, the places left of each limited pipeline, and what is at work.

    `served` are the lanes that were served lately, the last one first.
    """

    workers: tuple[WorkerGroup, ...] = ()
    places_left: Mapping[str, int] = field(default_factory=dict)
    at_work: Mapping[str, int] = field(default_factory=dict)
    served: tuple[str, ...] = ()

    @property
    def free_runs(self) -> int:
        """How many more runs all workers could take."""
        return sum(max(group.free, 0) for group in self.workers)

    def free(self, lane: str) -> int:
        """How many more runs the lane's workers could take."""
        return sum(max(group.free, 0) for group in self.workers if group.serves(lane))

    def is_served(self, lane: str) -> bool:
        """Whether a living worker serves the lane."""
        return any(group.serves(lane) for group in self.workers)

    def is_open(self, pipeline: PipelineLimit) -> bool:
        """Whether a request of the pipeline could be dispatched."""
        return self.free(pipeline.lane) > 0 and self.places_left.get(pipeline.name, 1) > 0


class LanePlaces:
    """The places of lanes and pipelines while requests are admitted one by one; without a capacity, no limit."""

    def __init__(self, capacity: LaneCapacity | None) -> None:
        self._workers = None if capacity is None else list(capacity.workers)
        self._left = {} if capacity is None else dict(capacity.places_left)
        self._at_work = {} if capacity is None else dict(capacity.at_work)
        served = () if capacity is None else capacity.served
        self._recency = {lane: recency for recency, lane in enumerate(reversed(served), 1)}

    def share(self, lane: str) -> tuple[int, int]:
        """How many requests of the lane are at work, then how lately it was served; the least goes first."""
        return self._at_work.get(lane, 0), self._recency.get(lane, 0)

    def take(self, lane: str, pipeline: str) -> bool:
        """Whether there was a place for a request of this lane and pipeline; it is taken then."""
        if self._workers is None:
            return True
        group = _most_special(self._workers, lane)
        if group is None or self._left.get(pipeline, 1) <= 0:
            return False
        self._workers[group] = _less_one(self._workers[group])
        self._at_work[lane] = self._at_work.get(lane, 0) + 1
        if pipeline in self._left:
            self._left[pipeline] -= 1
        return True


def after_dispatched(
    workers: Iterable[WorkerGroup], dispatched: Mapping[str, int]
) -> tuple[WorkerGroup, ...]:
    """The workers once they have taken the requests that are dispatched, counted by lane."""
    groups = list(workers)
    for lane, count in sorted(dispatched.items()):
        for _ in range(count):
            group = _most_special(groups, lane)
            if group is None:
                break
            groups[group] = _less_one(groups[group])
    return tuple(groups)


def _most_special(workers: list[WorkerGroup], lane: str) -> int | None:
    """The index of the free workers with the fewest lanes: the others can serve other lanes too."""
    free = [i for i, group in enumerate(workers) if group.free > 0 and group.serves(lane)]
    return min(free, key=lambda i: _breadth(workers[i]), default=None)


def _breadth(group: WorkerGroup) -> tuple[bool, int]:
    return group.lanes is None, len(group.lanes or ())


def _less_one(group: WorkerGroup) -> WorkerGroup:
    return WorkerGroup(group.lanes, group.free - 1)


def lanes_text(lanes: Collection[str] | None) -> str | None:
    """A worker's lanes as its row has them; None for all."""
    return None if lanes is None else _SEPARATOR.join(sorted(lanes))


def read_lanes(text: str | None) -> frozenset[str] | None:
    """The lanes in a worker's row."""
    return None if text is None else frozenset(filter(None, text.split(_SEPARATOR)))
