"""A request as one look at its row, for tests that decide and touch no database."""

from datetime import UTC, datetime, timedelta

from resources.ledger.request import Request
from resources.ledger.schema.tables import Status

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
EARLIER = NOW - timedelta(seconds=30)

DISPATCHED = Request(
    id=1,
    task_id="r",
    pipeline="song_video",
    payload="{}",
    status=Status.DISPATCHED,
    stage=None,
    seq=2,
    attempt=1,
    retry_count=0,
    max_retries=3,
    deaths=0,
    priority=0,
    not_before=None,
    owner=None,
    source="test",
    callback_url=None,
    run_id="other-run",
    lease_owner=None,
    lease_until=None,
    fence=0,
    cancel_requested=False,
    error_code=None,
    error_message=None,
    created_at=EARLIER,
    updated_at=EARLIER,
    dispatched_at=EARLIER,
    completed_at=None,
    last_failed_at=None,
    waits_for=None,
    asked_at=None,
    slot=None,
    permit=None,
    unique_key=None,
    hold=None,
    hold_seconds=None,
    hold_then=None,
    scheduled_at=None,
    callbacks=0,
)
