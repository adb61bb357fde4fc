"""What an operator's SQL has ended has a reason in words at every face: that SQL did it, and when."""

import json
import re
from collections.abc import Iterator
from html import unescape
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from castad.cli.order_view import build_dead_json, build_dead_view, build_headline
from castad.views.snapshot import read_snapshot
from resources.process.settings import settings
from resources.views.text import describe_event
from tests.api_house import House, served, stream, use_ledger
from tests.ledger_laws import assert_laws
from tests.page_visitor import log_in

SAID = re.compile(r"set by an operator's SQL at 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")
ENDS = ("dead", "failed", "canceled")
ORDER = '{"customer_name": "Bakery", "region": "Seoul"}'


GIVEN = "error_code = 'fraud', error_message = 'no shop'"
DEAD = "INSERT INTO requests (task_id, payload, status) VALUES ('r', '{}', 'dead')"
REASONS = {
    **{
        f"{status} by SQL": (
            lambda s, to=status: (s.order(), s.edit(f"status = '{to}'")),
            *("edited", SAID),
        )
        for status in ENDS
    },
    **{
        f"{status} for a reason of the operator's": (
            lambda s, to=status: (s.order(), s.edit(f"status = '{to}', {GIVEN}")),
            *("fraud", "no shop"),
        )
        for status in ENDS
    },
    "dead by SQL after a failure": (
        lambda s: (s.failed(), s.edit("status = 'dead'")),
        *("edited", SAID),
    ),
    "a code without words": (
        lambda s: (s.order(), s.edit("status = 'dead', error_code = 'fraud'")),
        *("fraud", SAID),
    ),
    "words without a code": (
        lambda s: (s.order(), s.edit("status = 'dead', error_message = 'no shop'")),
        *("edited", "no shop"),
    ),
    "a reason that SQL takes away": (
        lambda s: (s.dead(), s.edit("error_code = NULL, error_message = NULL")),
        *("edited", SAID),
    ),
    "an edit of something else": (
        lambda s: (s.dead(), s.edit("priority = 3")),
        *("for_none", "it went wrong"),
    ),
    "an edit of what was canceled": (
        lambda s: (s.order(), s.cancel(), s.edit("priority = 3")),
        *(None, None),
    ),
    "a row that is inserted as dead": (lambda s: s.sql(DEAD), "edited", SAID),
    "a retry after SQL": (
        lambda s: (s.order(), s.edit("status = 'dead'"), s.retry()),
        *(None, None),
    ),
}


@pytest.mark.parametrize(("act", "code", "message"), REASONS.values(), ids=REASONS.keys())
def test_request_says_why_it_is_so(steps, act, code, message):
    act(steps)
    row = steps.row()
    is_said = message is SAID and SAID.fullmatch(row.error_message or "") is not None
    assert (row.error_code, is_said or row.error_message) == (code, message is SAID or message)
    assert_laws(steps)


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
    console.print(build_dead_view([row]))
    shown = [build_headline(snapshot), console.export_text(), json.dumps(build_dead_json(row))]
    assert all(SAID.search(text) and "None" not in text for text in shown), shown


@pytest.mark.parametrize("status", ENDS)
def test_status_list_and_stream_show_the_reason(house, status):
    house.steps.edit(f"status = '{status}'")
    admin = house.admin()
    bodies: list[dict[str, Any]] = [
        admin.get("/v1/pipeline/status/r").json(),
        *admin.get("/v1/pipeline").json()["orders"],
    ]
    if status != "failed":
        with stream(admin, "/v1/pipeline/events/r") as frames:
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
    for path in ("/works/r", "/dashboard/r"):
        text = unescape(operator.get(path, headers={"accept-language": language}).text)
        assert "None" not in text.replace("None-", "")
        assert said in text or SAID.search(text), path
