"""Following live: every event once and in order, over reconnects and restarts."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine, event, text

from resources.ledger.transitions.access import revoke_key
from tests.api_house import Frame, House, served, stream, use_ledger
from tests.eventually import eventually


@pytest.fixture(autouse=True)
def ledger_of_this_test(ledger_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_ledger(ledger_url, monkeypatch)


@pytest.fixture
def client(house: House) -> httpx.Client:
    return house.admin()


@contextmanager
def statements_with(part: str) -> Iterator[list[str]]:
    """The statements with this text that are executed in the block."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if part in statement:
            seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@contextmanager
def readers_of(part: str) -> Iterator[set[str]]:
    """The threads that execute statements with this text in the block."""
    seen: set[str] = set()

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if part in statement:
            seen.add(threading.current_thread().name)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def seqs(seen: list[Frame]) -> list[int]:
    return [frame.data["seq"] for frame in seen if frame.event == "message"]


def followed(client: httpx.Client, task_id: str = "r", after: str | None = None) -> list[Frame]:
    """All of a stream, until it ends by itself."""
    with stream(client, f"/v1/pipeline/events/{task_id}", after) as each:
        return list(each)


def test_stream_tells_how_the_order_stands_what_was_before_and_what_comes(client, house):
    lease = house.steps.working()
    with stream(client, "/v1/pipeline/events/r") as each:
        seen = list(islice(each, 4))
        house.steps.make_all(lease)
        seen += list(each)
    first, last = seen[0], seen[-1]
    assert (first.event, first.id, first.data["overall_status"]) == ("snapshot", None, "processing")
    assert seqs(seen) == [*range(1, house.steps.row().seq + 1)]
    assert [each.id for each in seen if each.event == "message"] == [str(at) for at in seqs(seen)]
    assert (last.event, last.data["status"]) == ("end", "completed")
    assert b"\r" not in client.get("/v1/pipeline/events/r").content


def test_stream_of_an_order_that_has_ended_tells_what_is_missed_and_ends(client, house):
    house.steps.completed()
    last = house.steps.row().seq
    assert seqs(followed(client)) == [*range(1, last + 1)]
    assert seqs(followed(client, after="3")) == [*range(4, last + 1)]
    [end] = followed(client, after=str(last))
    assert (end.event, end.id) == ("end", f"{last}.end")
    answer = client.get("/v1/pipeline/events/r", headers={"Last-Event-ID": str(end.id)})
    assert (answer.status_code, answer.content) == (204, b"")


def test_stream_goes_on_over_a_restart_of_the_api(house):
    key = house.key("admin", "admin")
    lease = house.steps.working()
    with stream(house.client(key), "/v1/pipeline/events/r") as each:
        seen = list(islice(each, 3))
    with served() as other:
        house.steps.make_all(lease)
        seen += followed(other.client(key), after=seen[-1].id)
        last = other.steps.row().seq
    assert seqs(seen) == [*range(1, last + 1)]


def test_reconnect_after_the_end_of_an_order_that_was_retried_since_gets_its_new_events(
    client, house
):
    house.steps.dead()
    ended = followed(client)[-1]
    house.steps.retry()
    house.steps.cancel()
    first = house.steps.row().seq - 1
    assert seqs(followed(client, after=ended.id)) == [first, first + 1]


def test_end_has_the_error_of_a_dead_order_whose_last_event_is_another(client, house):
    house.steps.dead()
    house.steps.edit("priority = 1")
    end = followed(client)[-1]
    assert (end.data["status"], end.data["error"]["code"]) == ("dead", "for_none")


def test_order_that_came_back_from_the_dead_is_followed_on(client, house):
    house.steps.dead()
    house.steps.retry()
    with stream(client, "/v1/pipeline/events/r") as each:
        seen = list(islice(each, 1 + house.steps.row().seq))
        house.steps.cancel()
        seen += list(each)
    assert seqs(seen) == [*range(1, house.steps.row().seq + 1)]


def test_last_event_id_of_another_stream_is_refused(client, house):
    house.steps.order()
    of_an_order = [
        ("/v1/pipeline/events/r", each) for each in ("x", "-1", "1.5", "99", "٣", "1" * 30)
    ]
    of_all = [("/v1/admin/events", each) for each in ("x", "999999999999", "1!1!1", "-1", "9!5-2")]
    for path, given in of_an_order + of_all:
        answer = client.get(path, headers={"Last-Event-ID": given.encode()})
        assert (answer.status_code, answer.json()["field"]) == (422, "Last-Event-ID"), given


def test_silence_is_broken_by_comments(client, house):
    house.steps.order()
    with client.stream("GET", "/v1/pipeline/events/r") as response:
        assert ":" in (line.strip() for line in response.iter_lines())


def test_stream_tells_only_of_its_own_order(client, house):
    house.steps.order("a")
    house.steps.order("b")
    with stream(client, "/v1/pipeline/events/a") as each:
        seen = [next(each), next(each)]
        house.steps.cancel("b")
        house.steps.cancel("a")
        seen += list(each)
    assert {frame.data["task_id"] for frame in seen} == {"a"}


def test_many_streams_of_many_orders_each_see_every_event_once(house):
    key, names = house.key("admin", "admin"), [f"order-{number}" for number in range(5)]
    leases = [house.steps.working(name) for name in names]
    with ThreadPoolExecutor(20) as pool:
        client = httpx.Client(
            base_url=house.url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=60,
            verify=False,
            limits=httpx.Limits(max_connections=30),
        )
        streams = [pool.submit(followed, client, name) for name in names * 4]
        for lease in leases:
            house.steps.make_all(lease)
        told = [seqs(each.result()) for each in streams]
        client.close()
    assert told == [[*range(1, house.steps.row(name).seq + 1)] for name in names * 4]


def test_stream_ends_when_its_key_is_revoked(house):
    key = house.key("admin", "admin")
    house.steps.order()
    with stream(house.client(key), "/v1/pipeline/events/r") as each:
        seen = [next(each), next(each)]
        revoke_key(house.db, str(key).split("_")[1])
        seen += list(each)
    assert [frame.event for frame in seen] == ["snapshot", "message"]


def test_odd_event_of_an_operator_silences_nobody(client, house):
    house.steps.order("odd")
    house.steps.order("a")
    with stream(client, "/v1/admin/events") as each:
        next(each)
        for data in ('{"cost": "x", "set": {}}', '{"stage": [1], "set": {}}'):
            house.steps.sql("UPDATE events SET data = :data", data=data)
        house.steps.sql(
            'INSERT INTO events (request_id, seq, type, "to", data) '
            "SELECT id, 99, 'odd', 'pending', '{\"cost\": \"x\"}' FROM requests WHERE task_id = 'odd'"
        )
        house.steps.cancel("a")
        seen = [next(each), next(each)]
    assert [frame.data["seq"] for frame in seen] == [99, 2]


def test_stream_of_an_order_that_came_back_before_the_end_was_sent_continues(client, house):
    house.steps.order()
    with stream(client, "/v1/pipeline/events/r") as each:
        seen = [next(each), next(each)]
        with house.db.writing() as tx:
            tx.execute(text("UPDATE requests SET status = 'canceled'"))
            tx.execute(text("UPDATE requests SET status = 'pending'"))
        seen += list(islice(each, 2))
        house.steps.cancel()
        seen += list(each)
    assert seqs(seen) == [1, 2, 3, 4]


# Of all orders


def test_stream_of_all_orders_tells_every_event_once(client, house):
    with stream(client, "/v1/admin/events") as each:
        next(each)
        for name in ("a", "b"):
            house.steps.order(name)
            house.steps.cancel(name)
        seen = list(islice(each, 4))
    assert [(frame.data["task_id"], frame.data["seq"]) for frame in seen] == [
        *[("a", 1), ("a", 2)],
        *[("b", 1), ("b", 2)],
    ]


def test_stream_for_watching_shows_what_a_changed_order_is_like_after_its_event(client, house):
    with stream(client, "/v1/admin/stream") as each:
        next(each)
        house.steps.order("a")
        seen = [next(each), next(each)]
    shown = seen[1].data["orders"][0]
    assert [frame.event for frame in seen] == ["message", "orders"]
    assert (shown["task_id"], shown["status"], shown["seq"]) == ("a", "pending", 1)


@contextmanager
def elsewhere(house: House, table: str) -> Iterator[None]:
    """While the block runs, nobody finds the table."""
    house.steps.sql(f"ALTER TABLE {table} RENAME TO moved")
    try:
        yield
    finally:
        house.steps.sql(f"ALTER TABLE moved RENAME TO {table}")


def test_changed_orders_are_shown_though_progress_was_not_readable_meanwhile(client, house, caplog):
    house.steps.order("a")
    with stream(client, "/v1/admin/stream") as each:
        next(each)
        with elsewhere(house, "stages"):
            # After an error, each look at the events is followed by one at the progress, which fails again.
            assert eventually(lambda: "event feed not readable" in caplog.text)
            house.steps.sql(
                'INSERT INTO events (request_id, seq, type, "to", data) '
                "SELECT id, 2, 'odd', 'pending', '{}' FROM requests"
            )
            assert next(each).data["seq"] == 2
        assert next(each).event == "orders"


def test_changed_orders_are_read_once_for_all_that_watch(client, house):
    with (
        stream(client, "/v1/admin/stream") as one,
        stream(client, "/v1/admin/stream") as other,
        statements_with("FROM artifacts") as read,
    ):
        next(one), next(other)
        house.steps.order("a")
        assert [next(one), next(one)] == [next(other), next(other)]
    assert len(read) == 1


def test_one_thread_reads_the_events_for_all_that_watch(client, house):
    with ExitStack() as opened, readers_of("FROM events") as readers:
        streams = [opened.enter_context(stream(client, "/v1/admin/stream")) for _ in range(20)]
        # What comes after its first changed orders, a stream is told by others.
        house.steps.order("a")
        for each in streams:
            assert any(frame.event == "orders" for frame in each)
        readers.clear()
        house.steps.order("b")
        for each in streams:
            assert next(each).data["task_id"] == "b"
        assert readers - {threading.current_thread().name} == {"castad-broadcaster"}


def test_stream_of_all_orders_goes_on_where_it_was_left(client, house):
    with stream(client, "/v1/admin/events") as each:
        begun = next(each)
        house.steps.order("a")
        first = next(each)
    house.steps.order("b")
    with stream(client, "/v1/admin/events", first.id) as each:
        next(each)
        second = next(each)
    with stream(client, "/v1/admin/events", begun.id) as each:
        next(each)
        both = [next(each), next(each)]
    assert [frame.data["task_id"] for frame in (first, second, *both)] == ["a", "b", "a", "b"]


def test_stream_of_all_orders_has_the_progress_of_those_at_work(client, house):
    lease = house.steps.working("a")
    house.steps.begin(lease)
    with stream(client, "/v1/admin/events") as each:
        next(each)
        house.steps.sql("UPDATE stages SET progress = 0.5")
        shown = next(frame.data for frame in each if frame.event == "progress")
    assert (shown["task_id"], shown["stage"]) == ("a", "lyric")


def test_stream_of_an_owner_tells_of_his_orders_only(house):
    for name, owner in (("a", "shop"), ("b", "cafe")):
        house.steps.order(name, owner=owner)
        house.steps.dispatch()
        house.steps.begin(house.steps.take(name, dispatched_as=1))
    with stream(house.as_("shop"), "/v1/pipeline/events") as each:
        next(each)
        for name in ("b", "a"):
            house.steps.edit("priority = 7", name)
        seen = [next(each), next(each)]
    assert {frame.event for frame in seen} == {"message", "progress"}
    assert {frame.data["task_id"] for frame in seen} == {"a"}


def test_stream_of_an_owner_goes_on_after_the_events_of_others(house):
    with stream(client := house.as_("shop"), "/v1/pipeline/events") as each:
        begun = next(each)
    house.steps.order("b", owner="cafe")
    house.steps.order("a", owner="shop")
    with stream(client, "/v1/pipeline/events", begun.id) as each:
        next(each)
        missed = next(each)
        house.steps.cancel("b")
        house.steps.cancel("a")
        told = next(each)
    assert [(frame.data["task_id"], frame.data["seq"]) for frame in (missed, told)] == [
        ("a", 1),
        ("a", 2),
    ]


def test_stream_of_an_owner_says_how_far_it_is_though_nothing_of_it_happens(house):
    with house.as_("shop").stream("GET", "/v1/pipeline/events") as response:
        lines = response.iter_lines()
        first = next(line for line in lines if line.startswith("id: "))
        house.steps.order("b", owner="cafe")
        assert next(line for line in lines if line.startswith("id: ")) != first


def test_thousand_events_at_once_are_told_in_order(client, house):
    house.steps.order()
    with stream(client, "/v1/pipeline/events/r") as each:
        seen = [next(each), next(each)]
        for _ in range(1100):
            house.steps.sql("UPDATE requests SET priority = priority + 1")
        seen += list(islice(each, 1100))
    assert seqs(seen) == [*range(1, 1102)]


def test_nobody_is_listened_for_once_all_have_left(client, house):
    house.steps.order()
    for _ in range(5):
        with stream(client, "/v1/pipeline/events/r") as each:
            next(each)
    assert eventually(lambda: house.app.state.api.broadcaster.listeners == 0)


@pytest.mark.parametrize("is_ordered_again", [False, True])
def test_stream_of_an_order_that_was_deleted_ends(client, house, is_ordered_again):
    house.app.state.api.idle_seconds_before_recheck = 1
    house.steps.order()
    with stream(client, "/v1/pipeline/events/r") as each:
        seen = [next(each), next(each)]
        with house.db.writing() as tx:
            tx.execute(text("DELETE FROM requests"))
        if is_ordered_again:
            house.steps.dead()
        seen += list(each)
    end = seen[-1]
    assert (end.event, end.data["status"], end.data["error"]) == ("end", "deleted", None)
