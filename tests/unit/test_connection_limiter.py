"""Which connections are kept, whatever comes in whatever order."""

from dataclasses import dataclass

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from castad.api.server.protocol import PROXY, ConnectionLimiter, find_source

MOST, MOST_OF_ONE = 6, 3
SOURCES = st.sampled_from(["a", "b", "c"])


@dataclass(frozen=True)
class Known:
    """A connection as the model has it; `since`: when it began to wait, None while it is answered."""

    number: int
    source: str
    since: int | None


class CrowdMachine(RuleBasedStateMachine):
    """Beside it a list of all, those that wait in the order in which they began to; every step takes a second."""

    def __init__(self) -> None:
        super().__init__()
        self.connection_limiter: ConnectionLimiter[int] = ConnectionLimiter(MOST, MOST_OF_ONE)
        self.model: list[Known] = []
        self.now = 0

    def of(self, source: str) -> list[Known]:
        return [each for each in self.model if each.source == source]

    def replace(self, number: int, by: Known | None) -> None:
        self.model = [each for each in self.model if each.number != number] + [by] * bool(by)

    @rule(source=SOURCES)
    def opens(self, source: str) -> None:
        self.now += 1
        waiting = [each.number for each in self.model if each.since is not None]
        answered = [each for each in self.of(source) if each.since is None]
        is_full, is_shut = len(self.model) >= MOST, len(answered) >= MOST_OF_ONE
        is_kept = not is_shut and (not is_full or bool(waiting))
        given_up = waiting[0] if is_kept and is_full else None
        assert self.connection_limiter.admit(self.now, source, self.now) == (is_kept, given_up)
        if given_up is not None:
            self.replace(given_up, None)
        if is_kept:
            self.replace(self.now, Known(self.now, source, self.now))

    @rule(data=st.data())
    def asks(self, data: st.DataObject) -> None:
        number = data.draw(st.integers(0, self.now))
        self.connection_limiter.mark_busy(number)
        for each in [each for each in self.model if each.number == number]:
            self.replace(number, Known(number, each.source, None))

    @rule(data=st.data())
    def has_its_answer(self, data: st.DataObject) -> None:
        self.now += 1
        number = data.draw(st.integers(0, self.now))
        self.connection_limiter.mark_idle(number, self.now)
        for each in [each for each in self.model if each.number == number and each.since is None]:
            self.replace(number, Known(number, each.source, self.now))

    @rule(data=st.data())
    def leaves(self, data: st.DataObject) -> None:
        number = data.draw(st.integers(0, self.now))
        self.connection_limiter.remove(number)
        self.replace(number, None)

    @rule(source=SOURCES, moment=st.integers(0, 3), at_most=st.integers(1, 3))
    def has_its_surplus_taken(self, source: str, moment: int, at_most: int) -> None:
        until = self.now - moment
        waiting = [each for each in self.of(source) if each.since is not None]
        surplus = waiting[: max(len(self.of(source)) - MOST_OF_ONE, 0)]
        assert self.connection_limiter.has_surplus(source) == bool(surplus)
        expected = [each.number for each in surplus[:at_most] if (each.since or 0) <= until]
        assert self.connection_limiter.take_surplus(source, until, at_most) == expected
        for number in expected:
            self.replace(number, None)

    @rule(data=st.data(), source=SOURCES)
    def carries_the_call_of_another(self, data: st.DataObject, source: str) -> None:
        number = data.draw(st.integers(0, self.now))
        self.connection_limiter.assign(number, source)
        for each in [each for each in self.model if each.number == number]:
            if each.source != source:
                self.replace(number, Known(number, source, each.since))

    @invariant()
    def shares_what_is_not_used_up(self) -> None:
        busy = [each.source for each in self.model if each.since is None]
        for source in ("a", "b", "c"):
            is_free = busy.count(source) < MOST_OF_ONE and len(busy) < MOST
            assert self.connection_limiter.has_share(source) == is_free

    @invariant()
    def counts_those_that_are_there(self) -> None:
        assert len(self.connection_limiter) == len(self.model) <= MOST


TestCrowd = CrowdMachine.TestCase


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        (None, ""),
        ("not an address", ""),
    ],
)
def test_source_is_the_address(address, source):
    assert find_source(address) == source


def test_addresses_of_one_network_are_one_source():
    near = {
        find_source("2001:db8::1"),
        find_source("2001:db8::ffff:2"),
        find_source("2001:db8::1%eth0"),
    }
    assert len(near) == 1
    assert find_source("2001:db8:0:1::1") not in near


def test_one_in_twenty_connections_is_kept_for_calls_with_room_of_their_own():
    limiter: ConnectionLimiter[int] = ConnectionLimiter(1000, 100)
    for number in range(100):
        limiter.admit(number, "a", 0)
        limiter.mark_busy(number)
    assert (limiter.has_share("a"), limiter.admit(100, "a", 0)) == (False, (True, None))


def test_proxy_has_no_share_of_its_own():
    limiter: ConnectionLimiter[int] = ConnectionLimiter(1000, 3)
    for number in range(50):
        assert limiter.admit(number, PROXY, 0) == (True, None)
    assert not limiter.has_surplus(PROXY)
