"""Each limit of time to the millisecond: what ends at a moment has ended at that moment, and lives one before."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Table, select, update

from resources.contract.protocol import Rate
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import ClaimRefusedError, UnknownLoginLinkError
from resources.ledger.queries.access import ApiKey
from resources.ledger.request import SHORTEST, Token
from resources.ledger.schema.tables import (
    api_keys,
    login_links,
    providers,
    requests,
    sessions,
    share_links,
    source_checks,
    webhook_deliveries,
    workers,
)
from resources.ledger.transitions.access import (
    begin_session,
    make_login_link,
    share_request,
    use_login_link,
)
from resources.ledger.transitions.approval import end_expired_holds
from resources.ledger.transitions.dispatch import (
    acquire_permit,
    acquire_unpaid_call,
    read_vendor_availability,
)
from resources.ledger.transitions.housekeeping import pause_provider, resume_provider
from resources.ledger.transitions.orders import DAGSTER, cancel_request
from resources.ledger.transitions.rescue import list_unclaimed_requests, prune_lost_workers
from resources.ledger.transitions.source_checks import claim_due_check, save_source_use
from resources.ledger.transitions.webhooks import claim_delivery
from tests.held_clock import held_clock
from tests.ledger_steps import Steps
from tests.table_rows import LATER, put

NOW = datetime(2031, 5, 6, 7, 8, 9, 250_000, tzinfo=UTC)
TICK = timedelta(milliseconds=1)
TOKEN = Token("t" * 43)
KEY = ApiKey("k1", "key", "shop", frozenset(), None, NOW, None)

Seen = Callable[[], bool]
Probe = Callable[[Steps, datetime], Seen]
"""Makes what has this moment; the other says whether it was over when the transition looked."""


@pytest.fixture
def steps(sqlite_ledger_url: str) -> Iterator[Steps]:
    with closing(Database(sqlite_ledger_url)) as db:
        yield Steps(db)


def set_moment(steps: Steps, table: Table, **columns: Any) -> None:
    with steps.db.writing() as tx:
        tx.execute(update(table).values(**columns))


def count(steps: Steps, table: Table) -> int:
    with steps.db.reading() as tx:
        return len(tx.execute(select(table)).all())


def a_hold(steps: Steps, moment: datetime) -> Seen:
    steps.held(hold_seconds=3600)
    set_moment(steps, requests, not_before=moment)
    return lambda: bool(end_expired_holds(steps.db))


def a_lease(steps: Steps, moment: datetime) -> Seen:
    steps.working()
    set_moment(steps, requests, lease_until=moment)
    return lambda: bool(steps.rescue())


def a_dispatch(steps: Steps, moment: datetime) -> Seen:
    steps.order()
    steps.dispatch()
    set_moment(steps, requests, dispatched_at=moment)
    return lambda: bool(list_unclaimed_requests(steps.db, 600))


def a_webhook_that_waits(steps: Steps, moment: datetime) -> Seen:
    steps.order(callback_url="https://shop.example/")
    steps.cancel()
    set_moment(steps, webhook_deliveries, due_at=moment)
    return lambda: claim_delivery(steps.db, 60) is not None


def a_webhook_under_way(steps: Steps, moment: datetime) -> Seen:
    steps.order(callback_url="https://shop.example/")
    steps.cancel()
    set_moment(steps, webhook_deliveries, lease_until=moment, due_at=NOW - TICK)
    return lambda: claim_delivery(steps.db, 60) is not None


def a_paused_vendor(steps: Steps, moment: datetime) -> Seen:
    put(steps, providers, name="v", paused_until=moment)
    return lambda: not resume_provider(steps.db, "v")


def a_paused_vendor_in_sight(steps: Steps, moment: datetime) -> Seen:
    put(steps, providers, name="v", paused_until=moment, pause_reason="over limit")
    lease = steps.working()
    return lambda: read_vendor_availability(steps.db, lease, "v", None).pause_reason is None


def a_login_link(steps: Steps, moment: datetime) -> Seen:
    put(steps, api_keys, id="k1")
    put(steps, login_links, token_hash=TOKEN.hash, expires_at=moment)

    def is_over() -> bool:
        try:
            use_login_link(steps.db, TOKEN, Token("s" * 43))
        except UnknownLoginLinkError:
            return True
        return False

    return is_over


def a_login_link_that_is_left(steps: Steps, moment: datetime) -> Seen:
    put(steps, api_keys, id="k1")
    put(steps, login_links, token_hash="old", expires_at=moment)
    return lambda: make_login_link(steps.db, TOKEN, KEY) or count(steps, login_links) == 1


def a_session(steps: Steps, moment: datetime) -> Seen:
    put(steps, api_keys, id="k1")
    put(steps, sessions, token_hash="old", expires_at=moment)
    return lambda: begin_session(steps.db, TOKEN, "k1") or count(steps, sessions) == 1


def a_share_link(steps: Steps, moment: datetime) -> Seen:
    steps.completed()
    put(steps, share_links, id="a", token_hash="a", request_id=steps.row().id, expires_at=moment)

    def is_over() -> bool:
        share_request(steps.db, "r", TOKEN, days=1, created_by="Mina")
        return count(steps, share_links) == 1

    return is_over


def a_worker(steps: Steps, moment: datetime) -> Seen:
    put(steps, workers, name="w", beat_at=moment)
    return lambda: prune_lost_workers(steps.db, 600) or count(steps, workers) == 0


def a_source_check(steps: Steps, moment: datetime) -> Seen:
    put(steps, source_checks, part="main", due_at=moment)
    return lambda: claim_due_check(steps.db, "analysis") is not None


def over(steps: Steps, probe: Probe, moment: datetime) -> bool:
    seen = probe(steps, moment)
    with held_clock(NOW):
        return seen()


PROBES: dict[Probe, float] = {
    a_hold: 0,
    a_lease: 0,
    a_dispatch: 600,
    a_webhook_that_waits: 0,
    a_webhook_under_way: 0,
    a_paused_vendor: 0,
    a_paused_vendor_in_sight: 0,
    a_login_link: 0,
    a_login_link_that_is_left: 0,
    a_session: 0,
    a_share_link: 0,
    a_worker: 600,
    a_source_check: 0,
}
"""Each with the seconds for which it lasts after its moment."""


@pytest.mark.parametrize(("late", "is_over"), [(-TICK, False), (TICK * 0, True), (TICK, True)])
@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.__name__.replace("_", " "))
def test_what_ends_at_a_moment_has_ended_at_that_moment(steps, probe, late, is_over):
    assert over(steps, probe, NOW - timedelta(seconds=PROBES[probe]) - late) is is_over


@pytest.mark.parametrize(
    ("more", "is_longer_than"), [(-TICK, True), (TICK * 0, False), (TICK, False)]
)
def test_vendor_that_is_paused_for_as_long_keeps_its_reason(steps, more, is_longer_than):
    put(
        steps,
        providers,
        name="v",
        paused_until=NOW + timedelta(seconds=60) + more,
        pause_reason="first",
    )
    with held_clock(NOW):
        pause_provider(steps.db, "v", "second", 60)
        found = read_vendor_availability(steps.db, steps.working(), "v", None)
    assert found.pause_reason == ("second" if is_longer_than else "first")


@pytest.mark.parametrize(("more", "is_new"), [(-TICK, True), (TICK * 0, False), (TICK, False)])
def test_use_within_ten_minutes_is_the_same_use(steps, more, is_new):
    used_at = NOW - timedelta(seconds=600) + more
    put(steps, source_checks, part="main", used_at=used_at, due_at=LATER)
    with held_clock(NOW):
        save_source_use(steps.db, "analysis", "repo")
    with steps.db.reading() as tx:
        assert tx.execute(select(source_checks.c.used_at)).scalar() == (NOW if is_new else used_at)


@pytest.mark.parametrize(("failures", "is_sooner"), [(2, True), (3, False), (4, False)])
def test_look_makes_due_sooner_what_has_not_failed_too_often(steps, failures, is_sooner):
    late = NOW + timedelta(days=7)
    put(steps, source_checks, part="main", due_at=late, failures=failures)
    with held_clock(NOW):
        save_source_use(steps.db, "analysis", "repo")
    with steps.db.reading() as tx:
        due_at = tx.execute(select(source_checks.c.due_at)).scalar()
    assert due_at == (NOW + SHORTEST if is_sooner else late)


def test_look_makes_nothing_due_later(steps):
    put(steps, source_checks, part="main", due_at=NOW)
    with held_clock(NOW):
        save_source_use(steps.db, "analysis", "repo")
    with steps.db.reading() as tx:
        assert tx.execute(select(source_checks.c.due_at)).scalar() == NOW


@pytest.mark.parametrize(("after", "is_back"), [(-TICK, False), (TICK * 0, False), (TICK, True)])
def test_run_executed_again_after_the_cancel_alone_brings_back(steps, after, is_back):
    steps.order()
    cancel_request(steps.db, "r", DAGSTER)
    canceled = steps.last().at
    if is_back:
        steps.take(reexecuted_at=canceled + after)
        return
    with pytest.raises(ClaimRefusedError):
        steps.take(reexecuted_at=canceled + after)


@pytest.mark.parametrize(("ago", "is_kept"), [(0.25, False), (0.5, False), (0.75, True)])
def test_refusal_of_a_question_is_kept_once_in_half_a_second(steps, ago, is_kept):
    at = NOW.timestamp()
    asked = ", ".join(str(at - each) for each in (1, 2))
    stored = f'{{"submissions": [], "questions": [{asked}], "refused_at": {at - ago}}}'
    put(steps, providers, name="v", bucket=stored)
    with held_clock(NOW):
        assert acquire_unpaid_call(steps.db, "v", Rate(2, 60)) > 0
    with steps.db.reading() as tx:
        assert (tx.execute(select(providers.c.bucket)).scalar() != stored) is is_kept


@pytest.mark.parametrize(("ago", "is_near"), [(50.25, True), (50, True), (49.75, False)])
def test_permit_is_waited_for_where_it_is_no_more_than_a_second_away(steps, ago, is_near):
    """A call counts for a fiftieth longer than the window."""
    at = NOW.timestamp()
    put(steps, providers, name="v", bucket=f'{{"submissions": [{at - ago}, {at - 1}]}}')
    lease = steps.working()
    with held_clock(NOW):
        assert (acquire_permit(steps.db, lease, "v", Rate(2, 50)) is not None) is is_near
