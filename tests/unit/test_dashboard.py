"""What the dashboard shows, decided without a ledger: filters, tiles, acts, plots."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from castad.web.dashboard import STATES, TILES, DashboardFilter, count_tiles
from castad.web.dashboard_order import build_brief_lines, build_event_lines, list_allowed_verbs
from castad.web.dashboard_reports import HEIGHT, compute_bars, compute_lines, list_last_hours
from castad.web.words import Translator
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.hours import StageFigures
from resources.ledger.queries.listing import Group
from resources.ledger.queries.status import EventView
from resources.ledger.queries.workload import Workload
from resources.ledger.request import Request
from resources.ledger.rules import TRANSITIONS
from resources.ledger.schema.tables import JobStatus, Status
from tests.sample_request import DISPATCHED
from tests.tables import rows_beside

NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)
ENGLISH = Translator("en")


def figures(completed: int, failed: int, p95: float | None) -> list[StageFigures]:
    return [StageFigures("p", "s", completed=completed, failed=failed, p95=p95)]


# Filters


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_a_filter_of_the_ledger(state):
    found = DashboardFilter.read({"status": state}).build_request_filter(NOON)
    assert (found.status is None) != (found.group is None)


def test_every_group_has_a_tile():
    assert {group.value for group in Group} <= set(TILES)


def test_address_has_what_is_filtered_and_nothing_else():
    chosen = DashboardFilter.read({"q": "a b&c", "owner": "", "status": "dead"})
    assert chosen.build_address() == "/dashboard?status=dead&q=a+b%26c"


def test_tile_keeps_the_other_filters():
    assert (
        DashboardFilter(owner="shop", status="dead").build_status_address(None)
        == "/dashboard?owner=shop"
    )


@pytest.mark.parametrize("given", [{"status": "lost"}, {"owner": "a\nb"}, {"q": "x" * 101}])
def test_filter_that_cannot_be_read_names_its_field(given):
    with pytest.raises(InvalidInputError) as refused:
        DashboardFilter.read(given)
    assert refused.value.field == next(iter(given))


@rows_beside
def test_acts_on_many_follow_from_the_state(status, verbs):
    assert DashboardFilter(status=status).verbs == verbs


# Tiles


def test_pending_orders_are_waiting_paused_or_held():
    work = Workload(
        at=NOON,
        requests={
            (Status.PENDING, "a"): 9,
            (Status.DISPATCHED, "a"): 1,
            (Status.PROCESSING, "b"): 2,
        },
        due={},
        oldest_running=None,
        dead_letters={},
        spent_today=(),
        worker_pool=None,
        paused=(),
        orphans=None,
        waiting={"permit:suno": 4, "suno": 2, "budget": 1, "approval:lyric": 1},
    )
    found = count_tiles(work, {"dead": 4, "in_doubt": 3, "done_today": 7})
    assert found == {
        **{"waiting": 5, "working": 3, "retry": 0, "dead": 4},
        **{"in_doubt": 3, "paused": 3, "held": 1, "done_today": 7},
    }


# One order


def request(status: Status, **changes: Any) -> Request:
    return replace(DISPATCHED, status=status, **changes)


@pytest.mark.parametrize(
    ("order", "verbs"),
    [
        (request(Status.PENDING), {"cancel"}),
        (request(Status.PENDING, waits_for="approval:lyric"), {"cancel", "redo"}),
        (request(Status.PROCESSING), {"cancel"}),
        (request(Status.PROCESSING, cancel_requested=True), set()),
        (request(Status.FAILED), {"retry", "cancel", "redo"}),
        (request(Status.DEAD), {"retry", "redo", "delete"}),
        (request(Status.COMPLETED), {"redo", "delete"}),
        (request(Status.CANCELED), {"retry", "redo", "delete"}),
    ],
)
def test_acts_on_an_order_follow_from_its_state(order, verbs):
    assert list_allowed_verbs(order) == verbs


def test_brief_says_what_was_given_in_words():
    brief = {"vocals": True, "images": ["a", "b"], "note": None, "brand": {"colour": "red"}}
    assert [text for _, text in build_brief_lines(brief, ENGLISH)] == [
        "yes",
        "a, b",
        '{"colour": "red"}',
    ]


def test_run_is_named_once_with_its_first_event():
    events = [
        EventView(seq, 1, "r", "p", seq, "x", None, "pending", {"by": "Mina"}, NOON, run)
        for seq, run in enumerate([None, "one", "one", "two"])
    ]
    shown = build_event_lines(events, "http://ui", ENGLISH)
    urls = [None, "http://ui/runs/one", None, "http://ui/runs/two"]
    assert ([each.run_url for each in shown], shown[0].by) == (urls, "Mina")


@pytest.mark.parametrize("event_type", ["created", "edited", *TRANSITIONS])
def test_every_type_of_event_has_a_text(event_type):
    assert event_type in ENGLISH.list_with_prefix("event_")


@pytest.mark.parametrize("status", JobStatus)
def test_every_status_of_a_submission_has_a_text(status):
    assert status.value in ENGLISH.list_with_prefix("dashboard_submission_")


def test_event_says_who_and_which_stage_once_and_the_rest_in_its_details():
    data = {"by": "Mina", "stage": "x", "message": "no\nway", "attempt": 2}
    event = EventView(1, 1, "r", "p", 1, "retried", "dead", "pending", data, NOON, None)
    [shown] = build_event_lines([event], "", Translator("ko"))
    assert (shown.what, shown.stage, shown.new_status) == ("재시도", "x", "대기")
    assert (shown.by, shown.details) == ("Mina", "no way, attempt 2")


# Plots


def test_highest_hour_fills_the_plot_with_failures_on_top():
    hours = list_last_hours(NOON)
    drawn, most = compute_bars(hours, {NOON: figures(30, 10, None)})
    last = drawn[-1]
    assert (len(drawn), most, last.hour) == (24, 40, NOON)
    assert (last.failed_y, last.failed_height + last.completed_height) == (0.0, HEIGHT)
    assert last.failed_y + last.failed_height == last.completed_y


def test_plot_of_quiet_hours_is_flat():
    drawn, most = compute_bars(list_last_hours(NOON), {})
    assert (most, {each.completed_height for each in drawn}) == (0, {0.0})


def test_line_breaks_where_an_hour_has_no_value():
    hour = timedelta(hours=1)
    reports = {NOON - 2 * hour: figures(1, 0, 5.0), NOON: figures(1, 0, 10.0)}
    [line] = compute_lines(list_last_hours(NOON), reports)
    assert ([part.count(",") for part in line.parts], line.last, line.most) == ([1, 1], 10.0, 10.0)


def test_stage_that_was_never_completed_has_no_line():
    assert compute_lines(list_last_hours(NOON), {NOON: figures(0, 3, None)}) == []
