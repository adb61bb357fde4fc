"""What becomes of a delivery after a try, and which targets may have another one."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resources.delivery.engine import DeliveryFailure, Schedule, Shares
from resources.delivery.spool import EXPIRES_SECONDS, Spool, make_spool_loop
from resources.delivery.spool import SCHEDULE as SAVES
from resources.delivery.webhooks import (
    AT_ONCE,
    LONGEST_WAIT,
    describe_secret_remedy,
    judge_status,
    make_webhook_loop,
)
from resources.http.vendor_client import parse_retry_after
from resources.ledger.schema.tables import DeliveryStatus
from resources.process.settings import Settings
from tests.conftest import MakeSettings

WAITS: tuple[float, ...] = Settings.model_fields["webhook_waits"].default
WEBHOOKS = Schedule(WAITS)
AWAY = DeliveryFailure("it is away", "unreachable")
SENT = datetime(2026, 11, 23, 12, tzinfo=UTC)

failures = st.builds(
    DeliveryFailure,
    st.text(min_size=1),
    st.just("unreachable"),
    retry_after=st.floats(0, LONGEST_WAIT),
)
jitters = st.floats(0, 1, exclude_max=True)
schedules = st.sampled_from([WEBHOOKS, SAVES])


def test_ten_tries_of_a_webhook_take_three_days():
    assert len(WAITS) == 9
    assert sum(WAITS) == timedelta(hours=75, minutes=35, seconds=5).total_seconds()


def test_waits_of_a_save_double_up_to_five_minutes_and_stay_there():
    waits = [SAVES.decide(AWAY, tries, 0, EXPIRES_SECONDS).wait for tries in range(12)]
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]


@given(failures, st.integers(0, 20), jitters, schedules)
@example(AWAY, len(WAITS) - 1, 0.0, WEBHOOKS)
@example(AWAY, len(WAITS), 0.0, WEBHOOKS)
@example(AWAY, 10_000, 0.0, SAVES)
def test_failed_try_waits_its_turn_in_the_schedule_and_a_receiver_only_lengthens_it(
    failure, tries, jitter, schedule
):
    decision = schedule.decide(failure, tries, jitter)
    assert (decision.code, decision.message) == (failure.code, failure.message)
    if schedule is WEBHOOKS and tries >= len(WAITS):
        assert decision.status is DeliveryStatus.DEAD
        return
    assert decision.status is DeliveryStatus.PENDING
    planned = max(schedule.waits[min(tries, len(schedule.waits) - 1)], failure.retry_after)
    assert planned <= decision.wait <= planned * 1.1


@pytest.mark.parametrize(
    ("left", "status"),
    [(2.0, DeliveryStatus.DEAD), (1.0, DeliveryStatus.DEAD), (2.001, DeliveryStatus.PENDING)],
)
def test_save_that_expires_during_its_wait_is_dead_with_the_reason(left, status):
    decision = SAVES.decide(AWAY, 1, 0, left)
    assert decision.status is status
    expired = "not delivered in 24 hours: it is away"
    assert decision.message == (expired if status is DeliveryStatus.DEAD else "it is away")


@given(st.integers(0, 20), jitters, st.sampled_from(DeliveryStatus), schedules)
def test_failure_that_is_final_is_not_tried_again(tries, jitter, ends, schedule):
    assert schedule.decide(DeliveryFailure("x", ends=ends), tries, jitter).status is ends


@given(st.integers(0, 20), jitters, schedules)
def test_try_without_a_failure_is_a_delivery(tries, jitter, schedule):
    decision = schedule.decide(None, tries, jitter, 0)
    assert (decision.status, decision.code, decision.message) == ("delivered", None, None)


@pytest.mark.parametrize(
    ("status", "told", "ends"),
    [
        (199, "the receiver answers 199; expected 2xx", None),
        (200, None, None),
        (299, None, None),
        (300, "the receiver answers 300; expected 2xx, a redirect is not followed", None),
        (399, "the receiver answers 399; expected 2xx, a redirect is not followed", None),
        (400, "the receiver answers 400; expected 2xx", None),
        (
            410,
            "the receiver answers 410: it wants no more webhooks at this address",
            DeliveryStatus.DISABLED,
        ),
    ],
)
def test_receivers_status_is_judged(status, told, ends):
    expected = (
        None if told is None else DeliveryFailure(told, f"http_{status}", ends, 0 if ends else 7)
    )
    assert judge_status(status, 7) == expected


@given(st.text(), st.one_of(st.none(), st.text()))
def test_retry_after_that_cannot_be_read_is_none_or_bounded(given_text, date):
    headers = {"retry-after": given_text} | ({} if date is None else {"date": date})
    found = parse_retry_after(headers, LONGEST_WAIT)
    assert found is None or 0 <= found <= LONGEST_WAIT


@given(st.integers(-10, 2 * int(LONGEST_WAIT)))
def test_retry_after_is_the_same_in_seconds_and_as_a_date(seconds):
    date = format_datetime(SENT + timedelta(seconds=seconds), usegmt=True)
    sent = {"date": format_datetime(SENT, usegmt=True)}
    expected = min(max(seconds, 0), LONGEST_WAIT)
    assert parse_retry_after({"retry-after": str(seconds), **sent}, LONGEST_WAIT) == expected
    assert parse_retry_after({"retry-after": date, **sent}, LONGEST_WAIT) == expected


@pytest.mark.parametrize(
    ("owner", "remedy"),
    [
        (None, "set CASTAD_WEBHOOK_SECRET"),
        (
            "shop",
            "run `castad key webhook-secret` for a key of 'shop', "
            "or set CASTAD_WEBHOOK_SECRET if it never had one",
        ),
    ],
)
def test_remedy_names_who_needs_a_secret(owner, remedy):
    assert describe_secret_remedy(owner) == remedy


# The shares


@pytest.fixture
def shares(make_settings: MakeSettings) -> Shares:
    """The shares of the sender of webhooks."""
    nothing: Any = None
    return make_webhook_loop(nothing, make_settings(), nothing)._shares


def make_slow(shares: Shares, targets: list[str]) -> None:
    for target in targets:
        shares.begin(target)
        shares.end(target, 2.01)


def fill(shares: Shares, targets: list[str]) -> int:
    """Begin as many as these targets may have; returns how many."""
    while not shares.is_full and (
        free := [target for target in targets if target not in shares.busy]
    ):
        shares.begin(free[0])
    return shares.under_way


@pytest.mark.parametrize(("count", "under_way"), [(1, 4), (3, 12), (8, 32), (9, 32)])
def test_target_has_four_under_way_and_all_have_thirty_two(shares, count, under_way):
    assert fill(shares, [f"host-{number}" for number in range(count)]) == under_way


@pytest.mark.parametrize(("count", "under_way"), [(1, 4), (4, 16), (30, 16)])
def test_slow_targets_leave_half_of_all_to_the_others(shares, count, under_way):
    slow = [f"slow-{number}" for number in range(count)]
    make_slow(shares, slow)
    assert fill(shares, slow) == under_way
    assert shares.busy == set(slow)
    assert fill(shares, ["prompt", "other"]) == under_way + 8


def test_target_that_answers_within_two_seconds_is_no_longer_slow(shares):
    hosts = [f"back-{number}" for number in range(30)]
    make_slow(shares, hosts)
    for host in hosts:
        shares.begin(host)
        shares.end(host, 2.0)
    assert fill(shares, hosts) == AT_ONCE


def test_no_more_than_a_thousand_slow_targets_are_remembered(shares):
    hosts = [f"slow-{number}" for number in range(1001)]
    make_slow(shares, hosts)
    fill(shares, hosts[:16])
    assert shares.busy == set(hosts[:1000])


def test_targets_of_the_spool_have_one_each_however_slow_they_are(tmp_path):
    targets = ["a", "b", "c"]
    shares = make_spool_loop(Spool(tmp_path), dict.fromkeys(targets, print))._shares
    make_slow(shares, targets)
    assert fill(shares, targets) == 3
