"""A list of orders fits the terminal, however narrow it is."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console

from castad.cli.order_view import OrderTable, format_age
from castad.views.order_list import OrderBody, build_links
from resources.ledger.schema.tables import Status
from resources.views.order_body import ErrorBody

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def order(task_id: str = "order-0123456789ab", **chosen: object) -> OrderBody:
    blank = dict.fromkeys(("stage", "waits_for", "error", "owner", "cover", "completed_at"))
    counts = {"seq": 1, "attempt": 1, "retry_count": 0, "priority": 0, "progress": 33}
    return OrderBody.model_validate(
        {
            **blank,
            **counts,
            "task_id": task_id,
            "pipeline": "song_video",
            "summary": "봄날 베이커리 전주 한옥마을 본점, 전주, 20 s",
            "status": Status.PROCESSING,
            "source": "api",
            "seconds": 1.0,
            "cost_usd": 0.1234,
            "created_at": NOW - timedelta(seconds=90),
            "updated_at": NOW,
            "links": build_links(task_id),
            **chosen,
        }
    )


def lines(width: int, *orders: OrderBody) -> list[str]:
    out = StringIO()
    Console(file=out, width=width, color_system=None).print(OrderTable(orders, NOW))
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [44, 80, 1000])
def test_no_line_is_wider_than_the_terminal_and_the_name_is_whole(width):
    failed = order(status=Status.DEAD, error=ErrorBody(code="invalid_payload" * 3, message=None))
    shown = lines(width, order(stage="song"), failed)
    assert max(map(cell_len, shown)) <= width
    assert sum("order-0123456789ab" in line for line in shown) == 2


def test_wide_terminal_has_a_line_for_each_order():
    assert len(lines(80, order(), order(), order())) == 1 + 3


def test_what_sql_has_stored_does_not_reach_the_terminal():
    odd = order(status=Status.DEAD, error=ErrorBody(code="\x1b[2J\nx", message=None))
    assert [character for line in lines(80, odd) for character in line if ord(character) < 32] == []


@pytest.mark.parametrize(
    ("seconds", "age"), [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (7_199, "1 h"), (200_000, "2 d")]
)
def test_age_is_told_in_its_largest_unit(seconds, age):
    assert format_age(order(created_at=NOW - timedelta(seconds=seconds)), NOW) == age
