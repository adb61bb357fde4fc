"""`castad intake` against a real Valkey: each message once in the ledger, or refused with its reason."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import DatabaseError

from castad.intake.messages import Message, build_refusal, derive_task_id, parse_order
from castad.intake.stream import GROUP, ORDERS, REFUSED, OrderStream, describe_stream
from castad.intake.take_orders import Intake
from resources.contract.errors import CastadError, InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.queries.status import list_requests
from resources.process.settings import Settings
from tests.brokers import RedisServer
from tests.conftest import MakeSettings

BRIEF = {"customer_name": "봄날 베이커리", "region": "전주"}
POISON = {
    "no order": {b"text": b"{}"},
    "no JSON": {b"order": b"{"},
    "no object": {b"order": b"[1]"},
    "a number that is none": {b"order": b'{"customer_name": NaN}'},
    "a member twice": {b"order": b'{"region": "a", "region": "b"}'},
    "a deep nest": {b"order": b"[" * 100_000},
    "no text": {b"order": b"\xff\xfe"},
    "too much": {b"order": b'{"customer_name": "' + b"x" * 1_000_001 + b'"}'},
    "no field of an order": {b"order": b'{"customer": "A"}'},
    "NUL": {b"order": b'{"customer_name": "a\\u0000", "region": "b"}'},
    "half a character": {b"order": b'{"customer_name": "a\\ud800", "region": "b"}'},
    "a bad name": {b"order": b'{"task_id": "../x", "customer_name": "a", "region": "b"}'},
    "no pipeline": {b"order": b'{"pipeline": "none"}'},
    "a file of this machine": {b"order": b'{"pipeline": "analysis", "repository": "/etc"}'},
    "a private picture": {
        b"order": b'{"customer_name": "a", "region": "b", "images": ["http://10.0.0.1/a.jpg"]}'
    },
}


@pytest.fixture(scope="module")
def valkey() -> Iterator[RedisServer]:
    with RedisServer(keeps=True) as server:
        yield server


@pytest.fixture
def client(valkey: RedisServer) -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(valkey.url) as opened:
        opened.flushall()
        yield opened


@pytest.fixture
def stream(valkey: RedisServer, client: "redis.Redis") -> Iterator[OrderStream]:
    opened = OrderStream(valkey.url, claim_seconds=0.0)
    opened.open()
    yield opened
    opened.leave()


@pytest.fixture
def of_shop(make_settings: MakeSettings, db: Database) -> Settings:
    url = None if db.is_sqlite else db.url.render_as_string(hide_password=False)
    return make_settings(intake_owner="shop", database_url=url)


@pytest.fixture
def intake(of_shop: Settings, stream: OrderStream) -> Intake:
    return Intake(stream, of_shop)


def send(client: "redis.Redis", **order: Any) -> str:
    """The id of the message."""
    return str(client.xadd(ORDERS, {"order": json.dumps({**BRIEF, **order})}).decode())


def refused(client: "redis.Redis") -> list[dict[str, str]]:
    """The answers to refused messages."""
    entries: Any = client.xrange(REFUSED)
    return [
        {name.decode(): value.decode("utf-8", "replace") for name, value in fields.items()}
        for _, fields in entries
    ]


def test_message_becomes_a_request_of_the_owner_and_leaves_the_stream(db, client, intake):
    send(client, task_id="a", max_retries=1)
    intake.take_batch()
    [request] = list_requests(db)
    assert (request.task_id, request.source, request.owner, request.max_retries) == (
        *("a", "redis", "shop"),
        1,
    )
    assert client.xlen(ORDERS) == 0


class CutOffStream(OrderStream):
    """A stream whose server is gone when the orders have been committed."""

    def take_out(self, ids: Sequence[str]) -> None:
        raise redis.ConnectionError


def test_message_without_a_task_id_is_the_same_request_at_each_delivery(
    db, client, valkey, intake, of_shop
):
    message = send(client)
    cut_off = Intake(CutOffStream(valkey.url, claim_seconds=0.0), of_shop)
    with pytest.raises(redis.ConnectionError):
        cut_off.take_batch()
    assert client.xlen(ORDERS) == 1
    assert intake.take_batch() == 1
    assert client.xlen(ORDERS) == 0
    assert [request.task_id for request in list_requests(db)] == [derive_task_id(message, ORDERS)]


def test_message_that_was_not_acknowledged_is_claimed_and_is_the_same_request(
    db, client, stream, intake
):
    send(client)
    [taken] = stream.read(10, 0.1)
    intake.take_batch()
    assert len(list_requests(db)) == 1
    pending: Any = client.xpending(ORDERS, GROUP)
    assert (taken.id != "", pending["pending"], client.xlen(ORDERS)) == (True, 0, 0)


@pytest.mark.parametrize("poison", POISON)
def test_poison_is_refused_and_the_next_message_taken(db, client, intake, poison):
    fields: Any = POISON[poison]
    bad = client.xadd(ORDERS, fields).decode()
    send(client, task_id="good")
    intake.take_batch()
    [answer] = refused(client)
    assert answer["id"] == bad
    assert answer["code"]
    assert "expected" in answer["message"], answer
    assert len(answer["order"]) <= 10_000
    assert [request.task_id for request in list_requests(db)] == ["good"]


def test_other_order_of_a_task_id_is_refused_as_a_conflict(db, client, intake):
    send(client, task_id="a")
    send(client, task_id="a", region="elsewhere")
    intake.take_batch()
    assert [answer["code"] for answer in refused(client)] == ["conflict"]
    assert len(list_requests(db)) == 1


def test_deleted_stream_is_made_again(db, client, intake, stream):
    client.delete(ORDERS)
    with pytest.raises(redis.RedisError):
        intake.take_batch()
    stream.open()
    send(client, task_id="a")
    intake.take_batch()
    assert len(list_requests(db)) == 1


def test_summary_counts_what_waits_and_what_was_refused(client, valkey, intake):
    client.xadd(ORDERS, {"text": "poison"})
    intake.take_batch()
    send(client)
    expected = "1 messages in castad:orders, 1 in castad:refused"
    assert describe_stream(valkey.url) == expected


def test_order_is_not_refused_for_a_database_in_a_wrong_state(db, client, intake):
    send(client, task_id="a")
    with db.writing() as tx:
        tx.exec_driver_sql("ALTER TABLE requests RENAME TO requests_away")
    with pytest.raises(DatabaseError):
        intake.take_batch()
    with db.writing() as tx:
        tx.exec_driver_sql("ALTER TABLE requests_away RENAME TO requests")
    intake.take_batch()
    assert [request.task_id for request in list_requests(db)] == ["a"]
    assert refused(client) == []


def test_refusal_that_cannot_be_answered_stays_with_the_group(client, intake):
    client.set(REFUSED, "no stream")
    client.xadd(ORDERS, {"order": "{"})
    intake.take_batch()
    client.delete(REFUSED)
    intake.take_batch()
    assert (len(refused(client)), client.xlen(ORDERS)) == (1, 0)


WRONG_TYPES = {
    "string": lambda client: client.set(REFUSED, "x"),
    "list": lambda client: client.rpush(REFUSED, "x"),
    "set": lambda client: client.sadd(REFUSED, "x"),
    "hash": lambda client: client.hset(REFUSED, "x", "y"),
}


@pytest.mark.parametrize("make", WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_answers_of_a_wrong_type_stop_no_order(db, client, valkey, intake, make):
    make(client)
    for number in range(3):
        client.xadd(ORDERS, {"order": "{"})
        send(client, task_id=f"in-a-batch-{number}")
    intake.take_batch()
    send(client, task_id="later")
    intake.take_batch()
    assert len(list_requests(db)) == 4
    with pytest.raises(CastadError, match="castad:refused: expected a stream"):
        describe_stream(valkey.url)
    client.delete(REFUSED)
    intake.take_batch()
    assert (len(refused(client)), client.xlen(ORDERS)) == (3, 0)


@given(st.dictionaries(st.binary(max_size=20), st.binary(max_size=200), max_size=4))
def test_any_message_is_an_order_or_refused_by_its_field(fields):
    message, named = Message("1-1", fields), "task_id"
    try:
        order: Mapping[Any, Any] = parse_order(message, ORDERS)
    except InvalidInputError as error:
        order, named = build_refusal(message, error), "field"
    assert order[named]


@given(
    st.integers(9_980, 10_010) | st.just(0),
    st.binary(max_size=40),
    st.text(st.characters(), max_size=50),
)
def test_refusal_is_always_utf8(before, end, words):
    message = Message("1-1", {b"order": b"x" * before + end})
    fields = build_refusal(message, InvalidInputError(words, words))
    assert all(value.decode() is not None for value in fields.values())


def test_order_in_a_refusal_is_cut_between_characters():
    order = "가".encode() * 4_000
    shown = build_refusal(Message("1-1", {b"order": order}), CastadError("no"))["order"]
    assert shown.decode() == "가" * 3_333
