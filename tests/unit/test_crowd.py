"""Which connections are kept, whatever comes in whatever order."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from castad.server.crowd import Crowd, source_of

MOST, MOST_OF_ONE = 6, 3
SOURCES = st.sampled_from(["a", "b", "c"])


class CrowdMachine(RuleBasedStateMachine):
    """Beside it, a list of (number, source, whether it waits), those that waited first in front."""

    def __init__(self) -> None:
        super().__init__()
        self.crowd: Crowd[int] = Crowd(MOST, MOST_OF_ONE)
        self.model: list[tuple[int, str, bool]] = []
        self.last = 0

    @rule(source=SOURCES)
    def opens(self, source: str) -> None:
        self.last += 1
        of_source = [each for each in self.model if each[1] == source]
        is_full = len(of_source) >= MOST_OF_ONE
        rivals = of_source if is_full else self.model
        has_room = not is_full and len(self.model) < MOST
        waiting = [each for each in rivals if each[2]]
        expected = (has_room or bool(waiting), None if has_room or not waiting else waiting[0][0])
        assert self.crowd.admit(self.last, source) == expected
        if not expected[0]:
            return
        self.model = [each for each in self.model if each[0] != expected[1]]
        self.model.append((self.last, source, True))

    @rule(number=st.integers(0, 40))
    def asks(self, number: int) -> None:
        self.crowd.serve(number)
        self.model = [(n, s, waits and n != number) for n, s, waits in self.model]

    @rule(number=st.integers(0, 40))
    def has_its_answer(self, number: int) -> None:
        self.crowd.wait(number)
        moved = [each for each in self.model if each[0] == number and not each[2]]
        self.model = [each for each in self.model if each not in moved]
        self.model += [(n, s, True) for n, s, _ in moved]

    @rule(number=st.integers(0, 40))
    def leaves(self, number: int) -> None:
        self.crowd.leave(number)
        self.model = [each for each in self.model if each[0] != number]

    @invariant()
    def counts_those_that_are_there(self) -> None:
        assert len(self.crowd) == len(self.model) <= MOST


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
def test_source_is_the_address(address: str | None, source: str) -> None:
    assert source_of(address) == source


def test_addresses_of_one_network_are_one_source() -> None:
    near = {source_of("2001:db8::1"), source_of("2001:db8::ffff:2"), source_of("2001:db8::1%eth0")}
    assert len(near) == 1
    assert source_of("2001:db8:0:1::1") not in near
