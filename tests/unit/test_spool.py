"""The spool on a real file: what is appended, when it is due, and what becomes of it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.contract.errors import StateUnavailableError
from resources.spool.entry import DEAD_KEPT_SECONDS, EXPIRES_SECONDS, Entry, wait_after
from resources.spool.spool import Spool, append_entry

ENTRY = Entry("my", "user:char", {"user_id": "봄", "n": 1})


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def spool(tmp_path: Path, clock: Clock) -> Iterator[Spool]:
    return Spool(tmp_path, clock)


def test_appended_entry_is_due_at_once_in_another_process_view(
    spool: Spool, tmp_path: Path, clock: Clock
) -> None:
    spool.append([ENTRY])
    [found] = Spool(tmp_path, clock).due("my")
    assert (found.key, found.body, found.attempts) == ("user:char", ENTRY.body, 0)


def test_entry_of_a_waiting_key_is_not_added_again(spool: Spool) -> None:
    spool.append([ENTRY, ENTRY])
    spool.append([Entry("my", "user:char", {"n": 2})])
    assert [each.body for each in spool.waiting()] == [ENTRY.body]


def test_same_key_at_another_target_is_another_entry(spool: Spool) -> None:
    spool.append([ENTRY, Entry("other", ENTRY.key, {})])
    assert len(spool.waiting()) == 2


def test_append_adds_all_entries_or_none(spool: Spool) -> None:
    with pytest.raises(TypeError):
        spool.append([ENTRY, Entry("my", "b", {"not": {"json"}})])
    assert spool.waiting() == []


def test_delivered_entry_is_gone(spool: Spool) -> None:
    spool.append([ENTRY])
    spool.delivered(spool.due("my")[0])
    assert spool.waiting() == spool.dead() == []


def test_failed_entry_is_due_after_its_wait(spool: Spool, clock: Clock) -> None:
    spool.append([ENTRY])
    spool.failed(spool.due("my")[0], "down", 4.0)
    assert spool.due("my") == []
    clock.now += 4.0
    assert [(each.attempts, each.last_error) for each in spool.due("my")] == [(1, "down")]


def test_entry_that_expires_before_its_next_try_is_dead_with_the_reason(
    spool: Spool, clock: Clock
) -> None:
    spool.append([ENTRY])
    clock.now += EXPIRES_SECONDS - 1
    spool.failed(spool.due("my")[0], "down", 2.0)
    assert spool.waiting() == []
    assert [each.dead_reason for each in spool.dead()] == ["not delivered in 24 hours: down"]


def test_dead_entry_does_not_keep_its_key_from_a_new_one(spool: Spool) -> None:
    spool.append([ENTRY])
    spool.give_up(spool.due("my")[0], "refused")
    spool.append([ENTRY])
    assert (len(spool.waiting()), len(spool.dead())) == (1, 1)


def test_replayed_entry_is_due_at_once_for_another_day(spool: Spool, clock: Clock) -> None:
    spool.append([ENTRY])
    spool.give_up(spool.due("my")[0], "refused")
    clock.now += 100
    assert spool.replay() == 1
    [found] = spool.due("my")
    assert (found.attempts, found.expires_at) == (0, clock.now + EXPIRES_SECONDS)


def test_replay_of_a_key_that_waits_again_leaves_both_as_they_are(spool: Spool) -> None:
    spool.append([ENTRY])
    spool.give_up(spool.due("my")[0], "refused")
    spool.append([ENTRY])
    spool.replay()
    assert (len(spool.waiting()), len(spool.dead())) == (1, 1)


def test_replay_of_one_leaves_the_others_dead(spool: Spool) -> None:
    spool.append([ENTRY, Entry("my", "other", {})])
    for each in spool.due("my"):
        spool.give_up(each, "refused")
    assert spool.replay(spool.dead()[0].id) == 1
    assert len(spool.dead()) == 1


def test_entry_dead_for_a_week_is_purged(spool: Spool, clock: Clock) -> None:
    spool.append([ENTRY])
    spool.give_up(spool.due("my")[0], "refused")
    clock.now += DEAD_KEPT_SECONDS + 1
    assert (spool.purge(), spool.dead()) == (1, [])


def test_entries_are_found_by_the_beginning_of_their_key(spool: Spool) -> None:
    spool.append([Entry("my", key, {}) for key in ("a:1", "a:2", "ab:1")])
    assert [each.key for each in spool.find("my", "a:")] == ["a:2", "a:1"]


def test_counts_tell_waiting_from_dead(spool: Spool) -> None:
    spool.append([ENTRY, Entry("my", "b", {})])
    spool.give_up(spool.due("my")[0], "refused")
    assert spool.counts() == {("my", False): 1, ("my", True): 1}


def test_spool_that_cannot_be_opened_is_said_so_and_used_once_it_can(
    tmp_path: Path, clock: Clock
) -> None:
    (tmp_path / "spool.db").mkdir()
    spool = Spool(tmp_path, clock)
    with pytest.raises(StateUnavailableError, match="spool"):
        spool.append([ENTRY])
    (tmp_path / "spool.db").rmdir()
    spool.append([ENTRY])
    assert len(spool.waiting()) == 1


@given(st.integers(0, 10_000), st.floats(0, 1, exclude_max=True))
def test_wait_is_never_longer_than_five_minutes_nor_shorter_than_nine_tenths_of_a_second(
    attempts: int, jitter: float
) -> None:
    assert 0.9 <= wait_after(attempts, jitter) <= 300


def test_waits_double_up_to_five_minutes() -> None:
    waits = [wait_after(attempts, 0) for attempts in range(1, 12)]
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


def test_file_that_was_removed_is_made_anew(spool: Spool) -> None:
    spool.append([ENTRY])
    for file in spool.path.parent.glob("spool.db*"):
        file.unlink()
    spool.append([Entry("my", "new", {})])
    with closing(sqlite3.connect(spool.path)) as other:
        assert other.execute("SELECT key FROM entries").fetchall() == [("new",)]


def test_spool_that_another_process_holds_is_given_up_soon(spool: Spool) -> None:
    spool.append([ENTRY])
    with closing(sqlite3.connect(spool.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StateUnavailableError, match="locked"):
            spool.append([Entry("my", "new", {})])
    spool.append([Entry("my", "new", {})])


def test_nothing_is_stored_between_what_a_transaction_reads_and_what_it_writes(
    spool: Spool, tmp_path: Path, clock: Clock
) -> None:
    other = Spool(tmp_path, clock)
    other.append([ENTRY])
    with spool.writing(), pytest.raises(StateUnavailableError, match="locked"):
        other.append([Entry("my", "new", {})])
    assert [each.key for each in spool.waiting()] == [ENTRY.key]


def test_intent_is_due_after_its_time_where_no_entry_of_its_key_follows(
    spool: Spool, clock: Clock
) -> None:
    with spool.writing() as tx:
        append_entry(tx, ENTRY, clock.now, 60)
    assert spool.due("my") == []
    clock.now += 60
    assert [each.is_intent for each in spool.due("my")] == [True]


def test_entry_takes_the_place_of_its_intent_at_once(spool: Spool, clock: Clock) -> None:
    with spool.writing() as tx:
        append_entry(tx, Entry("my", ENTRY.key, {"n": 0}, 7), clock.now, 60)
    spool.append([ENTRY])
    [found] = spool.due("my")
    assert (found.body, found.cost, found.is_intent) == (ENTRY.body, 0, False)


def test_entry_that_replaced_an_intent_amid_its_delivery_is_delivered(
    spool: Spool, clock: Clock
) -> None:
    with spool.writing() as tx:
        append_entry(tx, ENTRY, clock.now, 60)
    clock.now += 60
    [intent] = spool.due("my")
    spool.append([ENTRY])
    spool.delivered(intent)
    assert [each.is_intent for each in spool.due("my")] == [False]


def test_file_of_an_earlier_version_is_used_on(tmp_path: Path, clock: Clock) -> None:
    with closing(sqlite3.connect(tmp_path / "spool.db")) as before:
        before.execute(
            "CREATE TABLE entries (id INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, key TEXT NOT NULL, "
            "body TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, appended_at REAL NOT NULL, "
            "due_at REAL NOT NULL, expires_at REAL NOT NULL, last_error TEXT, dead_reason TEXT, dead_at REAL)"
        )
        row = ("my", "old", '{"n": 1}', 1.0, 1.0, 1e12)
        before.execute(
            "INSERT INTO entries (target, key, body, appended_at, due_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
            row,
        )
        before.commit()
    spool = Spool(tmp_path, clock)
    spool.append([ENTRY])
    assert [(each.key, each.cost) for each in spool.due("my")] == [("old", 0), (ENTRY.key, 0)]
