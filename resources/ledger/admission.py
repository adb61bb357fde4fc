"""Which waiting requests are admitted to free slots and permits. Pure."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from resources.ledger.worker_queues import DEFAULT_QUEUE, QueueCapacity, QueueSlots

SLOT_PREFIX = "slot:"
PERMIT_PREFIX = "permit:"
FINAL_STATUS_PREFIX = "final_status:"
APPROVAL_PREFIX = "approval:"
ORDER_PREFIX = "order:"
SAME_ORDER = "order"
"""What all requests that wait for another one's result are counted under."""
_LONGEST_WAIT = 64
SETTINGS = "settings"
"""What a request waits for, as `waits_for` names it, whose order these settings cannot fulfill."""


class PipelineStage(NamedTuple):
    """A stage of a pipeline, as its slots are counted: another pipeline may have a stage of the same name."""

    pipeline: str
    stage: str

    @property
    def waiters(self) -> "Waiters":
        """The waiters for its slots."""
        return Waiters(format_slot_wait(self.stage), self.pipeline)


class Waiters(NamedTuple):
    """The requests with this `waits_for`: those of one pipeline, or of all where `pipeline` is None."""

    name: str
    pipeline: str | None = None


def format_slot_wait(stage: str) -> str:
    """The `waits_for` of a request that waits for a slot of the stage."""
    return f"{SLOT_PREFIX}{stage}"


def format_permit_wait(vendor: str) -> str:
    """The `waits_for` of a request that waits for a permit at the vendor."""
    return f"{PERMIT_PREFIX}{vendor}"


def format_final_status_wait(vendor: str) -> str:
    """The `waits_for` of a request that waits without a run for the vendor's final status of a submission."""
    return f"{FINAL_STATUS_PREFIX}{vendor}"


def parse_slot_wait(waits_for: str | None) -> str | None:
    """The stage, if a slot of it is waited for."""
    return _name_after(SLOT_PREFIX, waits_for)


def parse_permit_wait(waits_for: str | None) -> str | None:
    """The vendor, if a permit for it is waited for."""
    return _name_after(PERMIT_PREFIX, waits_for)


def parse_final_status_wait(waits_for: str | None) -> str | None:
    """The vendor, if one of its final statuses is waited for."""
    return _name_after(FINAL_STATUS_PREFIX, waits_for)


def approval_of(stage: str) -> str:
    """A person's approval of the stage, as `waits_for` names it; it is no limit, since nothing admits it."""
    return f"{APPROVAL_PREFIX}{stage}"


def stage_of_approval(waits_for: str | None) -> str | None:
    """The stage, if its approval is waited for."""
    return _name_after(APPROVAL_PREFIX, waits_for)


def order_of(task_id: str) -> str:
    """The result of another request, as `waits_for` names it, as far as its name fits; it is no limit."""
    return f"{ORDER_PREFIX}{task_id}"[:_LONGEST_WAIT]


def order_waited_for(waits_for: str | None) -> str | None:
    """The task_id of the other request, if its result is waited for."""
    return _name_after(ORDER_PREFIX, waits_for)


def _name_after(prefix: str, waits_for: str | None) -> str | None:
    if waits_for is None or not waits_for.startswith(prefix):
        return None
    return waits_for.removeprefix(prefix)


def is_waiting_for_limit(waits_for: str | None) -> bool:
    """Whether `waits_for` names a limit."""
    return waits_for is not None and waits_for.startswith(
        (SLOT_PREFIX, PERMIT_PREFIX, FINAL_STATUS_PREFIX)
    )


@dataclass(frozen=True)
class Candidate:
    """A due request, and what it needs beyond a worker's slot.

    `asked` is when it first asked, as text that sorts; `slot` is its stage, if the slots of that stage are
    limited; `permit` is the vendor whose permit it waits for; `queue` is that of its pipeline.
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
        """The waiters it is one of; those for one limit are admitted in the order of asking."""
        if self.permit is not None:
            return Waiters(format_permit_wait(self.permit))
        return None if self.slot is None else self.slot.waiters


@dataclass(frozen=True)
class FreeCapacity:
    """The number of free runs, of free slots per limited stage, and of free permits per vendor.

    `queues` is None where all pipelines share the default queue without limits.
    """

    runs: int
    slots: Mapping[PipelineStage, int]
    permits: Mapping[str, int]
    queues: QueueCapacity | None = None


def admit(candidates: Iterable[Candidate], free_capacity: FreeCapacity) -> list[Candidate]:
    """The admitted requests, in order, as many as the free capacity allows.

    Queues are served in turn: the one with the fewest requests at work goes first, of several the one that was
    served longest ago. Within a queue the highest priority goes first. Within a priority waiters are served
    in the order of asking, and of the limits' first waiters the oldest goes first. A request that lacks something
    does not hold up others.
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
