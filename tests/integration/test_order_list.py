"""Orders in a list can be recognised and found, whatever is in them, at the same cost however many they are."""

import json
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event

from castad.views.order_list import OrderBody, parse_search_words, read_page, search_rows
from castad.views.snapshot import read_snapshot
from castad.views.status_body import StatusBody, build_status_body
from resources.ledger.queries.listing import RequestFilter
from tests.ledger_steps import Steps

ALL = RequestFilter()
BAKERY = {"customer_name": "Bluebird 봄날 베이커리", "region": "전주"}


@contextmanager
def counted() -> Iterator[list[str]]:
    """The statements that are executed in the block."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def sing(steps: Steps, task_id: str, title: str, text: str) -> None:
    """The order's lyric is made."""
    steps.sql(
        "INSERT INTO stages (request_id, stage, generation, status, result) "
        "SELECT id, 'lyric', 1, 'completed', :result FROM requests WHERE task_id = :task_id",
        task_id=task_id,
        result=json.dumps({"title": title, "text": text}, ensure_ascii=False),
    )


def draw(steps: Steps, task_id: str, *names: str) -> None:
    """The order's video has these pictures."""
    for name in names:
        steps.sql(
            "INSERT INTO artifacts (request_id, stage, generation, name, sha256, bytes, media_type, "
            "\"where\") SELECT id, 'video', 1, :name, '0', 1, 'image/jpeg', :name FROM requests "
            "WHERE task_id = :task_id",
            task_id=task_id,
            name=name,
        )


def listed(steps: Steps, task_id: str = "r") -> OrderBody:
    return next(
        each for each in read_page(steps.db, ALL, limit=50).orders if each.task_id == task_id
    )


def status(steps: Steps, tmp_path: Any, task_id: str = "r") -> StatusBody:
    return build_status_body(read_snapshot(steps.db, task_id, tmp_path), "http://ui")


def found(steps: Steps, query: str, wanted: RequestFilter = ALL) -> list[str]:
    page = read_page(steps.db, wanted, words=parse_search_words(query), limit=50)
    return [order.task_id for order in page.orders]


def test_list_shows_what_an_order_is_about_where_it_is_and_what_it_cost(steps):
    steps.order(payload=BAKERY)
    steps.dispatch()
    lease = steps.take(dispatched_as=1)
    steps.save_intent(lease, steps.begin(lease), cost=400)
    draw(steps, "r", "thumbnail.jpg")
    order = listed(steps)
    assert (order.summary, order.progress, order.cost_usd, order.cover) == (
        "Bluebird 봄날 베이커리, 전주, 20 s",
        0,
        0.0004,
        "/artifacts/r/thumbnail.jpg",
    )


def test_page_takes_as_many_statements_for_many_orders_as_for_one(steps):
    for number in range(20):
        steps.order(f"r{number}", payload=BAKERY)
    with counted() as few:
        read_page(steps.db, ALL, limit=1)
    with counted() as many:
        read_page(steps.db, ALL, limit=20)
    assert len(few) == len(many) <= 5


def test_order_that_is_not_understood_has_no_summary_and_harms_no_other(steps):
    steps.order("good", payload=BAKERY)
    for number, payload in enumerate(("{}", "[1", "null", '{"customer_name": 5}', "[" * 9999)):
        steps.order(f"bad{number}", payload={"of": number})
        steps.edit("payload = :payload", f"bad{number}", payload=payload)
    summaries = {
        order.task_id: order.summary for order in read_page(steps.db, ALL, limit=50).orders
    }
    good = summaries.pop("good")
    assert (good is not None, {*summaries.values()}) == (True, {None})


def test_progress_in_the_list_is_that_of_the_status(steps, tmp_path):
    lease = steps.working()
    steps.make_stage(lease, "lyric")
    steps.begin(lease, "song")
    steps.sql("UPDATE stages SET progress = 0.5 WHERE stage = 'song'")
    assert listed(steps).progress == status(steps, tmp_path).progress == 50


def test_status_has_the_order_with_its_defaults_and_the_words_of_its_products(steps, tmp_path):
    steps.order(payload=BAKERY)
    sing(steps, "r", "Blue", "come in")
    body = status(steps, tmp_path)
    assert body.brief is not None
    assert (body.brief["region"], body.brief["vocals"]) == ("전주", True)
    assert body.words == "Blue\n\ncome in"


def test_status_of_an_order_that_is_not_understood_has_neither_brief_nor_words(steps, tmp_path):
    steps.order(payload={"brief": 1})
    body = status(steps, tmp_path)
    assert (body.summary, body.brief, body.words, body.cover) == (None, None, None, None)


# Search


def test_order_is_found_by_all_words_of_its_fields_its_products_and_its_name(steps):
    steps.order("shop-1", payload=BAKERY)
    sing(steps, "shop-1", "노래", "어서\n오세요")
    steps.order("other", payload={"customer_name": "Other", "region": "부산"})
    words = ["bluebird", "BLUEBIRD", "봄날", "베이커", "전주 blue", "shop-1", "SHOP", "어서 오세요"]
    for query in (*words, unicodedata.normalize("NFD", "봄날")):
        assert found(steps, query) == ["shop-1"], query
    for query in ("봄날 부산", "customer_name", "bluebird2", "song_video"):
        assert found(steps, query) == [], query


def test_name_of_odd_characters_is_found_and_stands_for_nothing_else(steps):
    names = [
        "100% sure",
        "a_b",
        'say "hi"',
        "back\\slash",
        "it's",
        "a/b",
        "! stop",
        "🎂 cake",
        "-- x",
    ]
    names += ["'; DROP TABLE requests", "é", "plain"]
    for number, name in enumerate(names):
        steps.order(f"r{number}", payload={**BAKERY, "customer_name": name})
    assert [found(steps, name) for name in names] == [[f"r{each}"] for each in range(len(names))]


def test_order_is_found_in_whatever_form_its_payload_was_written(steps):
    steps.order("r")
    readable = json.dumps(BAKERY, ensure_ascii=False)
    forms = [unicodedata.normalize(form, readable) for form in ("NFC", "NFD")]
    for payload in (json.dumps(BAKERY), *forms):
        steps.edit("payload = :payload", payload=payload)
        assert found(steps, "봄날 전주") == ["r"]


def test_search_is_in_what_the_filter_leaves(steps):
    steps.order("a", payload=BAKERY, owner="shop")
    steps.order("b", payload=BAKERY, owner="cafe")
    assert found(steps, "봄날", RequestFilter(owner="shop")) == ["a"]


def test_pages_of_a_search_hold_every_order_that_has_the_words_once(steps):
    for number in range(7):
        name = "봄날" if number % 2 == 0 else "가을"
        steps.order(f"r{number}", payload={**BAKERY, "customer_name": name})
    seen, after = [], None
    while True:
        page = read_page(steps.db, ALL, words=["봄날"], after=after, limit=2)
        seen += [order.task_id for order in page.orders]
        if page.next is None:
            break
        after = int(page.next)
    assert seen == ["r6", "r4", "r2", "r0"]


def test_call_looks_at_so_many_orders_at_most_and_says_where_to_go_on(steps):
    steps.order("first", payload=BAKERY)
    for number in range(4):
        steps.order(f"r{number}", payload={"customer_name": "가을", "region": "부산"})
    after, calls = None, []
    for _ in range(3):
        rows, after = search_rows(steps.db, ALL, ["봄날"], after=after, limit=5, look_at=2)
        calls.append(([row.request.task_id for row in rows], after is None))
    assert calls == [([], False), ([], False), (["first"], True)]
