"""The dashboard in a browser: live, under load, cut off, and what an operator does there."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import APIResponse, Browser, Route, expect
from sqlalchemy import text

from castad.web.words import Translator
from resources.ledger.queries.access import Scope
from resources.ledger.queries.money import list_submissions, read_pauses
from resources.ledger.queries.status import list_requests
from resources.ledger.rules import FailureAction
from resources.ledger.transitions.access import revoke_key
from resources.ledger.transitions.housekeeping import pause_provider
from resources.ledger.transitions.rescue import register_worker
from tests.browser.dashboard_site import ApiProcess, Line, OpenDashboard, api_process
from tests.browser.site import Person, person
from tests.eventually import eventually
from tests.ledger_steps import Steps

INSERT = "INSERT INTO requests (task_id, payload) VALUES (:name, '{}')"
MANY, CHANGING, DYING = 5000, 500, 100
LONGEST_MS = 200
MOST_ROWS = 200


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    with api_process(tmp_path_factory.mktemp("dashboard")) as api:
        yield api


@pytest.fixture
def dashboard(api: ApiProcess, browser: Browser) -> Iterator[OpenDashboard]:
    """An operator who is logged in, over a ledger without orders."""
    Steps(api.site.db).empty()
    with person(browser, api.site, language="en") as operator:
        yield logged_in(operator)


@pytest.fixture
def line(api: ApiProcess) -> Iterator[Line]:
    Steps(api.site.db).empty()
    line = Line(api.site)
    yield line
    line.cut()


def logged_in(operator: Person) -> OpenDashboard:
    key = operator.site.key("operator", Scope.ADMIN)
    operator.log_in(key.text)
    return OpenDashboard(operator, key)


def statuses(dashboard: OpenDashboard) -> dict[str, str]:
    return {each.task_id: each.status.value for each in list_requests(dashboard.steps.db)}


# Live


def test_row_appears_within_a_second_of_an_insert(dashboard):
    dashboard.open()
    took = []
    for name in ("a", "b", "c"):
        began = time.time()
        dashboard.steps.sql(INSERT, name=name)
        took.append(dashboard.appeared(name) - began)
    # The best of three: this machine may have other work, and the dashboard has the same way each time.
    assert min(took) < 1


def test_order_is_patched_in_its_row_and_leaves_a_filter_that_it_no_longer_matches(dashboard):
    for name in ("a", "b"):
        dashboard.steps.order(name)
    dashboard.open("?status=waiting")
    dashboard.page.evaluate("window.kept = document.querySelector('[data-id=a]')")
    dashboard.steps.edit("priority = 3", "a")
    dashboard.steps.cancel("b")
    expect(dashboard.page.locator("tbody tr")).to_have_count(1)
    assert dashboard.page.evaluate("window.kept.isConnected")


def test_order_that_comes_to_match_while_the_table_is_read_stays_in_it(dashboard):
    lease = dashboard.steps.working("old")
    dashboard.steps.dead("newest")
    held: list[tuple[Route, APIResponse]] = []
    dashboard.page.route("**/dashboard/-/rows*", lambda route: held.append((route, route.fetch())))
    dashboard.open("?status=dead")
    # Where the test's thread only waits, the route's handler does not run.
    assert eventually(lambda: bool(dashboard.states and held))
    dashboard.steps.fail(lease, FailureAction.DEAD_LETTER)
    dashboard.appeared("old")
    [(route, answer)] = held
    body = answer.json()
    body["orders"][0]["cost_usd"] = 7
    route.fulfill(json=body)
    expect(dashboard.page.locator("tr[data-id=newest] .cost")).to_have_text("$7.00")
    assert list(dashboard.states) == ["newest", "old"]


# Thousands of rows


def longest_task_ms(trace: bytes) -> float:
    """The most processor time of one task of the page's main thread: other work of this machine is not in it."""
    events = json.loads(trace)["traceEvents"]
    threads = [each for each in events if each["name"] == "thread_name"]
    mains = [each for each in threads if each["args"]["name"] == "CrRendererMain"]
    places = {(each["pid"], each["tid"]) for each in mains}
    tasks = [each for each in events if each["name"].endswith("RunTask")]
    of_mains = [each for each in tasks if (each["pid"], each["tid"]) in places]
    # The tasks that run when the trace begins and ends are not known as a whole.
    return max(float(each.get("tdur", 0)) for each in of_mains) / 1000


def test_five_thousand_orders_of_which_five_hundred_change_keep_the_dashboard_responsive(
    dashboard, browser
):
    with dashboard.steps.db.writing() as tx:
        tx.execute(text(INSERT), [{"name": f"o{number}"} for number in range(MANY)])
    dashboard.open()
    browser.start_tracing(page=dashboard.page, categories=["toplevel", "devtools.timeline"])
    dashboard.page.mouse.move(400, 600)
    dispatched = [request for _ in range(CHANGING // 50) for request in dashboard.steps.dispatch()]
    for number, request in enumerate(dispatched):
        lease = dashboard.steps.take(request.task_id, dispatched_as=request.attempt)
        if number < DYING:
            dashboard.steps.fail(lease, FailureAction.DEAD_LETTER)
        if number % 25 == 0:
            dashboard.page.mouse.wheel(0, 4000)
    wanted = {"waiting": MANY - CHANGING, "working": CHANGING - DYING, "dead": DYING}
    assert eventually(lambda: dashboard.tiles.items() >= wanted.items()), dashboard.tiles
    assert longest_task_ms(browser.stop_tracing()) < LONGEST_MS


def test_rows_in_the_page_stay_few_however_far_one_scrolls(dashboard):
    with dashboard.steps.db.writing() as tx:
        tx.execute(text(INSERT), [{"name": f"o{number}"} for number in range(1000)])
    dashboard.open()
    dashboard.page.mouse.move(400, 600)

    def scroll_on() -> bool:
        dashboard.page.mouse.wheel(0, 6000)
        return "o0" in dashboard.states

    assert eventually(scroll_on)
    assert dashboard.page.evaluate("window.mostRows") <= MOST_ROWS


def test_tile_filters_thousands_of_orders(dashboard):
    with dashboard.steps.db.writing() as tx:
        tx.execute(text(INSERT), [{"name": f"o{number}"} for number in range(1000)])
    dashboard.steps.dead("lost")
    dashboard.open()
    dashboard.page.click("[data-tile=dead]")
    dashboard.wait_until("live")
    assert dashboard.states == {"lost": "dead"}


# Cut off


def live_through(dashboard: OpenDashboard, name: str) -> None:
    """Orders begin, change and end."""
    dashboard.steps.dead(f"{name}-dead")
    dashboard.steps.completed(f"{name}-completed")
    dashboard.steps.working(f"{name}-working")
    dashboard.steps.order(f"{name}-canceled")
    dashboard.steps.cancel(f"{name}-canceled")


def stored_events(dashboard: OpenDashboard) -> list[tuple[str, int]]:
    """Every event of every order, as its history has it."""
    found = []
    with dashboard.operator.site.client(dashboard.key.text) as client:
        for name in dashboard.steps.task_ids():
            entries = client.get(f"/v1/pipeline/history/{name}").json()["history"]
            found += [(name, each["seq"]) for each in entries if each["seq"] is not None]
    return found


def assert_nothing_missed_nothing_twice(dashboard: OpenDashboard) -> None:
    """What the page was handed on are the events of the ledger, and its rows and tiles show their end."""
    wanted = stored_events(dashboard)
    assert eventually(lambda: len(dashboard.heard) >= len(wanted))
    heard = dashboard.heard
    assert Counter(heard) == Counter(wanted)
    assert all(
        [seq for name, seq in heard if name == task]
        == sorted(seq for name, seq in wanted if name == task)
        for task in dashboard.steps.task_ids()
    )
    assert eventually(lambda: dashboard.states == statuses(dashboard)), dashboard.states
    counted = Counter(statuses(dashboard).values())
    tiles = {
        "working": counted["processing"],
        "dead": counted["dead"],
        "done_today": counted["completed"],
    }
    assert eventually(lambda: dashboard.tiles.items() >= tiles.items()), dashboard.tiles


def test_dashboard_that_was_cut_off_for_five_seconds_misses_nothing_and_shows_nothing_twice(
    line, browser
):
    with person(browser, line.site, language="en") as operator:
        dashboard = logged_in(operator)
        dashboard.open()
        dashboard.follow()
        live_through(dashboard, "before")
        line.cut()
        dashboard.wait_until("reconnecting")
        live_through(dashboard, "meanwhile")
        dashboard.steps.cancel("before-working")
        # The dashboard says so after five seconds.
        dashboard.wait_until("behind")
        line.mend()
        dashboard.wait_until("live")
        live_through(dashboard, "after")
        assert_nothing_missed_nothing_twice(dashboard)
        dashboard.close()


def test_dashboard_lives_through_the_death_of_the_api(tmp_path, browser):
    with api_process(tmp_path) as api, person(browser, api.site, language="en") as operator:
        dashboard = logged_in(operator)
        dashboard.open()
        dashboard.follow()
        live_through(dashboard, "before")
        api.kill()
        dashboard.wait_until("reconnecting")
        live_through(dashboard, "meanwhile")
        with api.started_again():
            dashboard.wait_until("live")
            live_through(dashboard, "after")
            assert_nothing_missed_nothing_twice(dashboard)
        dashboard.close()


def test_dashboard_whose_key_is_revoked_while_it_is_cut_off_says_that_and_nothing_after_it(
    line, browser
):
    with person(browser, line.site, language="en") as operator:
        dashboard = logged_in(operator)
        dashboard.page.clock.install()
        dashboard.open()
        line.cut()
        dashboard.wait_until("reconnecting")
        revoke_key(dashboard.steps.db, dashboard.key.id)
        line.mend()
        dashboard.wait_until("logged_out")
        # As long as it takes until a dashboard without a stream says that it is behind, and more.
        dashboard.page.clock.fast_forward(10_000)
        expect(dashboard.page.locator("[data-stream]")).to_have_attribute(
            "data-state", "logged_out"
        )
        dashboard.close()


# What an operator does


def test_many_are_retried_after_a_dry_run(dashboard):
    for name in ("a", "b"):
        dashboard.steps.order(name, {"customer_name": "봄날 베이커리", "region": "전주"})
        lease = dashboard.steps.take(name)
        dashboard.steps.begin(lease)
        dashboard.steps.fail(lease, FailureAction.DEAD_LETTER)
    dashboard.steps.order("other")
    dashboard.open()
    dashboard.page.click("[data-tile=dead]")
    dashboard.page.click(".bulk button")
    expect(dashboard.page.locator(".lead")).to_contain_text("2 orders")
    before = statuses(dashboard)
    dashboard.page.click("main form button")
    expect(dashboard.page.locator("[role=status]")).to_contain_text("2 orders")
    assert (before, statuses(dashboard)) == (
        {"a": "dead", "b": "dead", "other": "pending"},
        {"a": "pending", "b": "pending", "other": "pending"},
    )


def test_many_are_canceled_after_a_dry_run_that_can_be_left(dashboard):
    dashboard.steps.working("at-work")
    for name in ("a", "b"):
        dashboard.steps.order(name)
    dashboard.open("?status=waiting")
    dashboard.page.click(".bulk button")
    dashboard.page.click("main a.button")
    expect(dashboard.page.locator("tbody tr")).to_have_count(2)
    dashboard.page.click(".bulk button")
    dashboard.page.click("main form button")
    expect(dashboard.page.locator("[data-tile=waiting] strong")).to_have_text("0")
    assert statuses(dashboard) == {"a": "canceled", "b": "canceled", "at-work": "processing"}


@pytest.mark.parametrize(
    ("choice", "status", "job"),
    [
        ("attach", "pending", ("submitted", "v-7")),
        ("resubmit", "pending", ("failed", None)),
        ("give_up", "dead", ("failed", None)),
    ],
)
def test_lost_submission_is_resolved_in_the_drawer(dashboard, choice, status, job):
    dashboard.steps.lost_for_good()
    dashboard.open("?status=in_doubt")
    dashboard.page.click("tr[data-id=r] a")
    form = dashboard.page.locator(f".drawer .resolve form:has([value={choice}])")
    if choice == "attach":
        form.locator("[name=external_id]").fill("v-7")
    form.locator("button").click()
    if choice != "attach":
        dashboard.page.dblclick(".drawer .asked button")
    expect(dashboard.page.locator(".drawer .resolve")).to_have_count(0)
    expect(dashboard.page.locator(".drawer [data-did]")).to_have_text(
        Translator("en")(f"did_{choice}")
    )
    expect(dashboard.page.locator(f".drawer .badge.{status}").first).to_be_visible()
    [found] = list_submissions(dashboard.steps.db, dashboard.steps.row()).views
    assert (statuses(dashboard), (found.status, found.external_id)) == ({"r": status}, job)


def test_vendor_is_resumed(dashboard):
    pause_provider(dashboard.steps.db, "suno", "no credits left", 600)
    dashboard.operator.go("/dashboard/-/system")
    dashboard.page.click("text=Resume")
    dashboard.page.click(".asked button")
    expect(dashboard.page.locator("text=no credits left")).to_have_count(0)
    assert read_pauses(dashboard.steps.db) == []


def test_system_shows_what_changes_though_one_writes_there_and_keeps_what_is_written(dashboard):
    dashboard.operator.go("/dashboard/-/system")
    dashboard.wait_until("live")
    page = dashboard.page
    page.fill(".pause [name=reason]", "they repair")
    page.hover("text=Workers and queues")
    register_worker(dashboard.steps.db, "worker-of-the-test", "w", slots=2, poison_deaths=3)
    expect(page.locator("text=worker-of-the-test")).to_be_visible(timeout=15_000)
    expect(page.locator(".pause [name=reason]")).to_have_value("they repair")
    zone = re.compile(r"[AP]M\sGMT\+9$")
    expect(page.locator("li:has-text('worker-of-the-test') time")).to_have_text(zone)


def test_error_code_is_chosen_from_the_counted_list(dashboard):
    for name in ("a", "b"):
        dashboard.steps.dead(name)
    dashboard.steps.order("other")
    dashboard.open()
    offered = dashboard.page.locator("select[name=code] option").all_text_contents()
    assert [each.split(" · ")[:2] for each in offered] == [["all"], ["2", "for_none"]]
    dashboard.page.select_option("select[name=code]", "for_none")
    dashboard.page.click(".filters button")
    expect(dashboard.page.locator("tbody tr")).to_have_count(2)


def test_drawer_is_opened_and_closed_by_keyboard_alone_and_gives_the_focus_back(dashboard):
    dashboard.steps.order()
    dashboard.open("?status=waiting")
    link = dashboard.page.locator("tr[data-id=r] a")
    link.focus()
    dashboard.page.keyboard.press("Enter")
    expect(dashboard.page.locator(".drawer")).to_be_focused()
    assert dashboard.page.url.endswith("/dashboard/r")
    dashboard.page.keyboard.press("Escape")
    expect(link).to_be_focused()
    expect(dashboard.page.locator(".drawer")).to_be_hidden()
    assert dashboard.page.url.endswith("/dashboard?status=waiting")


def test_drawer_follows_the_browsers_way_back_and_forth(dashboard):
    dashboard.steps.order()
    dashboard.open()
    dashboard.page.click("tr[data-id=r] a")
    expect(dashboard.page.locator(".drawer [data-drawer=r]")).to_be_visible()
    dashboard.page.go_back()
    expect(dashboard.page.locator(".drawer")).to_be_hidden()
    dashboard.page.go_forward()
    expect(dashboard.page.locator(".drawer [data-drawer=r]")).to_be_visible()
    expect(dashboard.page.locator("tr[data-id=r]")).to_have_attribute("aria-current", "true")


def test_order_has_an_address_of_its_own_and_escape_leads_to_the_table(dashboard):
    dashboard.steps.order()
    dashboard.operator.go("/dashboard/r")
    expect(dashboard.page.locator("[data-drawer=r]")).to_be_visible()
    dashboard.page.keyboard.press("Escape")
    dashboard.page.wait_for_url("**/dashboard")


def test_drawer_shows_what_happens_and_the_keyboard_stays_in_it(dashboard):
    dashboard.steps.order()
    dashboard.open()
    dashboard.page.click("tr[data-id=r] a")
    dashboard.page.locator(".drawer .acts button").first.focus()
    dashboard.steps.take()
    expect(dashboard.page.locator(".drawer .badge.processing")).to_be_visible()
    assert dashboard.page.evaluate(
        "document.querySelector('.drawer').contains(document.activeElement)"
    )
