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
    """The highest number of requests at work at once, or of calls to a vendor within `seconds`.

    `seconds` is None for a limit of requests. The name is `pipeline:<name>`, `stage:<pipeline>.<stage>`,
    `vendor:<name>`, or `worker:<queues>` for the workers that serve the same queues.
    """

    name: str
    capacity: int
    seconds: int | None = None


@dataclass(frozen=True)
class Limits:
    """The limits of runs, pipelines, stages and vendors.

    `on_demand` is the number of runs of the worker that is started if none is alive; 0 if none would be
    started. `queues` are pairs of pipeline and queue, `first_stages` pairs of pipeline and first stage.
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
        """Return the queue of a pipeline; the default queue if the pipeline is unknown."""
        return dict(self.queues).get(pipeline, DEFAULT_QUEUE)


@dataclass(frozen=True)
class Candidate:
    """A due request, with the names of the limits that it needs, the most specific one last.

    `asked` is when it first asked for a limit, as text that sorts; `queue` is that of its pipeline.
    """

    id: int
    priority: int
    asked: str
    needs: tuple[str, ...] = ()
    queue: str = DEFAULT_QUEUE


@dataclass(frozen=True)
class Room:
    """The free capacity of each limit, and the data that decide which queue is next.

    `free` has the number of free places by limit name; it can be negative. `workers` has, for each queue, the
    names of the limits of the workers that serve it; the worker with the fewest queues comes first. `at_work`
    has the number of dispatched and processing requests of each queue. `served` has the queues of the latest
    dispatches, the last one first.
    """

    free: Mapping[str, int]
    workers: Mapping[str, tuple[str, ...]]
    at_work: Mapping[str, int] = field(default_factory=dict)
    served: tuple[str, ...] = ()

    @property
    def free_run_count(self) -> int:
        """The number of further runs that all workers could take."""
        return sum(max(self.free[name], 0) for name in {*chain(*self.workers.values())})

    def count_free(self, queue: str) -> int:
        """Count the further runs that the queue's workers could take."""
        return sum(max(self.free[name], 0) for name in self.workers.get(queue, ()))

    def is_served(self, queue: str) -> bool:
        """Return whether a living worker serves the queue."""
        return bool(self.workers.get(queue))


def admit(candidates: Iterable[Candidate], room: Room, at_most: int) -> list[Candidate]:
    """Choose up to `at_most` candidates to dispatch, in this order; each takes one of every limit that it needs.

    Each also takes one slot of a worker. The queue with the fewest requests at work goes first; among equals,
    the one served longest ago. Within a queue the highest priority goes first. Within a priority those that
    need the same limit are served in the order of asking, and the oldest first one of all limits goes first.
    A request that lacks something does not delay others.
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
    """Return the limit of the most specific workers of the queue that have a free slot; None if there is none.

    Workers that serve several queues are kept free for the other queues.
    """
    return next((name for name in workers.get(queue, ()) if free[name] > 0), None)


def rank_workers(
    served: Mapping[str, frozenset[str] | None], queues: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Return, for each queue, the limits of the workers that serve it, those that serve the fewest queues first.

    `served` has the queues of each limit, None for all queues.
    """
    ranked = sorted(served.items(), key=lambda it: (it[1] is None, len(it[1] or ()), it[0]))
    return {
        queue: tuple(name for name, of in ranked if of is None or queue in of) for queue in queues
    }


def format_queues(queues: Collection[str] | None) -> str | None:
    """Format the queues that a worker serves as text for its row; None, for all queues, stays None."""
    return None if queues is None else _SEPARATOR.join(sorted(queues))


def parse_queues(text: str | None) -> frozenset[str] | None:
    """Parse the text in a worker's row to the queues that it serves; None stands for all queues."""
    return None if text is None else frozenset(filter(None, text.split(_SEPARATOR)))


def format_wait(prefix: str, name: str) -> str:
    """Format the value of the column `waits_for` from its prefix and name, shortened to fit the column."""
    return f"{prefix}{name}"[:_LONGEST_WAIT]


def parse_wait(prefix: str, waits_for: str | None) -> str | None:
    """Return the name that follows the prefix in `waits_for`: a stage, a vendor or a task_id.

    None if `waits_for` is None or begins with another prefix.
    """
    if waits_for is None or not waits_for.startswith(prefix):
        return None
    return waits_for.removeprefix(prefix)


def is_waiting_for_limit(waits_for: str | None) -> bool:
    """Return whether this value of `waits_for` names a slot, a permit or a vendor's final status."""
    return waits_for is not None and waits_for.startswith(
        (SLOT_PREFIX, PERMIT_PREFIX, FINAL_STATUS_PREFIX)
    )


@dataclass(frozen=True)
class RateWindow:
    """The calls to a vendor that count against its rate limit at one moment.

    Submissions cost money; questions are all other calls, such as status requests. All times are seconds
    since 1970, the calls in ascending order. `refused_at` is when a question was last refused.
    """

    rate: Rate
    submissions: tuple[float, ...] = ()
    questions: tuple[float, ...] = ()
    refused_at: float = 0.0

    @classmethod
    def read(cls, text: str | None, rate: Rate, at: float) -> "RateWindow":
        """Parse the window stored as `text`, without calls that no longer count at the time `at`.

        Drops calls in the future too, so that a clock that was set back blocks the window no longer than its
        length. Returns an empty window for None or unreadable text.
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
        """Format the window as JSON text, which `read` parses."""
        kept = {
            "submissions": self.submissions,
            "questions": self.questions,
            "refused_at": self.refused_at,
        }
        return json.dumps(kept)

    def count_room_for_submissions(self, at: float) -> int:
        """Return the number of submissions that may be sent at the time `at`; 0 if none.

        Shortly after a refused question, the questions' share of the window stays free.
        """
        free = self._free(at)
        if at - self.refused_at < self.rate.seconds * _REFUSAL_MEMORY_SHARE:
            free = min(free, self._share - _count_since(self.submissions, at - self._seconds))
        return max(free, 0)

    def count_room_for_questions(self, at: float, *, submissions_wait: bool) -> int:
        """Return the number of questions that may be sent at the time `at`; 0 if none.

        While submissions wait, their share of the window stays free.
        """
        free = self._free(at)
        if submissions_wait:
            free = min(
                free,
                max(self.rate.calls - self._share, 1)
                - _count_since(self.questions, at - self._seconds),
            )
        return max(free, 0)

    def find_next_submission_at(self, at: float, count: int = 1) -> float:
        """Return the earliest time, `at` or later, at which `count` submissions fit if no other call is made."""
        if count > self.rate.calls:
            return at + self._seconds
        free = self._frees_at((*self.submissions, *self.questions), self.rate.calls - count)
        reserved_until = self.refused_at + self.rate.seconds * _REFUSAL_MEMORY_SHARE
        if count <= self._share:
            reserved_until = min(
                reserved_until, self._frees_at(self.submissions, self._share - count)
            )
        return max(at, free, reserved_until)

    def find_next_question_at(self, at: float) -> float:
        """Return the earliest time, `at` or later, at which a question may be sent, if no other call is made."""
        return max(at, self._frees_at((*self.submissions, *self.questions), self.rate.calls - 1))

    def _frees_at(self, calls: tuple[float, ...], most: int) -> float:
        """Return the time from which no more than `most` of the calls count; 0.0 if that holds already."""
        surplus = len(calls) - most
        return 0.0 if surplus <= 0 else sorted(calls)[surplus - 1] + self._seconds

    def with_submission(self, at: float) -> "RateWindow":
        """Return a copy of the window with one more submission, sent at the time `at`."""
        return replace(self, submissions=(*self.submissions, at))

    def with_question(self, at: float) -> "RateWindow":
        """Return a copy of the window with one more question, sent at the time `at`."""
        return replace(self, questions=(*self.questions, at))

    def with_refusal(self, at: float) -> "RateWindow":
        """Return a copy of the window with `at` as the time of the last refused question."""
        return replace(self, refused_at=at)

    @property
    def _seconds(self) -> float:
        """The seconds for which a call counts: the vendor's window plus a safety margin."""
        return self.rate.seconds * _MARGIN

    @property
    def _share(self) -> int:
        """The number of submissions that the window admits while questions wait: a third of the calls."""
        return ceil(self.rate.calls / 3)

    def _free(self, at: float) -> int:
        """Return the number of further calls of either kind that the vendor's rate admits at the time `at`."""
        since = at - self._seconds
        return (
            self.rate.calls
            - _count_since(self.submissions, since)
            - _count_since(self.questions, since)
        )


def _count_since(calls: tuple[float, ...], moment: float) -> int:
    """Return the number of calls after this moment."""
    return len(calls) - bisect_right(calls, moment)
