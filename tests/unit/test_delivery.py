"""What is in the spool reaches its target, each entry by itself."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from resources.contract.errors import PermanentError
from resources.spool.delivery import Delivery, deliver_due, deliver_once
from resources.spool.spool import Entry, Spool
from tests.eventually import eventually


class Target:
    """It takes a body unless it is down; `never` are the keys that it refuses for good."""

    def __init__(self) -> None:
        self.bodies: list[Mapping[str, Any]] = []
        self.is_down = False
        self.never: set[str] = set()

    def __call__(self, body: Mapping[str, Any]) -> None:
        if self.is_down:
            raise ConnectionError("postgresql://user:secret@host")
        if body["key"] in self.never:
            raise PermanentError("key: expected another", code="odd_key")
        self.bodies.append(body)


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path)


def fill(spool: Spool, *keys: str, target: str = "t") -> None:
    spool.append([Entry(target, key, {"key": key}) for key in keys])


def test_due_entries_are_delivered_in_order_and_gone(spool):
    target = Target()
    fill(spool, "a", "b")
    assert deliver_due(spool, "t", target) == 2
    assert [body["key"] for body in target.bodies] == ["a", "b"]
    assert spool.waiting() == []


def test_entry_that_can_never_be_delivered_is_dead_and_stops_no_other(spool):
    target = Target()
    target.never = {"a"}
    fill(spool, "a", "b")
    deliver_due(spool, "t", target)
    assert [each.dead_reason for each in spool.dead()] == ["key: expected another [odd_key]"]
    assert [body["key"] for body in target.bodies] == ["b"]


def test_target_that_is_down_is_asked_again_and_its_address_is_not_kept(spool):
    target = Target()
    target.is_down = True
    fill(spool, "a")
    deliver_due(spool, "t", target)
    [waiting] = spool.waiting()
    assert (waiting.attempts, waiting.last_error) == (1, "ConnectionError")


def test_target_that_is_down_delays_no_other_target(spool):
    down, up = Target(), Target()
    down.is_down = True
    fill(spool, "a", target="down")
    fill(spool, "b", target="up")
    delivery = Delivery(spool, {"down": down, "up": up})
    delivery.start()
    assert eventually(lambda: [body["key"] for body in up.bodies] == ["b"])
    delivery.stop()
    assert [each.target for each in spool.waiting()] == ["down"]


def test_two_deliveries_of_one_folder_deliver_each_entry_once(spool, tmp_path):
    target = Target()
    both = [Delivery(each, {"t": target}) for each in (spool, Spool(tmp_path))]
    for each in both:
        each.start()
    fill(spool, *(str(number) for number in range(50)))
    assert eventually(lambda: not spool.waiting())
    for each in both:
        each.stop()
    assert sorted(int(body["key"]) for body in target.bodies) == list(range(50))


def test_target_that_another_process_serves_is_left_to_it(spool, tmp_path):
    target = Target()
    serving = Delivery(Spool(tmp_path), {"t": target})
    serving.start()
    assert eventually(lambda: (tmp_path / "spool-t.lock").exists())
    other = Target()
    assert eventually(lambda: _was_left(spool, other))
    serving.stop()
    assert other.bodies == []


def _was_left(spool: Spool, other: Target) -> bool:
    return deliver_once(spool, {"t": other}) == 0


def test_messages_wait_while_people_are_answered(spool):
    target, idle = Target(), [0.0]
    delivery = Delivery(spool, {"t": target}, lambda: idle[0])
    fill(spool, "a")
    delivery.start()
    assert eventually(lambda: (spool.path.parent / "spool-t.lock").exists())
    assert target.bodies == []
    idle[0] = 1.0
    assert eventually(lambda: len(target.bodies) == 1)
    delivery.stop()


class Idle:
    """For how long the process has answered nobody, as it says each time it is asked."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.asked = 0

    def __call__(self) -> float:
        self.asked += 1
        return self.seconds


def asked_until_delivered(spool: Spool, idle: Idle) -> int:
    """How often the process was asked before the first message was delivered."""
    asked: list[int] = []
    fill(spool, "a")
    delivery = Delivery(spool, {"t": lambda body: asked.append(idle.asked)}, idle)
    delivery.start()
    assert eventually(lambda: bool(asked))
    delivery.stop()
    return asked[0]


@pytest.mark.parametrize("seconds", [0.25, 1.0])
def test_process_that_has_been_quiet_for_long_enough_is_asked_once(spool, seconds):
    assert asked_until_delivered(spool, Idle(seconds)) == 1


def test_process_that_is_never_quiet_is_asked_four_times_a_second_for_three_seconds(spool):
    assert asked_until_delivered(spool, Idle(0.0)) <= 13


def test_stop_leaves_what_was_not_begun(spool):
    target = Target()
    fill(spool, "a", "b")
    assert deliver_due(spool, "t", target, lambda: bool(target.bodies)) == 1
    assert [each.key for each in spool.waiting()] == ["b"]


def test_entry_that_somebody_has_damaged_stops_no_other(spool):
    target = Target()
    fill(spool, "a", "b")
    with closing(sqlite3.connect(spool.path)) as connection, connection:
        connection.execute("UPDATE entries SET body = '{not json' WHERE key = 'a'")
    deliver_due(spool, "t", target)
    assert [body["key"] for body in target.bodies] == ["b"]
    assert [each.key for each in spool.waiting()] == ["a"]


def test_target_that_fails_is_left_alone_where_all_are_tried_once(spool):
    down, up = Target(), Target()
    down.is_down = True
    fill(spool, "a", "b", target="down")
    fill(spool, "c", target="up")
    assert deliver_once(spool, {"down": down, "up": up}) == 1
    assert [each.attempts for each in spool.waiting()] == [1, 0]
