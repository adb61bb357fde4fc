"""The desk in a browser: live, under load, cut off, and what an operator does there."""

import json
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
from tests.browser.desk_site import ApiProcess, Line, OpenDesk, api_process
from tests.browser.site import Person, person
from tests.eventually import eventually
from tests.ledger_steps import Steps

INSERT = "INSERT INTO requests (task_id, payload) VALUES (:name, '{}')"
MANY, CHANGING, DYING = 5000, 500, 100
LONGEST_MS = 200
MOST_ROWS = 200


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    with api_process(tmp_path_factory.mktemp("desk")) as api:
        yield api


@pytest.fixture
def desk(api: ApiProcess, browser: Browser) -> Iterator[OpenDesk]:
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


def logged_in(operator: Person) -> OpenDesk:
    key = operator.site.key("operator", Scope.ADMIN)
    operator.log_in(key.text)
    return OpenDesk(operator, key)


def statuses(desk: OpenDesk) -> dict[str, str]:
    return {each.task_id: each.status.value for each in list_requests(desk.steps.db)}


# Live


def test_row_appears_within_a_second_of_an_insert(desk):
    desk.open()
    took = []
    for name in ("a", "b", "c"):
        began = time.time()
        desk.steps.sql(INSERT, name=name)
        took.append(desk.appeared(name) - began)
    # The best of three: this machine may have other work, and the desk has the same way each time.
    assert min(took) < 1


def test_order_is_patched_in_its_row_and_leaves_a_filter_that_it_no_longer_matches(desk):
    for name in ("a", "b"):
        desk.steps.order(name)
    desk.open("?status=waiting")
    desk.page.evaluate("window.kept = document.querySelector('[data-id=a]')")
    desk.steps.edit("priority = 3", "a")
    desk.steps.cancel("b")
    expect(desk.page.locator("tbody tr")).to_have_count(1)
    assert desk.page.evaluate("window.kept.isConnected")


def test_order_that_comes_to_match_while_the_table_is_read_stays_in_it(desk):
    lease = desk.steps.working("old")
    desk.steps.dead("newest")
    held: list[tuple[Route, APIResponse]] = []
    desk.page.route("**/desk/-/rows*", lambda route: held.append((route, route.fetch())))
    desk.open("?status=dead")
    # Where the test's thread only waits, the route's handler does not run.
    assert eventually(lambda: bool(desk.states and held))
    desk.steps.fail(lease, FailureAction.DEAD_LETTER)
    desk.appeared("old")
    [(route, answer)] = held
    body = answer.json()
    body["orders"][0]["cost_usd"] = 7
    route.fulfill(json=body)
    expect(desk.page.locator("tr[data-id=newest] .cost")).to_have_text("$7.00")
    assert list(desk.states) == ["newest", "old"]


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


def test_five_thousand_orders_of_which_five_hundred_change_keep_the_desk_responsive(desk, browser):
    with desk.steps.db.writing() as tx:
        tx.execute(text(INSERT), [{"name": f"o{number}"} for number in range(MANY)])
    desk.open()
    browser.start_tracing(page=desk.page, categories=["toplevel", "devtools.timeline"])
    desk.page.mouse.move(400, 600)
    dispatched = [request for _ in range(CHANGING // 50) for request in desk.steps.dispatch()]
    for number, request in enumerate(dispatched):
        lease = desk.steps.take(request.task_id, dispatched_as=request.attempt)
        if number < DYING:
            desk.steps.fail(lease, FailureAction.DEAD_LETTER)
        if number % 25 == 0:
            desk.page.mouse.wheel(0, 4000)
    wanted = {"waiting": MANY - CHANGING, "working": CHANGING - DYING, "dead": DYING}
    assert eventually(lambda: desk.tiles.items() >= wanted.items()), desk.tiles
    assert longest_task_ms(browser.stop_tracing()) < LONGEST_MS


def test_rows_in_the_page_stay_few_however_far_one_scrolls(desk):
    with desk.steps.db.writing() as tx:
        tx.execute(text(INSERT), [{"name": f"o{number}"} for number in range(1000)])
    desk.open()
    desk.page.mouse.move(400, 600)

    def scroll_on() -> bool:
        desk.page.mouse.wheel(0, 6000)
        return "o0" in desk.states

    assert eventually(scroll_on)
    assert desk.page.evaluate("window.mostRows") <= MOST_ROWS


def test_tile_filters_thousands_of_orders(desk):
    with desk.steps.db.writing() as tx:
        tx.execute(text(INSERT), [{"name": f"o{number}"} for number in range(1000)])
    desk.steps.dead("lost")
    desk.open()
    desk.page.click("[data-tile=dead]")
    desk.wait_until("live")
    assert desk.states == {"lost": "dead"}


# Cut off


def live_through(desk: OpenDesk, name: str) -> None:
    """Orders begin, change and end."""
    desk.steps.dead(f"{name}-dead")
    desk.steps.completed(f"{name}-completed")
    desk.steps.working(f"{name}-working")
    desk.steps.order(f"{name}-canceled")
    desk.steps.cancel(f"{name}-canceled")


def stored_events(desk: OpenDesk) -> list[tuple[str, int]]:
    """Every event of every order, as its history has it."""
    found = []
    with desk.operator.site.client(desk.key.text) as client:
        for name in desk.steps.task_ids():
            entries = client.get(f"/v1/pipeline/history/{name}").json()["history"]
            found += [(name, each["seq"]) for each in entries if each["seq"] is not None]
    return found


def assert_nothing_missed_nothing_twice(desk: OpenDesk) -> None:
    """What the page was handed on are the events of the ledger, and its rows and tiles show their end."""
    wanted = stored_events(desk)
    assert eventually(lambda: len(desk.heard) >= len(wanted))
    heard = desk.heard
    assert Counter(heard) == Counter(wanted)
    assert all(
        [seq for name, seq in heard if name == task]
        == sorted(seq for name, seq in wanted if name == task)
        for task in desk.steps.task_ids()
    )
    assert eventually(lambda: desk.states == statuses(desk)), desk.states
    counted = Counter(statuses(desk).values())
    tiles = {
        "working": counted["processing"],
        "dead": counted["dead"],
        "done_today": counted["completed"],
    }
    assert eventually(lambda: desk.tiles.items() >= tiles.items()), desk.tiles


def test_desk_that_was_cut_off_for_five_seconds_misses_nothing_and_shows_nothing_twice(
    line, browser
):
    with person(browser, line.site, language="en") as operator:
        desk = logged_in(operator)
        desk.open()
        desk.follow()
        live_through(desk, "before")
        line.cut()
        desk.wait_until("reconnecting")
        live_through(desk, "meanwhile")
        desk.steps.cancel("before-working")
        # The desk says so after five seconds.
        desk.wait_until("behind")
        line.mend()
        desk.wait_until("live")
        live_through(desk, "after")
        assert_nothing_missed_nothing_twice(desk)
        desk.close()


def test_desk_lives_through_the_death_of_the_api(tmp_path, browser):
    with api_process(tmp_path) as api, person(browser, api.site, language="en") as operator:
        desk = logged_in(operator)
        desk.open()
        desk.follow()
        live_through(desk, "before")
        api.kill()
        desk.wait_until("reconnecting")
        live_through(desk, "meanwhile")
        with api.started_again():
            desk.wait_until("live")
            live_through(desk, "after")
            assert_nothing_missed_nothing_twice(desk)
        desk.close()


def test_desk_whose_key_is_revoked_while_it_is_cut_off_says_that_and_nothing_after_it(
    line, browser
):
    with person(browser, line.site, language="en") as operator:
        desk = logged_in(operator)
        desk.page.clock.install()
        desk.open()
        line.cut()
        desk.wait_until("reconnecting")
        revoke_key(desk.steps.db, desk.key.id)
        line.mend()
        desk.wait_until("logged_out")
        # As long as it takes until a desk without a stream says that it is behind, and more.
        desk.page.clock.fast_forward(10_000)
        expect(desk.page.locator("[data-stream]")).to_have_attribute("data-state", "logged_out")
        desk.close()


# What an operator does


def test_many_are_retried_after_a_dry_run(desk):
    for name in ("a", "b"):
        desk.steps.order(name, {"customer_name": "봄날 베이커리", "region": "전주"})
        lease = desk.steps.take(name)
        desk.steps.begin(lease)
        desk.steps.fail(lease, FailureAction.DEAD_LETTER)
    desk.steps.order("other")
    desk.open()
    desk.page.click("[data-tile=dead]")
    desk.page.click(".bulk button")
    expect(desk.page.locator(".lead")).to_contain_text("2 orders")
    before = statuses(desk)
    desk.page.click("main form button")
    expect(desk.page.locator("[role=status]")).to_contain_text("2 orders")
    assert (before, statuses(desk)) == (
        {"a": "dead", "b": "dead", "other": "pending"},
        {"a": "pending", "b": "pending", "other": "pending"},
    )


def test_many_are_canceled_after_a_dry_run_that_can_be_left(desk):
    desk.steps.working("at-work")
    for name in ("a", "b"):
        desk.steps.order(name)
    desk.open("?status=waiting")
    desk.page.click(".bulk button")
    desk.page.click("main a.button")
    expect(desk.page.locator("tbody tr")).to_have_count(2)
    desk.page.click(".bulk button")
    desk.page.click("main form button")
    expect(desk.page.locator("[data-tile=waiting] strong")).to_have_text("0")
    assert statuses(desk) == {"a": "canceled", "b": "canceled", "at-work": "processing"}


@pytest.mark.parametrize(
    ("choice", "status", "job"),
    [
        ("attach", "pending", ("submitted", "v-7")),
        ("resubmit", "pending", ("failed", None)),
        ("give_up", "dead", ("failed", None)),
    ],
)
def test_lost_submission_is_resolved_in_the_drawer(desk, choice, status, job):
    desk.steps.lost_for_good()
    desk.open("?status=in_doubt")
    desk.page.click("tr[data-id=r] a")
    form = desk.page.locator(f".drawer .resolve form:has([value={choice}])")
    if choice == "attach":
        form.locator("[name=external_id]").fill("v-7")
    form.locator("button").click()
    if choice != "attach":
        desk.page.dblclick(".drawer .asked button")
    expect(desk.page.locator(".drawer .resolve")).to_have_count(0)
    expect(desk.page.locator(".drawer [data-did]")).to_have_text(Translator("en")(f"did_{choice}"))
    expect(desk.page.locator(f".drawer .badge.{status}").first).to_be_visible()
    [found] = list_submissions(desk.steps.db, desk.steps.row()).views
    assert (statuses(desk), (found.status, found.external_id)) == ({"r": status}, job)


def test_vendor_is_resumed(desk):
    pause_provider(desk.steps.db, "suno", "no credits left", 600)
    desk.operator.go("/desk/-/system")
    desk.page.click("text=Resume")
    desk.page.click(".asked button")
    expect(desk.page.locator("text=no credits left")).to_have_count(0)
    assert read_pauses(desk.steps.db) == []


def test_drawer_is_opened_and_closed_by_keyboard_alone_and_gives_the_focus_back(desk):
    desk.steps.order()
    desk.open("?status=waiting")
    link = desk.page.locator("tr[data-id=r] a")
    link.focus()
    desk.page.keyboard.press("Enter")
    expect(desk.page.locator(".drawer")).to_be_focused()
    assert desk.page.url.endswith("/desk/r")
    desk.page.keyboard.press("Escape")
    expect(link).to_be_focused()
    expect(desk.page.locator(".drawer")).to_be_hidden()
    assert desk.page.url.endswith("/desk?status=waiting")


def test_drawer_follows_the_browsers_way_back_and_forth(desk):
    desk.steps.order()
    desk.open()
    desk.page.click("tr[data-id=r] a")
    expect(desk.page.locator(".drawer [data-drawer=r]")).to_be_visible()
    desk.page.go_back()
    expect(desk.page.locator(".drawer")).to_be_hidden()
    desk.page.go_forward()
    expect(desk.page.locator(".drawer [data-drawer=r]")).to_be_visible()
    expect(desk.page.locator("tr[data-id=r]")).to_have_attribute("aria-current", "true")


def test_order_has_an_address_of_its_own_and_escape_leads_to_the_table(desk):
    desk.steps.order()
    desk.operator.go("/desk/r")
    expect(desk.page.locator("[data-drawer=r]")).to_be_visible()
    desk.page.keyboard.press("Escape")
    desk.page.wait_for_url("**/desk")


def test_drawer_shows_what_happens_and_the_keyboard_stays_in_it(desk):
    desk.steps.order()
    desk.open()
    desk.page.click("tr[data-id=r] a")
    desk.page.locator(".drawer .acts button").first.focus()
    desk.steps.take()
    expect(desk.page.locator(".drawer .badge.processing")).to_be_visible()
    assert desk.page.evaluate("document.querySelector('.drawer').contains(document.activeElement)")
