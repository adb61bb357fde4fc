"""Queues: groups of pipelines that are served in turn, some of them by workers of their own. Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

DEFAULT_QUEUE = "default"
_SEPARATOR = ","


@dataclass(frozen=True)
class PipelineLimit:
    """A pipeline's queue, and how many of its requests may be at work at once, None without a limit."""

    name: str
    queue: str = DEFAULT_QUEUE
    slots: int | None = None


@dataclass(frozen=True)
class WorkerGroup:
    """Workers that serve the same queues, None for all, and how many runs they could take."""

    queues: frozenset[str] | None
    free: int

    def serves(self, queue: str) -> bool:
        """Whether these workers execute the queue's runs."""
        return self.queues is None or queue in self.queues


@dataclass(frozen=True)
class QueueCapacity:
    """The capacity of each queue: its workers, the slots left of each limited pipeline, and what is at work.

    `served` are the queues that were served lately, the last one first.
    """

    workers: tuple[WorkerGroup, ...] = ()
    slots_left: Mapping[str, int] = field(default_factory=dict)
    at_work: Mapping[str, int] = field(default_factory=dict)
    served: tuple[str, ...] = ()

    @property
    def free_runs(self) -> int:
        """How many more runs all workers could take."""
        return sum(max(group.free, 0) for group in self.workers)

    def free(self, queue: str) -> int:
        """How many more runs the queue's workers could take."""
        return sum(max(group.free, 0) for group in self.workers if group.serves(queue))

    def is_served(self, queue: str) -> bool:
        """Whether a living worker serves the queue."""
        return any(group.serves(queue) for group in self.workers)

    def is_open(self, pipeline: PipelineLimit) -> bool:
        """Whether a request of the pipeline could be dispatched."""
        return self.free(pipeline.queue) > 0 and self.slots_left.get(pipeline.name, 1) > 0


class QueueSlots:
    """The slots of queues and pipelines while requests are admitted one by one; without a capacity, no limit."""

    def __init__(self, capacity: QueueCapacity | None) -> None:
        self._workers = None if capacity is None else list(capacity.workers)
        self._left = {} if capacity is None else dict(capacity.slots_left)
        self._at_work = {} if capacity is None else dict(capacity.at_work)
        served = () if capacity is None else capacity.served
        self._recency = {queue: recency for recency, queue in enumerate(reversed(served), 1)}

    def share(self, queue: str) -> tuple[int, int]:
        """How many requests of the queue are at work, then how lately it was served; the least goes first."""
        return self._at_work.get(queue, 0), self._recency.get(queue, 0)

    def take(self, queue: str, pipeline: str) -> bool:
        """Whether there was a slot for a request of this queue and pipeline; it is taken then."""
        if self._workers is None:
            return True
        group = _most_special(self._workers, queue)
        if group is None or self._left.get(pipeline, 1) <= 0:
            return False
        self._workers[group] = _less_one(self._workers[group])
        self._at_work[queue] = self._at_work.get(queue, 0) + 1
        if pipeline in self._left:
            self._left[pipeline] -= 1
        return True


def after_dispatched(
    workers: Iterable[WorkerGroup], dispatched: Mapping[str, int]
) -> tuple[WorkerGroup, ...]:
    """The workers once they have taken the requests that are dispatched, counted by queue."""
    groups = list(workers)
    for queue, count in sorted(dispatched.items()):
        for _ in range(count):
            group = _most_special(groups, queue)
            if group is None:
                break
            groups[group] = _less_one(groups[group])
    return tuple(groups)


def _most_special(workers: list[WorkerGroup], queue: str) -> int | None:
    """The index of the free workers with the fewest queues: the others can serve other queues too."""
    free = [i for i, group in enumerate(workers) if group.free > 0 and group.serves(queue)]
    return min(free, key=lambda i: _breadth(workers[i]), default=None)


def _breadth(group: WorkerGroup) -> tuple[bool, int]:
    return group.queues is None, len(group.queues or ())


def _less_one(group: WorkerGroup) -> WorkerGroup:
    return WorkerGroup(group.queues, group.free - 1)


def format_queues(queues: Collection[str] | None) -> str | None:
    """A worker's queues as its row has them; None for all."""
    return None if queues is None else _SEPARATOR.join(sorted(queues))


def parse_queues(text: str | None) -> frozenset[str] | None:
    """The queues in a worker's row."""
    return None if text is None else frozenset(filter(None, text.split(_SEPARATOR)))
