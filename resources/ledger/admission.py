"""Decide purely what may be dispatched: limits, fairness and rates.

A vendor's rate is a sliding window over its calls, and every call counts (docs/vendors/suno.md,
docs/vendors/creatomate.md). A *submission* costs money and waits for a permit. A *question* (a job's status, its
captions, a dry run) follows a submission or precedes it. While both wait, submissions may use a third of the
window and questions two thirds, because at least two questions follow each submission. Either may use the whole
window while the other does not wait.
"""

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, NamedTuple

from resources.contract.protocol import Rate

DEFAULT_QUEUE = "default"
SLOT_PREFIX = "slot:"
PERMIT_PREFIX = "permit:"
FINAL_STATUS_PREFIX = "final_status:"
APPROVAL_PREFIX = "approval:"
ORDER_PREFIX = "order:"
SAME_ORDER = "order"
"""The name under which all requests that wait for another one's result are counted."""
SETTINGS = "settings"
"""The `waits_for` of a request whose order the present settings cannot fulfill."""
_SEPARATOR = ","
_LONGEST_WAIT = 64
# A call is sent a moment after it is counted, and may reach the vendor later than a call counted after it.
_MARGIN = 1.02
# A refused question asks again within this share of the window; for that long submissions leave its share free.
_REFUSAL_MEMORY_SHARE = 1 / 4


class PipelineStage(NamedTuple):
    """A stage of a pipeline, for its slots: another pipeline may have a stage of the same name."""

    pipeline: str
    stage: str

    @property
    def waiters(self) -> "Waiters":
        """The waiters for its slots."""
        return Waiters(format_slot_wait(self.stage), self.pipeline)


class Waiters(NamedTuple):
    """The requests with this `waits_for`: those of one pipeline, or of all if `pipeline` is None."""

    name: str
    pipeline: str | None = None


@dataclass(frozen=True)
class Candidate:
    """A due request, and what it needs beyond a worker's slot.

    `asked` is when it first asked, as text that sorts. `slot` is its stage, if the slots of that stage are
    limited. `permit` is the vendor whose permit it waits for; `queue` is that of its pipeline.
    """

    id: int
    priority: int
    asked: str
    slot: PipelineStage | None = None
    permit: str | None = None
    queue: str = DEFAULT_QUEUE
    pipeline: str = ""

    @property
    def waiters(self) -> Waiters | None:
        """The waiters that it belongs to; those for one limit are admitted in the order of asking."""
        if self.permit is not None:
            return Waiters(format_permit_wait(self.permit))
        return None if self.slot is None else self.slot.waiters


@dataclass(frozen=True)
class PipelineLimit:
    """A pipeline's queue, and the limit of its requests at work at once; None without a limit."""

    name: str
    queue: str = DEFAULT_QUEUE
    slots: int | None = None


@dataclass(frozen=True)
class WorkerGroup:
    """Workers that serve the same queues (None for all), and the number of runs they could take."""

    queues: frozenset[str] | None
    free: int

    def serves(self, queue: str) -> bool:
        """Return whether these workers execute the queue's runs."""
        return self.queues is None or queue in self.queues


@dataclass(frozen=True)
class QueueCapacity:
    """The capacity of each queue: its workers, the slots left of each limited pipeline, and the requests at work.

    `served` are the queues that were served lately, the last one first.
    """

    workers: tuple[WorkerGroup, ...] = ()
    slots_left: Mapping[str, int] = field(default_factory=dict)
    at_work: Mapping[str, int] = field(default_factory=dict)
    served: tuple[str, ...] = ()

    @property
    def free_runs(self) -> int:
        """The number of further runs that all workers could take."""
        return sum(max(group.free, 0) for group in self.workers)

    def free(self, queue: str) -> int:
        """Return the number of further runs that the queue's workers could take."""
        return sum(max(group.free, 0) for group in self.workers if group.serves(queue))

    def is_served(self, queue: str) -> bool:
        """Return whether a living worker serves the queue."""
        return any(group.serves(queue) for group in self.workers)

    def is_open(self, pipeline: PipelineLimit) -> bool:
        """Return whether a request of the pipeline could be dispatched."""
        return self.free(pipeline.queue) > 0 and self.slots_left.get(pipeline.name, 1) > 0


@dataclass(frozen=True)
class FreeCapacity:
    """The number of free runs, of free slots per limited stage, and of free permits per vendor.

    `queues` is None if all pipelines share the default queue without limits.
    """

    runs: int
    slots: Mapping[PipelineStage, int]
    permits: Mapping[str, int]
    queues: QueueCapacity | None = None


def admit(candidates: Iterable[Candidate], free_capacity: FreeCapacity) -> list[Candidate]:
    """Return the admitted requests, in order, as many as the free capacity allows.

    The queue with the fewest requests at work goes first; among equals, the one served longest ago. Within a
    queue the highest priority goes first. Within a priority waiters are served in the order of asking, and the
    oldest of the limits' first waiters goes first. A request that lacks something does not delay others.
    """
    waiting: dict[tuple[str, Waiters | None], list[Candidate]] = defaultdict(list)
    for candidate in sorted(candidates, key=_admission_order, reverse=True):
        waiting[candidate.queue, candidate.waiters].append(candidate)
    slots, permits = dict(free_capacity.slots), dict(free_capacity.permits)
    queues = QueueSlots(free_capacity.queues)
    admitted: list[Candidate] = []
    while waiting and len(admitted) < free_capacity.runs:
        name = min(
            waiting,
            key=lambda group: (
                queues.share(group[0]),
                -waiting[group][-1].priority,
                waiting[group][-1].id,
            ),
        )
        first = waiting[name].pop()
        if not waiting[name]:
            del waiting[name]
        is_free = _is_free(first.slot, slots) and _is_free(first.permit, permits)
        if is_free and queues.take(first.queue, first.pipeline):
            _take(first.slot, slots)
            _take(first.permit, permits)
            admitted.append(first)
    return admitted


def _admission_order(candidate: Candidate) -> tuple[int, str, int]:
    return -candidate.priority, candidate.asked, candidate.id


def _is_free(key: Hashable, left: Mapping[Any, int]) -> bool:
    return left.get(key, 1) > 0


def _take(key: Hashable, left: dict[Any, int]) -> None:
    if key in left:
        left[key] -= 1


class QueueSlots:
    """The free slots of queues and pipelines during an admission; without a capacity, no limit."""

    def __init__(self, capacity: QueueCapacity | None) -> None:
        self._workers = None if capacity is None else list(capacity.workers)
        self._left = {} if capacity is None else dict(capacity.slots_left)
        self._at_work = {} if capacity is None else dict(capacity.at_work)
        served = () if capacity is None else capacity.served
        self._recency = {queue: recency for recency, queue in enumerate(reversed(served), 1)}

    def share(self, queue: str) -> tuple[int, int]:
        """Return the queue's requests at work, then how lately it was served; the lowest goes first."""
        return self._at_work.get(queue, 0), self._recency.get(queue, 0)

    def take(self, queue: str, pipeline: str) -> bool:
        """Take a slot for this queue and pipeline if one is free; return whether it was."""
        if self._workers is None:
            return True
        group = _find_most_special(self._workers, queue)
        if group is None or self._left.get(pipeline, 1) <= 0:
            return False
        self._workers[group] = _take_one(self._workers[group])
        self._at_work[queue] = self._at_work.get(queue, 0) + 1
        if pipeline in self._left:
            self._left[pipeline] -= 1
        return True


def after_dispatched(
    workers: Iterable[WorkerGroup], dispatched: Mapping[str, int]
) -> tuple[WorkerGroup, ...]:
    """Return the workers without the slots that dispatched requests, counted by queue, take."""
    groups = list(workers)
    for queue, count in sorted(dispatched.items()):
        for _ in range(count):
            group = _find_most_special(groups, queue)
            if group is None:
                break
            groups[group] = _take_one(groups[group])
    return tuple(groups)


def _find_most_special(workers: list[WorkerGroup], queue: str) -> int | None:
    """Find the index of the free workers with the fewest queues: the others can serve other queues too."""
    free = [i for i, group in enumerate(workers) if group.free > 0 and group.serves(queue)]
    return min(free, key=lambda i: _measure_breadth(workers[i]), default=None)


def _measure_breadth(group: WorkerGroup) -> tuple[bool, int]:
    return group.queues is None, len(group.queues or ())


def _take_one(group: WorkerGroup) -> WorkerGroup:
    return WorkerGroup(group.queues, group.free - 1)


def format_queues(queues: Collection[str] | None) -> str | None:
    """Format a worker's queues for its row; None for all."""
    return None if queues is None else _SEPARATOR.join(sorted(queues))


def parse_queues(text: str | None) -> frozenset[str] | None:
    """Parse the queues in a worker's row."""
    return None if text is None else frozenset(filter(None, text.split(_SEPARATOR)))


def format_slot_wait(stage: str) -> str:
    """Format the `waits_for` of a request that waits for a slot of the stage."""
    return f"{SLOT_PREFIX}{stage}"


def format_permit_wait(vendor: str) -> str:
    """Format the `waits_for` of a request that waits for a permit at the vendor."""
    return f"{PERMIT_PREFIX}{vendor}"


def format_final_status_wait(vendor: str) -> str:
    """Format the `waits_for` of a request that waits without a run for the vendor's final status."""
    return f"{FINAL_STATUS_PREFIX}{vendor}"


def format_approval_wait(stage: str) -> str:
    """Format the `waits_for` of a stage's approval; it is no limit, because `admit` does not admit it."""
    return f"{APPROVAL_PREFIX}{stage}"


def format_order_wait(task_id: str) -> str:
    """Format the `waits_for` of another request's result, shortened to fit; it is no limit."""
    return f"{ORDER_PREFIX}{task_id}"[:_LONGEST_WAIT]


def parse_slot_wait(waits_for: str | None) -> str | None:
    """Return the stage if `waits_for` names a slot of it."""
    return _parse_name(SLOT_PREFIX, waits_for)


def parse_permit_wait(waits_for: str | None) -> str | None:
    """Return the vendor if `waits_for` names a permit for it."""
    return _parse_name(PERMIT_PREFIX, waits_for)


def parse_final_status_wait(waits_for: str | None) -> str | None:
    """Return the vendor if `waits_for` names a final status of it."""
    return _parse_name(FINAL_STATUS_PREFIX, waits_for)


def parse_approval_wait(waits_for: str | None) -> str | None:
    """Return the stage if `waits_for` names its approval."""
    return _parse_name(APPROVAL_PREFIX, waits_for)


def parse_order_wait(waits_for: str | None) -> str | None:
    """Return the task_id of the other request if `waits_for` names its result."""
    return _parse_name(ORDER_PREFIX, waits_for)


def _parse_name(prefix: str, waits_for: str | None) -> str | None:
    if waits_for is None or not waits_for.startswith(prefix):
        return None
    return waits_for.removeprefix(prefix)


def is_waiting_for_limit(waits_for: str | None) -> bool:
    """Return whether `waits_for` names a limit."""
    return waits_for is not None and waits_for.startswith(
        (SLOT_PREFIX, PERMIT_PREFIX, FINAL_STATUS_PREFIX)
    )


@dataclass(frozen=True)
class RateWindow:
    """The vendor's calls that count at one moment; times are seconds since 1970, ascending.

    `refused_at` is when a question was last refused.
    """

    rate: Rate
    submissions: tuple[float, ...] = ()
    questions: tuple[float, ...] = ()
    refused_at: float = 0.0

    @classmethod
    def read(cls, text: str | None, rate: Rate, at: float) -> "RateWindow":
        """Parse the window stored as `text`, without calls that no longer count or lie in the future.

        So a clock that was set back blocks the window no longer than its length. A list is the format of earlier
        releases; its calls count as questions. Unreadable text is an empty window.
        """
        try:
            stored = json.loads(text or "{}")
            stored = {"questions": stored} if isinstance(stored, list) else stored
            submissions, questions = (
                tuple(
                    sorted(
                        float(call)
                        for call in stored.get(kind, ())
                        if at >= call > at - _MARGIN * rate.seconds
                    )
                )
                for kind in ("submissions", "questions")
            )
            refused = float(stored.get("refused_at", 0.0))
        except (ValueError, TypeError, AttributeError, RecursionError):
            return cls(rate)
        return cls(rate, submissions, questions, refused if refused <= at else 0.0)

    def text(self) -> str:
        """Format the window as text for `read`."""
        kept = {
            "submissions": self.submissions,
            "questions": self.questions,
            "refused_at": self.refused_at,
        }
        return json.dumps(kept)

    def room_for_submissions(self, at: float) -> int:
        """Return the number of submissions that may be sent at the moment `at`."""
        free = self._free(at)
        if at - self.refused_at < self.rate.seconds * _REFUSAL_MEMORY_SHARE:
            free = min(free, self._share - _count_since(self.submissions, at - self._seconds))
        return max(free, 0)

    def room_for_questions(self, at: float, *, submissions_wait: bool) -> int:
        """Return the number of questions that may be asked at the moment `at`."""
        free = self._free(at)
        if submissions_wait:
            free = min(
                free,
                max(self.rate.calls - self._share, 1)
                - _count_since(self.questions, at - self._seconds),
            )
        return max(free, 0)

    def next_submission_at(self, at: float, count: int = 1) -> float:
        """Return the first moment from `at` on when `count` submissions fit, if no other call is made."""
        if count > self.rate.calls:
            return at + self._seconds
        free = self._frees_at((*self.submissions, *self.questions), self.rate.calls - count)
        reserved_until = self.refused_at + self.rate.seconds * _REFUSAL_MEMORY_SHARE
        if count <= self._share:
            reserved_until = min(
                reserved_until, self._frees_at(self.submissions, self._share - count)
            )
        return max(at, free, reserved_until)

    def next_question_at(self, at: float) -> float:
        """Return the first moment from `at` on when a question fits."""
        return max(at, self._frees_at((*self.submissions, *self.questions), self.rate.calls - 1))

    def _frees_at(self, calls: tuple[float, ...], most: int) -> float:
        """Return when at most `most` of the calls still count."""
        surplus = len(calls) - most
        return 0.0 if surplus <= 0 else sorted(calls)[surplus - 1] + self._seconds

    def with_submission(self, at: float) -> "RateWindow":
        """Return the window with one more submission."""
        return replace(self, submissions=(*self.submissions, at))

    def with_question(self, at: float) -> "RateWindow":
        """Return the window with one more question."""
        return replace(self, questions=(*self.questions, at))

    def with_refusal(self, at: float) -> "RateWindow":
        """Return the window after a refused question."""
        return replace(self, refused_at=at)

    @property
    def _seconds(self) -> float:
        return self.rate.seconds * _MARGIN

    @property
    def _share(self) -> int:
        """The submissions' share of the window while questions wait."""
        return ceil(self.rate.calls / 3)

    def _free(self, at: float) -> int:
        since = at - self._seconds
        return (
            self.rate.calls
            - _count_since(self.submissions, since)
            - _count_since(self.questions, since)
        )


def _count_since(calls: tuple[float, ...], moment: float) -> int:
    return len(calls) - bisect_right(calls, moment)
