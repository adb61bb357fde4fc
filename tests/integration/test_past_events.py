"""What a reader has missed is told once, in order, and to its owner alone."""

from sqlalchemy import select

from resources.ledger.queries.feed import Cursor, PastEvents, open_feed_from_now
from resources.ledger.schema.tables import events
from tests.ledger_steps import Steps

NOWHERE = Cursor(0)


def told(past: PastEvents) -> list[int]:
    found = []
    while not past.is_over:
        found += [event.id for event in past.list_next_events()]
    return found


def ids(steps: Steps) -> list[int]:
    with steps.db.reading() as tx:
        return [*tx.execute(select(events.c.id).order_by(events.c.id)).scalars()]


def test_past_of_two_cursors_is_what_only_the_second_contains(db, steps):
    for name in "abcde":
        steps.order(name)
    a, b, c, d, e = ids(steps)
    since, until = Cursor(a - 1).past([b, d]), Cursor(a).past([b, c, d])
    assert told(PastEvents(db, since, until)) == [a, c]
    assert told(PastEvents(db, since, Cursor(e))) == [a, c, e]
    assert PastEvents(db, Cursor(e), until).is_over


def test_past_of_an_owner_has_his_events_alone(db, steps):
    for name, owner in (("a", "shop"), ("b", "cafe"), ("c", "shop")):
        steps.order(name, owner=owner)
    a, _, c = ids(steps)
    assert told(PastEvents(db, NOWHERE, open_feed_from_now(db).cursor, "shop")) == [a, c]


def test_long_past_is_told_whole(db, steps):
    steps.order()
    steps.sql(
        "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) "
        'INSERT INTO events (request_id, seq, type, "to", data) '
        "SELECT requests.id, i, 'odd', 'pending', '{}' FROM n, requests"
    )
    assert told(PastEvents(db, NOWHERE, open_feed_from_now(db).cursor)) == ids(steps)


def test_past_goes_beyond_a_wide_stretch_of_nothing(db, steps):
    steps.order()
    [last] = ids(steps)
    assert told(PastEvents(db, Cursor(last - 50_000), Cursor(last))) == [last]


def test_place_in_the_past_leaves_out_what_is_not_visible_yet(db):
    past = PastEvents(db, Cursor(2), Cursor(2).past([4, 6, 9]))
    assert past.find_cursor_at(6) == Cursor(2).past([4, 6])


def test_past_of_many_short_gaps_has_each_of_them_and_nothing_between(db, steps):
    for number in range(30):
        steps.order(f"r{number}")
    all_of_them = ids(steps)
    missed, had = all_of_them[::2], all_of_them[1::2]
    since = Cursor(all_of_them[0] - 1).past(had)
    assert told(PastEvents(db, since, Cursor(all_of_them[-1]))) == missed
