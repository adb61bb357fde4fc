"""Decide purely what may be dispatched: limits, fairness and rates.

A vendor's rate is a sliding window over its calls, and every call counts (docs/vendors/suno.md,
docs/vendors/creatomate.md). A *submission* costs money and waits for a permit. A *question* (a job's status, its
captions, a dry run) follows a submission or precedes it. While both wait, submissions may use a third of the
window and questions two thirds, because at least two questions follow each submission. Either may use the whole
window while the other does not wait.
"""

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from math import ceil

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


@dataclass(frozen=True)
class Limit:
    """A number of requests at work at once, or of calls to a vendor within `seconds`.

    The name is `pipeline:<name>`, `stage:<pipeline>.<stage>`, `vendor:<name>`, or `worker:<queues>` for the
    workers that serve the same queues.
    """

    name: str
    capacity: int
    seconds: int | None = None


@dataclass(frozen=True)
class Limits:
    """The limits of runs, pipelines, stages and vendors.

    `on_demand` is the number of runs of the worker that is started while none is alive; 0 where none would be.
    `queues` names the queue of each pipeline, `first_stages` the first stage of each.
    """

    on_demand: int = 0
    lease_seconds: float = 0.0
    limits: tuple[Limit, ...] = ()
    queues: tuple[tuple[str, str], ...] = ()
    first_stages: tuple[tuple[str, str], ...] = ()

    @property
    def queue_names(self) -> tuple[str, ...]:
        """All queues, the default one first."""
        return tuple(dict.fromkeys((DEFAULT_QUEUE, *(queue for _, queue in self.queues))))

    def get_queue(self, pipeline: str) -> str:
        """Get the queue of a pipeline; the default one where it is unknown, since SQL can write any name."""
        return dict(self.queues).get(pipeline, DEFAULT_QUEUE)


@dataclass(frozen=True)
class Candidate:
    """A due request, and the names of the limits that it needs, the most special one last.

    `asked` is when it first asked, as text that sorts; `queue` is that of its pipeline.
    """

    id: int
    priority: int
    asked: str
    needs: tuple[str, ...] = ()
    queue: str = DEFAULT_QUEUE


@dataclass(frozen=True)
class Room:
    """What is free of each limit, and what decides between queues.

    `workers` are the limits of the workers that serve each queue, the most special one first; `at_work` counts the
    requests at work of each queue, and `served` are the queues that were served lately, the last one first.
    """

    free: Mapping[str, int]
    workers: Mapping[str, tuple[str, ...]]
    at_work: Mapping[str, int] = field(default_factory=dict)
    served: tuple[str, ...] = ()

    @property
    def free_runs(self) -> int:
        """The number of further runs that all workers could take."""
        return sum(max(self.free[name], 0) for name in {*chain(*self.workers.values())})

    def count_free(self, queue: str) -> int:
        """Count the further runs that the queue's workers could take."""
        return sum(max(self.free[name], 0) for name in self.workers.get(queue, ()))

    def is_served(self, queue: str) -> bool:
        """Return whether a living worker serves the queue."""
        return bool(self.workers.get(queue))


def admit(candidates: Iterable[Candidate], room: Room, at_most: int) -> list[Candidate]:
    """Return the admitted requests, in order: each takes one of every limit that it needs, and of a worker.

    The queue with the fewest requests at work goes first; among equals, the one served longest ago. Within a
    queue the highest priority goes first. Within a priority those that need the same limit are served in the
    order of asking, and the oldest of the limits' first ones goes first. A request that lacks something does not
    delay others.
    """
    free, at_work = dict(room.free), Counter(room.at_work)
    recency = {queue: number for number, queue in enumerate(reversed(room.served), 1)}
    lines: dict[tuple[str, str | None], list[Candidate]] = defaultdict(list)
    for each in sorted(candidates, key=lambda it: (-it.priority, it.asked, it.id), reverse=True):
        lines[each.queue, next((n for n in reversed(each.needs) if n in free), None)].append(each)
    admitted: list[Candidate] = []
    while lines and len(admitted) < at_most:
        name, line = min(
            lines.items(),
            key=lambda item: (
                at_work[item[0][0]],
                recency.get(item[0][0], 0),
                -item[1][-1].priority,
                item[1][-1].id,
            ),
        )
        first = line.pop()
        if not line:
            del lines[name]
        worker = find_free_worker(room.workers, free, first.queue)
        needs = [need for need in first.needs if need in free]
        if worker is not None and all(free[need] > 0 for need in needs):
            for taken in (worker, *needs):
                free[taken] -= 1
            at_work[first.queue] += 1
            admitted.append(first)
    return admitted


def find_free_worker(
    workers: Mapping[str, tuple[str, ...]], free: Mapping[str, int], queue: str
) -> str | None:
    """Find the most special workers of the queue with a free slot: the others can serve other queues too."""
    return next((name for name in workers.get(queue, ()) if free[name] > 0), None)


def rank_workers(
    served: Mapping[str, frozenset[str] | None], queues: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Rank the limits of workers for each queue, the most special first; `served` None stands for all queues."""
    ranked = sorted(served.items(), key=lambda it: (it[1] is None, len(it[1] or ()), it[0]))
    return {
        queue: tuple(name for name, of in ranked if of is None or queue in of) for queue in queues
    }


def format_queues(queues: Collection[str] | None) -> str | None:
    """Format a worker's queues for its row; None for all."""
    return None if queues is None else _SEPARATOR.join(sorted(queues))


def parse_queues(text: str | None) -> frozenset[str] | None:
    """Parse the queues in a worker's row."""
    return None if text is None else frozenset(filter(None, text.split(_SEPARATOR)))


def format_wait(prefix: str, name: str) -> str:
    """Format the `waits_for` of this kind, shortened to fit its column."""
    return f"{prefix}{name}"[:_LONGEST_WAIT]


def parse_wait(prefix: str, waits_for: str | None) -> str | None:
    """Return the name in `waits_for` if it is of this kind: a stage, a vendor or a task_id."""
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

        So a clock that was set back blocks the window no longer than its length. Unreadable text is an empty
        window.
        """
        try:
            stored = json.loads(text or "{}")
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
