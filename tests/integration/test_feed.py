"""The feed tells every event once, whatever the order in which transactions end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, create_engine, event, text

from resources.ledger.db.database import Database
from resources.ledger.queries.feed import (
    LONGEST_CURSOR,
    Cursor,
    Feed,
    filter_still_open,
    find_newest_event_id,
    open_feed_from_now,
)
from resources.ledger.transitions.orders import cancel_request
from tests.ledger_steps import Steps

ids = st.sets(st.integers(1, 40), max_size=20)


def test_cursor_past_what_it_contains_is_the_same():
    cursor = Cursor(0).past([2, 3, 6])
    assert [cursor.past([event_id]) for event_id in (2, 3, 6)] == [cursor] * 3


@given(st.integers(0, 10), ids, ids)
def test_cursor_contains_what_it_went_past_and_nothing_else(top, first, second):
    cursor = Cursor(top).past(first).past(second)
    assert {each for each in range(41) if each in cursor} == {*range(top + 1), *first, *second}


@given(st.integers(0, 10), ids, st.integers(0, 45))
def test_settled_cursor_misses_nothing_up_to_there(top, seen, up_to):
    cursor = Cursor(top).past(seen)
    expected = {*range(min(up_to, cursor.top) + 1), *(n for n in range(41) if n in cursor)}
    assert {each for each in range(41) if each in cursor.without_gaps_below(up_to)} == expected


@given(st.integers(0, 10), ids, ids)
def test_joined_cursors_contain_what_either_contains(top, first, second):
    joined = Cursor(top).past(first).joined(Cursor(0).past(second))
    assert {each for each in range(1, 41) if each in joined} == {
        *range(1, top + 1),
        *first,
        *second,
    }
    assert Cursor.read(str(joined)) == joined


@given(ids, st.integers(0, 45))
@example({2}, 1)
def test_cursor_up_to_an_event_contains_what_it_contained_up_to_there(seen, up_to):
    cut = Cursor(0).past(seen).up_to(up_to)
    assert {each for each in range(1, 41) if each in cut} == {
        each for each in seen if each <= up_to
    }


@given(st.integers(0, 10), ids, st.integers(0, 45))
def test_what_a_cursor_misses_are_no_empty_gaps(top, seen, up_to):
    missing = Cursor(top).past(seen).missing(up_to)
    assert all(first <= last for first, last in missing)


@pytest.mark.parametrize("written", ["5!3-5", "5!5-5", "5!4-3", "5!2-4.3-4", "٥"])
def test_cursor_with_gaps_that_cannot_be_is_none(written):
    assert Cursor.read(written) is None


@pytest.mark.parametrize(("digits", "fits"), [(16, True), (17, False)])
def test_cursor_of_a_headers_length_fits(digits, fits):
    gaps = tuple((each, each) for each in range(20_000, 20_664, 2))
    cursor = Cursor(10 ** (digits - 1), gaps)
    assert (len(str(cursor)), cursor.fits_header) == (LONGEST_CURSOR - 16 + digits, fits)


@given(st.text("0123456789!. -x", max_size=30))
def test_cursor_of_any_text_is_one_or_none(written):
    cursor = Cursor.read(written)
    assert cursor is None or Cursor.read(str(cursor)) == cursor


@given(st.integers(1, 17), st.integers(0, 1200))
def test_cursor_that_is_written_is_read_and_no_longer_than_a_header_may_be(digits, gaps):
    cursor = Cursor(10**digits).past(10**digits + 2 * each for each in range(1, gaps + 1))
    assert not cursor.fits_header or len(str(cursor)) <= LONGEST_CURSOR
    assert cursor.fits_header or gaps > LONGEST_CURSOR / 40
    assert Cursor.read(str(cursor)) == cursor


def told(feed: Feed) -> list[tuple[str, int]]:
    return [(event.task_id, event.seq) for event in feed.list_new_events()]


def test_feed_tells_every_event_once_and_in_order(db, steps):
    steps.order("a")
    feed = Feed(db, Cursor(0))
    first = told(feed)
    cancel_request(db, "a")
    assert [first, told(feed), told(feed)] == [[("a", 1)], [("a", 2)], []]


def test_feed_from_now_tells_only_what_comes(db, steps):
    steps.order("a")
    feed = open_feed_from_now(db)
    cancel_request(db, "a")
    assert told(feed) == [("a", 2)]


def test_feed_forgets_gaps_that_deleted_orders_left(db, steps):
    steps.order("a")
    steps.order("b")
    feed = Feed(db, Cursor(0))
    with db.writing() as tx:
        tx.execute(text("DELETE FROM requests WHERE task_id = 'a'"))
    for _ in range(3):
        told(feed)
    assert not feed.cursor.gaps


@pytest.fixture
def ledger(postgres_ledger_url: str) -> Iterator[Database]:
    database = Database(postgres_ledger_url)
    yield database
    database.close()


def order_late(late: Connection) -> None:
    late.execute(text("INSERT INTO requests (task_id, payload) VALUES ('late', '{}')"))


def test_prepared_transaction_whose_server_restarted_may_be_any_that_was_open():
    assert filter_still_open(frozenset({"4/4"}), frozenset({"-1/733", "5/1"})) == {"-1/733"}


def test_feed_from_now_tells_what_was_being_written_below_a_thousand_others(ledger, late):
    order_late(late)
    Steps(ledger).sql(
        "INSERT INTO requests (task_id, payload) SELECT 'many-' || n, '{}' FROM generate_series(1, 1500) n"
    )
    feed = open_feed_from_now(ledger)
    late.commit()
    assert told(feed) == [("late", 1)]


def test_feed_tells_all_of_a_transaction_that_is_larger_than_a_look(ledger, late):
    feed = open_feed_from_now(ledger)
    late.execute(
        text(
            "INSERT INTO requests (task_id, payload) SELECT 'late-' || n, '{}' FROM generate_series(1, 600) n"
        )
    )
    Steps(ledger).order("early")
    told(feed)
    late.commit()
    assert [len(told(feed)) for _ in range(3)] == [500, 100, 0]


def test_feed_from_now_knows_no_gaps_where_nothing_is_being_written(db, steps):
    for name in "abc":
        steps.order(name)
    steps.sql("DELETE FROM requests WHERE task_id = 'b'")
    assert open_feed_from_now(db).cursor.gaps == ()


def test_feed_from_now_looks_back_a_hundred_thousand_ids(ledger, late):
    steps = Steps(ledger)
    steps.order("first")
    first = find_newest_event_id(ledger)
    for at, name in ((10, "before"), (11, "oldest"), (12, "next"), (100_011, "newest")):
        steps.sql(f"SELECT setval('events_id_seq', {first + at - 1})")
        steps.order(name)
    order_late(late)
    assert open_feed_from_now(ledger).cursor.gaps == ((first + 13, first + 100_010),)


def test_feed_from_now_tells_what_becomes_visible_amid_its_beginning(ledger, late):
    Steps(ledger).order("first")
    order_late(late)

    def order_twice() -> None:
        Steps(ledger).order("a")
        Steps(ledger).order("b")

    with after_the_first_statement(order_twice):
        feed = open_feed_from_now(ledger)
    assert all(last < feed.cursor.top for _, last in feed.cursor.gaps)
    late.commit()
    assert sorted(told(feed)) == [("a", 1), ("b", 1), ("late", 1)]


def test_cursor_stays_short_above_an_open_transaction(ledger, late):
    feed = open_feed_from_now(ledger)
    order_late(late)
    for number in range(3):
        Steps(ledger).sql(
            f"INSERT INTO requests (task_id, payload) SELECT '{number}-' || n, '{{}}' "
            "FROM generate_series(1, 400) n"
        )
        told(feed)
    assert len(feed.cursor.gaps) == 1


def test_feed_tells_of_new_orders_after_the_newest_were_deleted(db, steps):
    steps.order("a")
    steps.order("b")
    feed = open_feed_from_now(db)
    with db.writing() as tx:
        tx.execute(text("DELETE FROM requests"))
    steps.order("c")
    assert told(feed) == [("c", 1)]


def test_feed_tells_what_becomes_visible_amid_a_look(ledger, late):
    feed = open_feed_from_now(ledger)
    order_late(late)
    Steps(ledger).order("early")
    told(feed)
    with after_the_first_statement(late.commit):
        amid = told(feed)
    assert [*amid, *told(feed), *told(feed)] == [("late", 1)]


@contextmanager
def after_the_first_statement(act: Callable[[], None]) -> Iterator[None]:
    """Do this once the block has executed a statement, and before it executes another."""
    event.listen(Engine, "after_cursor_execute", lambda *_: act(), once=True)
    yield


BYSTANDERS = {
    "has a number": "SELECT pg_current_xact_id()",
    "writes elsewhere": "DELETE FROM workers",
    "reads": "SELECT count(*) FROM events",
    "dumps": "SELECT last_value FROM events_id_seq",
}


@pytest.fixture
def bystander(postgres_ledger_url: str) -> Iterator[Connection]:
    engine = create_engine(postgres_ledger_url)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.mark.parametrize("what", BYSTANDERS.values(), ids=BYSTANDERS)
def test_transaction_that_has_drawn_no_id_keeps_no_gap_open(ledger, late, bystander, what):
    feed = open_feed_from_now(ledger)
    bystander.execute(text(what))
    order_late(late)
    Steps(ledger).order("early")
    late.rollback()
    seen = [told(feed), told(feed)]
    assert (seen, feed.cursor.gaps) == ([[("early", 1)], []], ())


def test_transaction_in_a_copy_of_the_ledger_keeps_no_gap_open(
    postgres_server, new_postgres_ledger
):
    names = [f"copy_{uuid4().hex}" for _ in range(2)]
    one, other = (Database(postgres_server.create(name, new_postgres_ledger)) for name in names)
    with other.reading() as elsewhere, one.reading() as here:
        elsewhere.execute(text("BEGIN"))
        elsewhere.execute(text("SELECT nextval('events_id_seq')"))
        feed = open_feed_from_now(one)
        here.execute(text("SELECT nextval('events_id_seq')"))
        Steps(one).order("early")
        assert (told(feed), told(feed), feed.cursor.gaps) == ([("early", 1)], [], ())
    for database, name in zip((one, other), names, strict=True):
        database.close()
        postgres_server.drop(name)


def test_gap_stays_open_for_as_long_as_one_that_may_fill_it(ledger, late, bystander):
    feed = open_feed_from_now(ledger)
    bystander.execute(text("SELECT nextval('events_id_seq')"))
    for number in range(5):
        order_late(late)
        Steps(ledger).order(f"early-{number}")
        late.rollback()
        assert told(feed) == [(f"early-{number}", 1)]
    assert len(feed.cursor.gaps) == 5
    bystander.rollback()
    told(feed), told(feed)
    assert not feed.cursor.gaps
