"""The spool on a real file: what is appended, when it is due, and what becomes of it."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from resources.contract.errors import PermanentError, StateUnavailableError
from resources.delivery.engine import DELIVERED, Decision, DeliveryFailure
from resources.delivery.spool import (
    DEAD_KEPT_SECONDS,
    EXPIRES_SECONDS,
    Entry,
    Spool,
    SpoolStore,
    Waiting,
    append_entry,
    blank_dead,
    find_holder_of,
    make_sender,
    note_holder,
    sum_pending_costs,
)
from resources.ledger.schema.tables import DeliveryStatus

AGAIN = Decision(DeliveryStatus.PENDING, 5.0, message="refused")
REFUSED = Decision(DeliveryStatus.DEAD, message="refused")
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


def count_of(spool: Spool, table: str) -> int:
    with spool.using() as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_appended_entry_is_due_at_once_in_another_process_view(spool, tmp_path, clock):
    spool.append([ENTRY])
    [found] = Spool(tmp_path, clock).due("my")
    assert (found.key, found.body, found.attempts) == ("user:char", ENTRY.body, 0)


def test_entry_of_a_waiting_key_is_not_added_again(spool):
    spool.append([ENTRY, ENTRY])
    spool.append([Entry("my", "user:char", {"n": 2})])
    assert [each.body for each in spool.waiting()] == [ENTRY.body]


def test_same_key_at_another_target_is_another_entry(spool):
    spool.append([ENTRY, Entry("other", ENTRY.key, {})])
    assert len(spool.waiting()) == 2


def test_append_adds_all_entries_or_none(spool):
    with pytest.raises(TypeError):
        spool.append([ENTRY, Entry("my", "b", {"not": {"json"}})])
    assert spool.waiting() == []


def test_only_what_costs_is_among_the_costs_and_is_kept_after_its_delivery(spool, clock):
    spool.append([ENTRY, Entry("my", "paid", {}, 1)])
    with spool.using() as connection:
        assert sum_pending_costs(connection, clock.now) == {"paid": 1}
    for each in spool.due("my"):
        spool.record(each, DELIVERED)
    assert count_of(spool, "delivered_costs") == 1


def test_connection_is_lent_again_while_its_file_is_there(spool):
    with spool.using() as first:
        pass
    with spool.using() as second:
        assert second is first


def test_replayed_entry_is_due_at_once_for_another_day(spool, clock):
    spool.append([ENTRY])
    spool.record(spool.due("my")[0], REFUSED)
    clock.now += 100
    assert spool.replay() == 1
    [found] = spool.due("my")
    assert (found.attempts, found.expires_at) == (0, clock.now + EXPIRES_SECONDS)


def test_dead_entry_keeps_its_key_from_no_new_one_and_is_not_replayed_beside_it(spool):
    spool.append([ENTRY])
    spool.record(spool.due("my")[0], REFUSED)
    spool.append([ENTRY])
    assert (len(spool.waiting()), len(spool.dead())) == (1, 1)
    spool.replay()
    assert (len(spool.waiting()), len(spool.dead())) == (1, 1)


@pytest.mark.parametrize(("more", "left"), [(0, 1), (1, 0)])
def test_what_is_older_than_a_week_is_purged(spool, clock, more, left):
    spool.append([ENTRY, Entry("my", "paid", {}, 1)])
    dead, paid = spool.due("my")
    spool.record(dead, REFUSED)
    spool.record(paid, DELIVERED)
    with spool.writing() as tx:
        note_holder(tx, "name", {}, clock.now)
    clock.now += DEAD_KEPT_SECONDS + more
    SpoolStore(spool, []).claim(())
    counts = [count_of(spool, table) for table in ("entries", "delivered_costs", "holders")]
    assert counts == [left] * 3


OTHERS = ("a", "a9", "a;", "ab:1", "b")
BEGIN_SO = ("a:", "a:1", "a:\U0010ffff")


def test_entries_are_found_by_the_beginning_of_their_key(spool):
    spool.append([Entry("my", key, {}) for key in (*BEGIN_SO, *OTHERS)])
    assert [each.key for each in spool.find("my", "a:")] == [*reversed(BEGIN_SO)]


def test_dead_entries_are_emptied_by_the_beginning_of_their_key(spool):
    spool.append([Entry("my", key, {"n": 1}) for key in (*BEGIN_SO, *OTHERS)])
    for each in spool.due("my"):
        spool.record(each, REFUSED)
    with spool.writing() as tx:
        blank_dead(tx, "my", "a:")
    assert {each.key for each in spool.dead() if not each.body} == {*BEGIN_SO}


def test_counts_tell_waiting_from_dead(spool):
    spool.append([ENTRY, Entry("my", "b", {})])
    spool.record(spool.due("my")[0], REFUSED)
    assert spool.counts() == {("my", False): 1, ("my", True): 1}


def test_spool_that_cannot_be_opened_is_said_so_and_used_once_it_can(tmp_path, clock):
    (tmp_path / "spool.db").mkdir()
    spool = Spool(tmp_path, clock)
    with pytest.raises(StateUnavailableError, match="spool"):
        spool.append([ENTRY])
    (tmp_path / "spool.db").rmdir()
    spool.append([ENTRY])
    assert len(spool.waiting()) == 1


def test_file_that_was_removed_is_made_again(spool):
    spool.append([ENTRY])
    for file in spool.path.parent.glob("spool.db*"):
        file.unlink()
    spool.append([Entry("my", "new", {})])
    with closing(sqlite3.connect(spool.path)) as other:
        assert other.execute("SELECT key FROM entries").fetchall() == [("new",)]


def test_spool_that_another_process_holds_is_given_up_soon(spool):
    spool.append([ENTRY])
    with closing(sqlite3.connect(spool.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StateUnavailableError, match="locked"):
            spool.append([Entry("my", "new", {})])
    spool.append([Entry("my", "new", {})])


def test_spool_that_another_thread_holds_is_given_up_soon(spool):
    with spool.using(), ThreadPoolExecutor(1) as other:
        refused = other.submit(spool.append, [ENTRY]).exception(timeout=60)
    assert isinstance(refused, StateUnavailableError)
    assert "another thread" in refused.message
    assert spool.waiting() == []


def test_nothing_is_stored_between_what_a_transaction_reads_and_what_it_writes(spool):
    spool.append([ENTRY])
    with (
        closing(sqlite3.connect(spool.path, timeout=0)) as other,
        spool.writing(),
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        other.execute("DELETE FROM entries")
    assert [each.key for each in spool.waiting()] == [ENTRY.key]


def test_intent_is_due_after_its_time_where_no_entry_of_its_key_follows(spool, clock):
    with spool.writing() as tx:
        append_entry(tx, ENTRY, clock.now, 60)
    assert spool.due("my") == []
    clock.now += 60
    assert [each.is_intent for each in spool.due("my")] == [True]


def test_entry_takes_the_place_of_its_intent_at_once(spool, clock):
    with spool.writing() as tx:
        append_entry(tx, Entry("my", ENTRY.key, {"n": 0}, 7), clock.now, 60)
    spool.append([ENTRY])
    [found] = spool.due("my")
    assert (found.body, found.cost, found.is_intent) == (ENTRY.body, 0, False)


def test_entry_that_replaced_an_intent_amid_its_delivery_is_delivered(spool, clock):
    paid = Entry("my", ENTRY.key, {}, 7)
    with spool.writing() as tx:
        append_entry(tx, paid, clock.now, 60)
    clock.now += 60
    [intent] = spool.due("my")
    spool.append([paid])
    spool.record(intent, DELIVERED)
    assert [each.is_intent for each in spool.due("my")] == [False]
    assert count_of(spool, "delivered_costs") == 0


def test_file_of_an_earlier_version_is_used_on(tmp_path, clock):
    with closing(sqlite3.connect(tmp_path / "spool.db")) as before:
        before.execute(
            "CREATE TABLE entries (id INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, key TEXT NOT NULL, "
            "body TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, appended_at REAL NOT NULL, "
            "due_at REAL NOT NULL, expires_at REAL NOT NULL, last_error TEXT, dead_reason TEXT, dead_at REAL)"
        )
        before.executemany(
            "INSERT INTO entries (target, key, body, appended_at, due_at, expires_at) "
            "VALUES (?, ?, ?, 1, 1, 1e12)",
            [("my", "old", '{"n": 1}'), ("record", "answer", "{}")],
        )
        before.commit()
    spool = Spool(tmp_path, clock)
    spool.append([ENTRY])
    assert [(each.key, each.cost) for each in spool.due("my")] == [("old", 0), (ENTRY.key, 0)]
    assert [each.key for each in spool.due("import")] == ["answer"]


def rows(spool: Spool, table: str = "entries") -> dict[Any, Any]:
    """Return every row of the table, by its first column."""
    with spool.using() as connection:
        return {row[0]: row for row in connection.execute(f"SELECT * FROM {table}")}


def put_entries(spool: Spool) -> dict[str, Waiting]:
    """Entries of two targets, two that wait and two that are dead; two of them have cost something."""
    names = ("waits", "waits too", "dead", "dead too")
    spool.append([Entry("my", name, {"n": 1}, cost=7 * (name[-3:] != "too")) for name in names])
    spool.append([Entry("other", "dead", {"n": 2}), Entry("other", "waits", {"n": 2})])
    for each in spool.waiting():
        if each.key.startswith("dead"):
            spool.record(each, REFUSED)
    found = [*spool.waiting(), *spool.dead()]
    return {each.key: each for each in found if each.target == "my"}


ACTS: dict[str, tuple[Callable[[Spool, dict[str, Waiting]], object], set[str]]] = {
    "delivery": (lambda spool, at: spool.record(at["waits"], DELIVERED), {"waits"}),
    "failure": (lambda spool, at: spool.record(at["waits"], AGAIN), {"waits"}),
    "giving up": (lambda spool, at: spool.record(at["waits"], REFUSED), {"waits"}),
    "replay of one": (lambda spool, at: spool.replay(at["dead"].id), {"dead"}),
    "replay of one that waits": (lambda spool, at: spool.replay(at["waits"].id), set()),
}


@pytest.mark.parametrize(("act", "own"), ACTS.values(), ids=ACTS.keys())
def test_act_on_an_entry_changes_that_entry_alone(spool, act, own):
    entries = put_entries(spool)
    before = rows(spool)
    act(spool, entries)
    after = rows(spool)
    changed = {key for key, row in before.items() if after.get(key) != row}
    assert changed == {entries[name].id for name in own}


def test_replay_of_all_leaves_what_waits(spool, clock):
    entries = put_entries(spool)
    spool.record(entries["waits"], AGAIN)
    clock.now += 1
    assert spool.replay() == 3
    assert {each.key: each.attempts for each in spool.waiting() if each.target == "my"} == {
        **dict.fromkeys(("waits too", "dead", "dead too"), 0),
        "waits": 1,
    }


def test_blanked_are_the_dead_entries_of_the_target_and_beginning_alone(spool):
    put_entries(spool)
    with spool.writing() as tx:
        blank_dead(tx, "my", "dead")
        blank_dead(tx, "my", "waits")
    blank = {(each.target, each.key) for each in (*spool.waiting(), *spool.dead()) if not each.body}
    assert blank == {("my", "dead"), ("my", "dead too")}


def test_entries_are_listed_by_whether_they_are_dead_and_by_their_target(spool, clock):
    put_entries(spool)
    listed = {
        "waiting": spool.waiting(),
        "dead": spool.dead(),
        "due": spool.due("my"),
        "found": spool.find("my", "waits"),
        "found dead": spool.find("my", "dead", is_dead=True),
        "found dead that wait": spool.find("my", "waits", is_dead=True),
    }
    assert {
        name: sorted((each.target, each.key) for each in its) for name, its in listed.items()
    } == {
        "waiting": [("my", "waits"), ("my", "waits too"), ("other", "waits")],
        "dead": [("my", "dead"), ("my", "dead too"), ("other", "dead")],
        "due": [("my", "waits"), ("my", "waits too")],
        "found": [("my", "waits"), ("my", "waits too")],
        "found dead": [("my", "dead"), ("my", "dead too")],
        "found dead that wait": [],
    }


def test_purge_keeps_what_was_delivered_or_learnt_later(spool, clock):
    for name in ("old", "new"):
        spool.append([Entry("my", name, {}, cost=7)])
        spool.record(spool.waiting()[0], DELIVERED)
        with spool.writing() as tx:
            note_holder(tx, name, {"owner": name}, spool.now)
        clock.now += DEAD_KEPT_SECONDS
    clock.now += 1 - DEAD_KEPT_SECONDS
    spool.purge()
    assert set(rows(spool, "holders")) == {"new"}
    assert len(rows(spool, "delivered_costs")) == 1


def test_name_that_is_free_again_leaves_the_others(spool):
    with spool.writing() as tx:
        for name in ("first", "second"):
            note_holder(tx, name, {"owner": name}, spool.now)
        note_holder(tx, "second", None, spool.now)
        assert [find_holder_of(tx, name) for name in ("first", "second", "third")] == [
            {"owner": "first"},
            None,
            None,
        ]


def test_spool_has_one_name_however_often_it_is_opened(spool, tmp_path):
    for opened in (spool, Spool(tmp_path), Spool(tmp_path)):
        assert len(rows(opened, "names")) == 1


FAILURES: dict[str, tuple[Exception, DeliveryFailure]] = {
    "its database is away": (
        ConnectionError("postgresql://user:secret@host"),
        DeliveryFailure("ConnectionError"),
    ),
    "it is unavailable": (
        StateUnavailableError("it is away", code="away"),
        DeliveryFailure("it is away [away]"),
    ),
    "it can never be": (
        PermanentError("key: expected another", code="odd_key"),
        DeliveryFailure("key: expected another [odd_key]", ends=DeliveryStatus.DEAD),
    ),
    "it has much to say": (
        PermanentError("x" * 999),
        DeliveryFailure("x" * 300, ends=DeliveryStatus.DEAD),
    ),
}


@pytest.mark.parametrize(("error", "failure"), FAILURES.values(), ids=FAILURES.keys())
def test_target_that_raises_is_a_failure_without_an_address(spool, error, failure):
    def target(body: Mapping[str, Any]) -> None:
        raise error

    spool.append([ENTRY])
    assert make_sender({"my": target})(spool.due("my")[0]) == failure


def test_entry_that_somebody_has_damaged_stops_no_other(spool):
    spool.append([Entry("my", key, {"key": key}) for key in "ab"])
    with spool.writing() as tx:
        tx.execute("UPDATE entries SET body = '{not json' WHERE key = 'a'")
    send = make_sender({"my": lambda body: body["key"]})
    assert [send(each) for each in spool.due("my")] == [DeliveryFailure("KeyError"), None]
