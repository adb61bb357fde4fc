"""Each lock of a transition: it waits before it reads and writes, or passes by what is locked elsewhere."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import OperationalError

from resources.contract.protocol import Rate
from resources.ledger.db.database import Database
from resources.ledger.db.retry import AdvisoryLock
from resources.ledger.ledger_errors import LeaseLostError
from resources.ledger.limits import Limit, Limits
from resources.ledger.rules import FailureAction
from resources.ledger.schema.tables import JobStatus
from resources.ledger.transitions import dispatch as dispatch_transitions
from resources.ledger.transitions.access import save_draft, save_profile
from resources.ledger.transitions.approval import end_expired_holds
from resources.ledger.transitions.core import dead_letter_unusable_request
from resources.ledger.transitions.dispatch import acquire_permit, acquire_unpaid_call
from resources.ledger.transitions.housekeeping import (
    pause_provider,
    prune_files,
    purge_requests,
    save_log_pruned,
    save_report,
)
from resources.ledger.transitions.jobs import Budget, save_orphan_if_deleted
from resources.ledger.transitions.rescue import (
    list_unclaimed_requests,
    recover_worker,
    renew_leases,
    requeue_request,
)
from resources.ledger.transitions.source_checks import save_source_use
from resources.ledger.transitions.webhooks import claim_delivery
from tests.ledger_steps import LEASE_SECONDS, POISON, Steps

Hold = Callable[[Connection], Any]

_RATE = Rate(2, 60)
_ONE_SLOT = Limits(
    10,
    LEASE_SECONDS,
    (Limit("stage:song_video.lyric", 1),),
    first_stages=(("song_video", "lyric"),),
)
_WRITES = "INSERT|UPDATE |DELETE"


def row(table: str, how: str = "KEY SHARE", condition: str = "true") -> Hold:
    """Hold the rows as a statement does that only refers to them: whoever is about to change them waits."""
    query = text(f"SELECT 1 FROM {table} WHERE {condition} FOR {how}")
    return lambda tx: tx.execute(query).all()


def advisory(lock: AdvisoryLock, name: str | None = None) -> Hold:
    return lambda tx: lock.take(tx, name)


def put_lapsed(steps):
    steps.working()
    steps.run_out()


def put_made_stage(steps):
    lease = steps.working()
    steps.make_stage(lease, "lyric")
    return lease


def put_begun(steps):
    lease = steps.working()
    return lease, steps.begin(lease)


def put_intent(steps):
    lease, entry = put_begun(steps)
    return lease, entry, steps.save_intent(lease, entry)


def put_completed(steps):
    steps.completed()
    return steps.row().id


def put_film(steps):
    steps.filmed()
    return steps.row().id


def put_vendor(steps):
    pause_provider(steps.db, "vendor", "", 0)
    return steps.working()


def put_unclaimed(steps):
    steps.order()
    steps.dispatch()
    return steps.row()


def put_expired_hold(steps):
    steps.held(hold_seconds=1)
    steps.edit("not_before = now()")


def put_webhook(steps):
    steps.order(callback_url="https://shop.example/hook")
    steps.fail(steps.take(), FailureAction.DEAD_LETTER)


def dead_letter(steps, ordered):
    with steps.db.writing() as tx:
        dead_letter_unusable_request(tx, ordered.id, ValueError("unusable"))


def purge(steps, key):
    return list(purge_requests(steps.db, [key], lambda ended: True).requests)


def prune(steps, key):
    return list(prune_files(steps.db, [key], lambda ended: True).requests)


def renew(steps, lease):
    keys = [lease.request_id]
    return renew_leases(steps.db, lease.owner, keys, lease_seconds=LEASE_SECONDS)


_DISPATCH = advisory(AdvisoryLock.DISPATCH)
_LYRIC_SLOTS = advisory(AdvisoryLock.SLOTS, "song_video.lyric")
_RETENTION = advisory(AdvisoryLock.RETENTION)
_ROW = row("requests")
_VENDOR = row("providers", "UPDATE")

WAITING = {
    "the dispatcher for another one": (
        *(_DISPATCH, lambda s: s.order()),
        *(lambda s, _: dispatch_transitions.dispatch_due_requests(s.db, _ONE_SLOT), "requests"),
    ),
    "the dispatcher for the slots of a stage": (
        *(_LYRIC_SLOTS, lambda s: s.order()),
        *(lambda s, _: dispatch_transitions.dispatch_due_requests(s.db, _ONE_SLOT), "requests"),
    ),
    "a claim for the slots of its pipeline": (
        *(_DISPATCH, lambda s: s.order(), lambda s, _: s.claim(slots=1), "requests"),
    ),
    "a claim for the row": (_ROW, put_lapsed, lambda s, _: s.claim(owner="worker:2"), _WRITES),
    "an act for the row": (_ROW, lambda s: s.order(), lambda s, _: s.cancel(), _WRITES),
    "a failure for the row": (_ROW, lambda s: s.working(), lambda s, it: s.fail(it), _WRITES),
    "a stage for a slot": (
        *(_LYRIC_SLOTS, lambda s: s.working(), lambda s, it: s.begin(it, "lyric", 1), "has_one"),
    ),
    "a stage that is done for the row": (
        *(_ROW, put_made_stage, lambda s, lease: s.begin(lease, "lyric"), _WRITES),
    ),
    "an intent for the day's budget": (
        *(advisory(AdvisoryLock.BUDGET), put_begun),
        *(lambda s, it: s.save_intent(*it, budget=Budget(day=1_000_000)), r"sum\("),
    ),
    "an acceptance for the vendor's id": (
        *(advisory(AdvisoryLock.EXTERNAL_ID, "vendor x1"), put_intent),
        lambda s, it: s.settle(*it, JobStatus.SUBMITTED, external_id="x1"),
        r"external_id =",
    ),
    "an orphan for the row": (
        *(_ROW, put_intent, lambda s, it: save_orphan_if_deleted(s.db, *it), _WRITES),
    ),
    "a profile for the owner's others": (
        *(advisory(AdvisoryLock.PROFILES, "shop song_video"), lambda s: None),
        *(lambda s, _: save_profile(s.db, "shop", "song_video", "Mina", {}), "profiles"),
    ),
    "an unsent form for the owner's others": (
        *(advisory(AdvisoryLock.PROFILES, "shop song_video"), lambda s: None),
        *(lambda s, _: save_draft(s.db, "shop", "song_video", {}), "profiles"),
    ),
    "a report for another one": (
        *(advisory(AdvisoryLock.REPORT), lambda s: datetime(2026, 1, 1, tzinfo=UTC)),
        *(lambda s, hour: save_report(s.db, hour, []), _WRITES),
    ),
    "a note of retention for another one": (
        *(_RETENTION, put_completed, lambda s, key: save_log_pruned(s.db, [key]), "requests"),
    ),
    "a note of retention for a deletion": (
        *(row("requests", "UPDATE"), put_completed),
        *(lambda s, key: save_log_pruned(s.db, [key]), _WRITES),
    ),
    "a purge for another one": (_RETENTION, put_completed, purge, "requests"),
    "a permit for the vendor's window": (
        *(_VENDOR, put_vendor),
        *(lambda s, lease: acquire_permit(s.db, lease, "vendor", _RATE), "requests"),
    ),
    "a question for the vendor's window": (
        *(_VENDOR, put_vendor, lambda s, _: acquire_unpaid_call(s.db, "vendor", _RATE), "requests"),
    ),
    "a requeue for the row": (
        _ROW,
        put_unclaimed,
        lambda s, it: requeue_request(s.db, it),
        _WRITES,
    ),
    "a dead letter for the row": (_ROW, lambda s: s.order(), dead_letter, _WRITES),
    "a recovery for the row": (
        *(_ROW, lambda s: s.working(owner="w:1")),
        *(lambda s, _: recover_worker(s.db, "w", poison_deaths=POISON), "requests"),
    ),
}
"""What is held, what was before, the transition that waits, and a pattern of what it executes only then."""

PASSING = {
    "a dispatch": (_ROW, lambda s: s.order(), lambda s, _: s.dispatch(), []),
    "a rescue": (_ROW, put_lapsed, lambda s, _: s.rescue(), []),
    "the look for what no run has claimed": (
        *(_ROW, put_unclaimed, lambda s, _: list_unclaimed_requests(s.db, 0), []),
    ),
    "the end of holds": (_ROW, put_expired_hold, lambda s, _: end_expired_holds(s.db), []),
    "a purge": (_ROW, put_completed, purge, []),
    "a removal of files": (_ROW, put_film, prune, []),
    "a heartbeat": (_ROW, lambda s: s.working(), renew, False),
    "the sender of webhooks": (
        *(row("webhook_deliveries"), put_webhook, lambda s, _: claim_delivery(s.db, 60), None),
    ),
    "a note of retention beside a transition": (
        *(row("requests", "NO KEY UPDATE"), put_completed),
        *(lambda s, key: save_log_pruned(s.db, [key]), None),
    ),
}
"""What is held, what was before, the transition that passes by, and what it returns then."""


@pytest.fixture(scope="module")
def impatient_ledger(shared_ledger: Database) -> Iterator[Database]:
    """The shared ledger, by connections that wait for a lock no longer than a moment."""
    url = shared_ledger.url.update_query_dict({"options": "-c lock_timeout=50"})
    ledger = Database(url.render_as_string(hide_password=False), at_once=False)
    yield ledger
    ledger.close()


@pytest.fixture
def impatient(postgres_ledger_url: str, impatient_ledger: Database) -> Steps:
    return Steps(impatient_ledger)


@contextmanager
def noted() -> Iterator[list[str]]:
    """What is executed in the block."""
    statements: list[str] = []

    def note(_tx: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@pytest.mark.parametrize(
    ("hold", "before", "act", "not_before"), WAITING.values(), ids=WAITING.keys()
)
def test_transition_waits_for_its_lock_before_it_reads_or_writes_what_the_lock_is_for(
    hold, before, act, not_before, impatient, shared_ledger
):
    made = before(impatient)
    with shared_ledger.writing() as tx:
        hold(tx)
        with noted() as statements, pytest.raises(OperationalError, match="lock timeout") as error:
            act(impatient, made)
    waited = str(error.value.statement)
    executed = statements[: statements.index(waited)]
    assert "SELECT" in waited
    assert [each for each in executed if re.search(not_before, each)] == []


@pytest.mark.parametrize(("hold", "before", "act", "returns"), PASSING.values(), ids=PASSING.keys())
def test_transition_passes_by_what_is_locked_elsewhere(
    hold, before, act, returns, impatient, shared_ledger
):
    made = before(impatient)
    with shared_ledger.writing() as tx:
        hold(tx)
        assert act(impatient, made) == returns
    # What is not locked is found.
    assert returns is None or act(impatient, made) != returns


def test_stage_that_is_done_is_not_given_to_an_attempt_that_lost_its_lease(impatient):
    lease = impatient.working()
    impatient.make_stage(lease, "lyric")
    impatient.lose_worker()
    with pytest.raises(LeaseLostError):
        impatient.begin(lease, "lyric")


LOOKS: dict[str, Callable[[Steps], object]] = {
    "for a webhook": lambda steps: claim_delivery(steps.db, 60),
    "for what no run has claimed": lambda steps: list_unclaimed_requests(steps.db, 0),
    "use of what was never ordered": lambda steps: save_source_use(steps.db, "analysis", "repo"),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_look_that_finds_nothing_waits_for_no_lock(look, steps):
    with noted() as statements:
        look(steps)
    assert [each for each in statements if re.search(f"{_WRITES}|BEGIN IMM|FOR ", each)] == []
