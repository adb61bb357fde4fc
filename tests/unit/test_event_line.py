"""An event is a line of JSON for clients, whatever an operator has written into it."""

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from castad.views.events import render_event
from resources.ledger.queries.feed import Cursor
from resources.ledger.queries.status import EventView

AT = datetime(2026, 1, 2, tzinfo=UTC)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
NAMES = ("set", "cost", "stage", "changed", "attempt", "message", "code", "run_id")
data = st.dictionaries(st.sampled_from(NAMES), values, max_size=4)


def event(kind: str, after: str, told: dict[str, Any]) -> EventView:
    return EventView(1, 1, "a", "song_video", 2, kind, "processing", after, told, AT, None)


@given(
    st.sampled_from(["completed", "dead", "stage_completed", "x"]),
    st.sampled_from(["dead", "pending"]),
    data,
)
@example("dead", "dead", {"set": 5})
@example("x", "pending", {"cost": 10**400})
@example("x", "pending", {"cost": float("nan")})
@example("x", "pending", {"message": "\ud800"})
def test_any_event_is_a_line(kind, after, told):
    line = render_event(event(kind, after, told), Cursor(1))
    assert json.loads(line.text)["seq"] == 2
    assert line.is_final == (after != "pending")
    assert line.order_frame.endswith(b"\n\n")


def test_event_says_where_its_order_stands_and_why():
    told = {"stage": "song", "message": "no", "set": {"stage": "song", "error_code": "refused"}}
    line = json.loads(render_event(event("dead", "dead", told), Cursor(1)).text)
    assert (line["pipeline"], line["to"], line["stage"], line["code"]) == (
        "song_video",
        "dead",
        "song",
        "refused",
    )
