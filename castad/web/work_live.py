"""What the page of a work shows that is being made, or waits for its turn."""

from collections.abc import Sequence
from dataclasses import dataclass

from castad.api.state import Api
from castad.readmodels.events import LiveProgress, ProgressReader
from castad.readmodels.snapshot import Snapshot
from castad.readmodels.status_body import StatusBody
from castad.web.refusals import Refusal
from castad.web.remedies import (
    error_sentence,
    get_paused_provider,
    retry_sentence,
    waiting_sentence,
)
from castad.web.texts import Translator
from castad.web.work_view import StageLine, stage_lines


@dataclass(frozen=True)
class Live:
    """A work that is being made, or waits for its turn."""

    stages: Sequence[StageLine]
    percent: int
    note: str
    expected: float | None
    waiting: str | None
    retry: str | None
    error: Refusal | None
    paused: str | None
    limit: float | None


def live_of(api: Api, snapshot: Snapshot, status: StatusBody, translate: Translator) -> Live:
    """The work as it is being made."""
    order = snapshot.request
    found: LiveProgress | None = ProgressReader(api.db).read({order.id}).get(order.id)
    return Live(
        stages=stage_lines(status, snapshot.pipeline, translate),
        percent=status.progress if found is None else found.percent,
        note="" if found is None else found.note,
        expected=status.expected_wait_seconds if found is None else found.expected_seconds,
        waiting=waiting_sentence(status, translate),
        retry=retry_sentence(status, translate),
        error=error_sentence(status, translate),
        paused=get_paused_provider(status),
        limit=api.settings.max_cost,
    )
