"""Many orders at once: all of them or none, on both databases."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from castad.orders.orders_file import CheckedOrder
from castad.orders.submit import submit_all
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import ConflictError
from resources.ledger.queries.status import list_event_views, list_requests
from resources.ledger.transitions.orders import NewRequest, submit_orders
from tests.song_video import SONG_VIDEO, normalize


def new(task_id: str, brief: int = 1, **chosen: int) -> NewRequest:
    return NewRequest(
        task_id,
        {"brief": brief},
        pipeline="song_video",
        source="test",
        same_order=lambda stored, given: stored == given,
        **chosen,
    )


def checked(row: int, task_id: str | None, customer: str) -> CheckedOrder:
    payload = normalize({"customer_name": customer, "region": "B"})
    return CheckedOrder(f"orders.csv row {row}", task_id, SONG_VIDEO, payload)


def names(db: Database) -> set[str]:
    return {request.task_id for request in list_requests(db)}


@pytest.mark.parametrize("taken", ["a", "m", "z"])
def test_a_conflict_anywhere_leaves_no_row(steps, taken):
    steps.order(taken, {"brief": 2})
    with pytest.raises(ConflictError, match=repr(taken)):
        submit_orders(steps.db, [new(name) for name in ("c", "z", "b", "m", "a")])
    assert names(steps.db) == {taken}


def test_a_conflict_between_two_of_the_same_call_leaves_no_row(db):
    with pytest.raises(ConflictError):
        submit_orders(db, [new("b"), new("a", brief=1), new("a", brief=2)])
    assert names(db) == set()


def test_every_order_is_told_at_its_place_and_made_once(steps):
    steps.order("b", {"brief": 1})
    orders = [new("c", priority=5), new("b"), new("a", max_retries=0), new("c")]
    placed = submit_orders(steps.db, orders)
    assert [(each.request.task_id, each.created) for each in placed] == [
        ("c", True),
        ("b", False),
        ("a", True),
        ("c", False),
    ]
    assert (steps.row("c").priority, steps.row("a").max_retries) == (5, 0)
    assert [event.type for event in list_event_views(steps.db, placed[0].request)] == ["created"]


def test_no_orders_are_placed_at_once(db):
    assert submit_orders(db, []) == []


def test_a_conflict_names_the_first_row_of_the_file_that_has_one(steps):
    for name in ("x", "a"):
        steps.order(name, {"customer_name": "Z", "region": "B"})
    orders = [
        checked(2, "n", "A"),
        checked(3, None, "A"),
        checked(4, "x", "A"),
        checked(5, "a", "A"),
    ]
    with pytest.raises(InvalidInputError, match=r"orders\.csv row 4: task_id: 'x'") as refused:
        submit_all(steps.db, orders)
    assert refused.value.code == "conflict"
    assert names(steps.db) == {"x", "a"}


def test_the_same_names_in_any_order_are_placed_by_many_at_once(db):
    files = [[f"order-{number:03}" for number in range(60)] for _ in range(4)]
    files = [file[::-1] if index % 2 else file for index, file in enumerate(files)]
    together = Barrier(len(files))

    def place(file: Sequence[str]) -> int:
        together.wait()
        return sum(each.created for each in submit_orders(db, [new(name) for name in file]))

    with ThreadPoolExecutor(len(files)) as threads:
        made = list(threads.map(place, files))
    assert sum(made) == 60
    assert max(made) == 60
