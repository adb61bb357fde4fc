"""Laws of orders: each is there once, ends, and stays canceled. Pure."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

from resources.ledger.schema.tables import TERMINAL, JobStatus, Status
from resources.ledger.transitions.core import ROW_UNUSABLE
from tests.chaos.history import UNKNOWN, History, Placed, Row, Story

_BACK = ("retried", "redone", "resolved", "replayed", "edited", "corrected", "redriven")
_VENDOR_CLOCK = timedelta(seconds=1)


def orders_end(history: History) -> Iterator[str]:
    for story in history.stories:
        row = story.request
        unknown = row["status"] == Status.FAILED and row["error_code"] == UNKNOWN
        if row["status"] not in TERMINAL and not unknown:
            yield f"{story.task_id} is {row['status']} ({row['error_code']}) when all is quiet"


def deaths_are_explained(history: History) -> Iterator[str]:
    """Faults that are sat out must not kill an order: only a submission nobody heard of, or two failures, may.

    What an operator has spoiled may be dead of that.
    """
    for story in history.stories:
        row = story.request
        code = row["error_code"]
        is_spoiled = code == ROW_UNUSABLE and story.task_id in history.spoiled
        is_explained = code == UNKNOWN or is_spoiled or _count_failures(story, code) > 1
        if row["status"] == Status.DEAD and not is_explained:
            yield f"{story.task_id} is dead: {row['error_code']}: {row['error_message']}"


def _count_failures(story: Story, code: str) -> int:
    """How many submissions the vendor took, gave a number, and then failed for this reason."""
    return sum(
        job["status"] == JobStatus.FAILED and job["error_code"] == code and bool(job["external_id"])
        for job in story.jobs
    )


def rows_were_ordered(history: History) -> Iterator[str]:
    ordered = {placed.task_id for placed in history.placed} | history.spoiled
    stories = {story.task_id for story in history.stories}
    for task_id in sorted(stories - ordered):
        yield f"{task_id} was never ordered"
    accepted = {each.task_id for each in history.placed if each.outcome in ("made", "known")}
    for task_id in sorted(accepted - stories - history.deleted):
        yield f"{task_id} was accepted and is not there"


def orders_are_one(history: History) -> Iterator[str]:
    answers: dict[tuple[str, int], list[tuple[str, Row]]] = defaultdict(list)
    for placed in history.placed:
        of_order = placed.task_id, _deleted_before(history, placed)
        answers[of_order].append((placed.outcome, placed.payload))
    for (task_id, _), given in sorted(answers.items()):
        made = [payload for outcome, payload in given if outcome == "made"]
        if len(made) > 1:
            yield f"{task_id} was made {len(made)} times"
        taken = [payload for outcome, payload in given if outcome in ("made", "known")]
        refused = [payload for outcome, payload in given if outcome == "refused"]
        if any(payload != taken[0] for payload in taken):
            yield f"{task_id} was taken for another order than it is"
        if any(payload in taken for payload in refused):
            yield f"{task_id} was refused though it is the same order"
    for story in history.stories:
        created = sum(event["type"] == "created" for event in story.events)
        if created != 1:
            yield f"{story.task_id} was created {created} times"


def _deleted_before(history: History, placed: Placed) -> int:
    """How often an order of the name was deleted before; then it is a new one."""
    return sum(
        each.task_id == placed.task_id and each.outcome == "deleted" and each.at < placed.at
        for each in history.deletions
    )


def cancels_hold(history: History) -> Iterator[str]:
    for story in history.stories:
        canceled_at: datetime | None = None
        for event in story.events:
            if event["type"] == "canceled":
                canceled_at = event["at"]
            elif event["type"] in _BACK:
                canceled_at = None
            elif canceled_at is not None:
                yield f"{story.at(event)}: it had been canceled"
        if canceled_at is not None:
            yield from _charged_after(history, story, canceled_at + _VENDOR_CLOCK)
    statuses = {story.task_id: story.request["status"] for story in history.stories}
    for cancel in history.cancels:
        if cancel.task_id in history.deleted:
            continue
        if cancel.outcome == Status.CANCELED and statuses.get(cancel.task_id) != Status.CANCELED:
            yield f"{cancel.task_id} was said to be canceled and is {statuses.get(cancel.task_id)}"


def _charged_after(history: History, story: Story, moment: datetime) -> Iterator[str]:
    for job in story.jobs:
        for charge in history.charges_by_token.get(job["token"], ()):
            if charge.at > moment:
                yield f"{story.named(job)} was charged after it had been canceled"
