from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resources.http.vendor_client import retry_after
from resources.ledger.schema.tables import DeliveryStatus
from resources.process.settings import Settings
from sensors.webhooks.body import secret_remedy
from sensors.webhooks.sender import AT_ONCE, LONGEST_WAIT, Fault, HostShares, ReceiverAnswer, judge

WAITS: tuple[float, ...] = Settings.model_fields["webhook_waits"].default
FAULT = Fault("unreachable", "it is away")
SENT = datetime(2026, 11, 23, 12, tzinfo=UTC)

failures = st.one_of(
    st.just(FAULT),
    st.builds(
        ReceiverAnswer,
        st.integers(100, 999).filter(lambda status: not 200 <= status < 300 and status != 410),
        st.one_of(st.none(), st.floats(0, 10 * LONGEST_WAIT)),
    ),
)
jitters = st.floats(0, 1, exclude_max=True)


def test_ten_tries_take_three_days():
    assert len(WAITS) == 9
    assert sum(WAITS) == timedelta(hours=75, minutes=35, seconds=5).total_seconds()


@given(failures, st.integers(0, 20), jitters)
@example(FAULT, len(WAITS) - 1, 0.0)
@example(FAULT, len(WAITS), 0.0)
def test_failed_try_waits_its_turn_in_the_schedule_and_the_last_is_dead(result, tries, jitter):
    judgement = judge(result, tries, WAITS, jitter)
    assert judgement.code is not None
    assert judgement.message is not None
    if tries >= len(WAITS):
        assert (judgement.status, judgement.wait) == (DeliveryStatus.DEAD, None)
        return
    assert judgement.status is DeliveryStatus.PENDING
    assert judgement.wait is not None
    assert WAITS[tries] <= judgement.wait <= max(WAITS[tries], LONGEST_WAIT) * 1.1


@given(st.floats(0, 10 * LONGEST_WAIT), st.integers(0, 8), jitters)
def test_retry_after_lengthens_the_wait_up_to_a_day_and_never_shortens_it(asked, tries, jitter):
    plain = judge(ReceiverAnswer(429), tries, WAITS, jitter).wait
    heeded = judge(ReceiverAnswer(429, asked), tries, WAITS, jitter).wait
    assert plain is not None
    assert heeded is not None
    assert heeded >= plain
    assert heeded >= min(asked, LONGEST_WAIT)


@given(st.integers(200, 299), st.integers(0, 20), jitters)
def test_every_2xx_is_a_delivery(status, tries, jitter):
    assert judge(ReceiverAnswer(status), tries, WAITS, jitter).status is DeliveryStatus.DELIVERED


@given(st.integers(0, 20), jitters)
def test_410_is_the_end_at_any_try(tries, jitter):
    assert judge(ReceiverAnswer(410, 5), tries, WAITS, jitter).status is DeliveryStatus.DISABLED


def test_fault_of_the_address_itself_is_not_tried_again():
    assert judge(Fault("x", "y", final=True), 0, WAITS, 0).status is DeliveryStatus.DEAD


@given(st.text(), st.one_of(st.none(), st.text()))
def test_retry_after_that_cannot_be_read_is_none_or_bounded(given_text, date):
    headers = {"retry-after": given_text} | ({} if date is None else {"date": date})
    found = retry_after(headers, LONGEST_WAIT)
    assert found is None or 0 <= found <= LONGEST_WAIT


@given(st.integers(-10, 2 * int(LONGEST_WAIT)))
def test_retry_after_is_the_same_in_seconds_and_as_a_date(seconds):
    date = format_datetime(SENT + timedelta(seconds=seconds), usegmt=True)
    sent = {"date": format_datetime(SENT, usegmt=True)}
    expected = min(max(seconds, 0), LONGEST_WAIT)
    assert retry_after({"retry-after": str(seconds), **sent}, LONGEST_WAIT) == expected
    assert retry_after({"retry-after": date, **sent}, LONGEST_WAIT) == expected


@pytest.mark.parametrize("hosts", [1, 3, 30])
def test_slow_hosts_leave_half_of_all_to_the_others(hosts):
    shares = HostShares()
    slow = [f"slow-{number}" for number in range(hosts)]
    for host in slow:
        shares.begin(host)
        shares.end(host, is_slow=True)
    under_way = fill(shares, slow)
    assert under_way <= AT_ONCE // 2
    assert not shares.is_full
    assert "prompt" not in shares.busy


def test_host_that_answers_again_is_no_longer_slow():
    shares = HostShares()
    hosts = [f"back-{number}" for number in range(30)]
    for host in hosts:
        shares.begin(host)
        shares.end(host, is_slow=True)
        shares.begin(host)
        shares.end(host, is_slow=False)
    assert fill(shares, hosts) == AT_ONCE


@pytest.mark.parametrize(("count", "is_full"), [(AT_ONCE - 1, False), (AT_ONCE, True)])
def test_sender_is_full_with_so_many_under_way(count, is_full):
    shares = HostShares()
    for number in range(count):
        shares.begin(f"host-{number}")
    assert shares.is_full is is_full


@pytest.mark.parametrize(("count", "busy"), [(3, set()), (4, {"shop"})])
def test_host_is_busy_with_so_many_under_way(count, busy):
    shares = HostShares()
    for _ in range(count):
        shares.begin("shop")
    assert shares.busy == busy


@pytest.mark.parametrize(("count", "is_busy"), [(15, False), (16, True)])
def test_slow_hosts_are_busy_with_half_of_all_under_way(count, is_busy):
    shares = HostShares()
    hosts = [f"slow-{number}" for number in range(count)]
    for host in hosts:
        shares.begin(host)
        shares.end(host, is_slow=True)
        shares.begin(host)
    assert shares.busy == (set(hosts) if is_busy else set())


def test_no_more_than_a_thousand_slow_hosts_are_remembered():
    shares = HostShares()
    hosts = [f"slow-{number}" for number in range(1001)]
    for host in hosts:
        shares.begin(host)
        shares.end(host, is_slow=True)
    for host in hosts[:16]:
        shares.begin(host)
    assert shares.busy == set(hosts[:1000])


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (199, "the receiver answers 199; expected 2xx"),
        (200, None),
        (299, None),
        (300, "the receiver answers 300; expected 2xx, a redirect is not followed"),
        (399, "the receiver answers 399; expected 2xx, a redirect is not followed"),
        (400, "the receiver answers 400; expected 2xx"),
        (410, "the receiver answers 410: it wants no more webhooks at this address"),
    ],
)
def test_failed_try_says_what_the_receiver_answered(status, told):
    assert judge(ReceiverAnswer(status), 0, WAITS, 0).message == told


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
    assert secret_remedy(owner) == remedy


def fill(shares: HostShares, hosts: list[str]) -> int:
    """Begin as many as these hosts may have; returns how many."""
    begun = 0
    while not shares.is_full and (free := [host for host in hosts if host not in shares.busy]):
        shares.begin(free[0])
        begun += 1
    return begun
