"""What an operator's SQL has ended has a reason in words at every face: that SQL did it, and when."""

import json
import re
from collections.abc import Iterator
from html import unescape
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from castad.readmodels.snapshot import read_snapshot
from castad.readmodels.views import dead_json, dead_view, headline
from resources.ledger.rules import FailureAction
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from resources.views.event_text import describe_event
from tests.api_house import House, served, stream, use_ledger
from tests.ledger_laws import assert_laws
from tests.page_visitor import log_in

SAID = re.compile(r"set by an operator's SQL at 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")
ENDS = ("dead", "failed", "canceled")
ORDER = '{"customer_name": "Bakery", "region": "Seoul"}'


@pytest.mark.parametrize("status", ENDS)
def test_request_that_sql_has_ended_says_so(steps, status):
    steps.order()
    row = steps.edit(f"status = '{status}'")
    assert row.error_code == "edited"
    assert SAID.fullmatch(row.error_message or "")
    assert_laws(steps)


def test_request_that_sql_ends_after_a_failure_does_not_give_the_failures_reason(steps):
    steps.failed()
    row = steps.edit("status = 'dead'")
    assert (row.error_code, bool(SAID.fullmatch(row.error_message or ""))) == ("edited", True)


@pytest.mark.parametrize("status", ENDS)
def test_reason_that_the_operator_gives_stays(steps, status):
    steps.order()
    row = steps.edit(f"status = '{status}', error_code = 'fraud', error_message = 'no shop'")
    assert (row.error_code, row.error_message) == ("fraud", "no shop")


def test_code_without_words_gets_them(steps):
    steps.order()
    row = steps.edit("status = 'dead', error_code = 'fraud'")
    assert (row.error_code, bool(SAID.fullmatch(row.error_message or ""))) == ("fraud", True)


def test_words_without_a_code_get_one(steps):
    steps.order()
    row = steps.edit("status = 'dead', error_message = 'no shop'")
    assert (row.error_code, row.error_message) == ("edited", "no shop")


def test_reason_that_sql_takes_away_is_that_of_sql(steps):
    steps.dead()
    row = steps.edit("error_code = NULL, error_message = NULL")
    assert (row.error_code, bool(SAID.fullmatch(row.error_message or ""))) == ("edited", True)


def test_edit_of_something_else_leaves_the_reason(steps):
    steps.dead()
    before = steps.row()
    after = steps.edit("priority = 3")
    assert (after.error_code, after.error_message) == (before.error_code, before.error_message)


def test_canceled_request_keeps_what_it_says_where_sql_changes_its_priority(steps):
    steps.order()
    steps.cancel()
    assert steps.edit("priority = 3").error_code is None


def test_row_that_is_inserted_as_dead_has_a_reason(steps):
    steps.sql("INSERT INTO requests (task_id, payload, status) VALUES ('r', '{}', 'dead')")
    row = steps.row()
    assert (row.error_code, bool(SAID.fullmatch(row.error_message or ""))) == ("edited", True)
    assert_laws(steps)


def test_request_that_is_retried_after_sql_has_no_reason_left(steps):
    steps.order()
    steps.edit("status = 'dead'")
    assert (steps.retry().status, steps.row().error_code) == (Status.PENDING, None)


def test_event_of_an_edit_says_that_sql_made_it(steps):
    steps.order()
    steps.edit("status = 'dead'")
    assert describe_event(steps.last()) == "edited: pending → dead (by an operator's SQL)"


# The faces


@pytest.fixture
def house(ledger_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    use_ledger(ledger_url, monkeypatch)
    with served() as house:
        house.steps.sql(
            "INSERT INTO requests (task_id, payload, callback_url) VALUES ('r', :payload, :url)",
            payload=ORDER,
            url="https://shop.example/hook",
        )
        yield house


def test_command_line_shows_no_missing_reason(house):
    row = house.steps.edit("status = 'dead'")
    snapshot = read_snapshot(house.db, "r", settings().home / "artifacts")
    console = Console(width=200, record=True, file=StringIO())
    console.print(dead_view([row]))
    shown = [headline(snapshot), console.export_text(), json.dumps(dead_json(row))]
    assert all(SAID.search(text) and "None" not in text for text in shown), shown


@pytest.mark.parametrize("status", ENDS)
def test_status_list_and_stream_show_the_reason(house, status):
    house.steps.edit(f"status = '{status}'")
    admin = house.admin()
    bodies: list[dict[str, Any]] = [
        admin.get("/pipeline/status/r").json(),
        *admin.get("/pipeline").json()["orders"],
    ]
    if status != "failed":
        with stream(admin, "/pipeline/events/r") as frames:
            ends = [frame.data for frame in frames if frame.event == "end"]
        bodies += ends
        assert ends
    assert all(SAID.search(body["error"]["message"]) for body in bodies), bodies


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "An operator changed it by SQL"), ("ko", "운영자가 SQL로 직접 바꿨습니다")],
)
def test_pages_say_it_in_their_language(house, language, said):
    house.steps.edit("status = 'dead'")
    operator = log_in(house, "admin", "admin")
    for path in ("/works/r", "/desk/r"):
        text = unescape(operator.get(path, headers={"accept-language": language}).text)
        assert "None" not in text.replace("None-", "")
        assert said in text or SAID.search(text), path


def test_failure_of_an_attempt_keeps_its_own_words(steps):
    lease = steps.working()
    steps.fail(lease, FailureAction.DEAD_LETTER)
    assert steps.row().error_message == "it went wrong"
