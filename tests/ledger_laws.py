"""What has to hold of every request at any moment, read from the outside."""

from collections import Counter
from itertools import pairwise

from resources.ledger.queries.status import EventView
from resources.ledger.request import Request
from resources.ledger.rules import TRANSITIONS
from resources.ledger.schema.tables import FOLDED, LIVE_JOBS, TERMINAL, StageStatus, Status
from tests.fold import fold
from tests.ledger_steps import Steps
from tests.retries import retries_told

_FREE = ("created", "edited")
_OUT_OF_THE_END = {
    *("retried", "redone", "replayed", "edited", "resolved", "callback_heard", "corrected"),
    *("redriven", "cover_chosen", "submitted", "submission_failed", "submission_succeeded"),
}


def assert_laws(steps: Steps, task_id: str = "r") -> None:
    """Every law holds of this request."""
    row, events = steps.row(task_id), steps.events(task_id)
    _transitions_are_legal(events)
    _events_are_a_chain(events)
    _the_end_is_final(events)
    _attempts_never_go_back(events)
    _events_fold_to_the_row(row, events)
    _one_live_submission(steps, task_id)
    _one_open_attempt(steps, task_id)
    _leases_belong_to_work(row)
    _completed_means_every_stage(steps, row, events)
    _retries_are_of_the_stage(row, events)


def edges(events: list[EventView]) -> set[tuple[str, Status, Status]]:
    """The transitions that were made, without what people did by hand."""
    return {
        (event.type, Status(event.before), Status(event.after))
        for event in events
        if event.type not in _FREE and event.before is not None
    }


def _transitions_are_legal(events: list[EventView]) -> None:
    for kind, before, after in edges(events):
        assert (before, after) in TRANSITIONS[kind], f"{kind}: {before} -> {after}"


def _events_are_a_chain(events: list[EventView]) -> None:
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert events[0].type == "created"
    for earlier, later in pairwise(events):
        assert later.before == earlier.after, (earlier, later)


def _the_end_is_final(events: list[EventView]) -> None:
    for event in events:
        if event.before in TERMINAL and event.type not in _OUT_OF_THE_END:
            # A run started by hand takes up a dead request where nobody holds it.
            assert (event.type, event.before) == ("claimed", Status.DEAD)


def _attempts_never_go_back(events: list[EventView]) -> None:
    attempt = 0
    for event in events:
        now = event.data["set"].get("attempt", attempt)
        assert now >= attempt or event.type == "edited", event
        attempt = now


def _events_fold_to_the_row(row: Request, events: list[EventView]) -> None:
    assert fold([event.data for event in events]) == {name: getattr(row, name) for name in FOLDED}
    assert row.seq == events[-1].seq


def _one_live_submission(steps: Steps, task_id: str) -> None:
    jobs = steps.jobs(task_id)
    live = Counter((job.stage, job.generation) for job in jobs if job.status in LIVE_JOBS)
    assert all(count == 1 for count in live.values()), live


def _one_open_attempt(steps: Steps, task_id: str) -> None:
    assert sum(attempt.ended_at is None for attempt in steps.attempts(task_id)) <= 1


def _leases_belong_to_work(row: Request) -> None:
    if row.status is not Status.PROCESSING:
        assert (row.lease_owner, row.lease_until) == (None, None)


def _completed_means_every_stage(steps: Steps, row: Request, events: list[EventView]) -> None:
    entries = [event for event in events if event.after != event.before]
    # An operator may have typed the status.
    if row.status is Status.COMPLETED and entries[-1].type == "completed":
        newest = {stage.stage: stage.status for stage in steps.stages(row.task_id)}
        assert set(newest.values()) == {StageStatus.COMPLETED}, newest


def _retries_are_of_the_stage(row: Request, events: list[EventView]) -> None:
    assert row.retry_count == retries_told((event.type, event.data) for event in events)
