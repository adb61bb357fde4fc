"""The dashboard's drawer when the session has ended or on a phone; and the end of a table that is read again."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import APIResponse, Browser, Route, expect
from sqlalchemy import text

from resources.ledger.queries.access import Scope
from resources.ledger.transitions.access import revoke_key
from tests.browser.dashboard_site import ApiProcess, OpenDashboard, api_process
from tests.browser.site import PHONE, person
from tests.eventually import eventually
from tests.ledger_steps import Steps

INSERT = "INSERT INTO requests (task_id, payload) VALUES (:name, '{}')"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    with api_process(tmp_path_factory.mktemp("drawer")) as api:
        yield api


@pytest.fixture
def dashboard(api: ApiProcess, browser: Browser) -> Iterator[OpenDashboard]:
    """An operator who is logged in on a phone, over a ledger without orders."""
    Steps(api.site.db).empty()
    key = api.site.key("operator", Scope.ADMIN)
    with person(browser, api.site, size=PHONE, language="en") as operator:
        operator.log_in(key.text)
        yield OpenDashboard(operator, key)


def test_drawer_of_a_revoked_key_says_so_and_keeps_the_order(dashboard):
    dashboard.steps.order()
    dashboard.open()
    dashboard.page.click("tr[data-id=r] a")
    dashboard.page.click(".drawer .acts button")
    answer = dashboard.page.locator(".drawer form button", has_text="Cancel the order")
    expect(answer).to_be_visible()
    revoke_key(dashboard.steps.db, dashboard.key.id)
    assert eventually(
        lambda: (
            dashboard.page.request.get(f"{dashboard.operator.site.page}/v1/pipeline").status == 401
        )
    )
    answer.click()
    expect(dashboard.page.locator(".drawer [role=alert]")).to_have_text(
        "You are logged out. Log in again."
    )
    expect(dashboard.page.locator(".drawer [data-drawer=r]")).to_be_visible()
    expect(dashboard.page.locator("tr[data-id=r]")).to_be_attached()
    dashboard.close()


def test_refused_act_says_its_sentence_in_the_drawer(dashboard):
    dashboard.steps.order()
    dashboard.open()
    dashboard.page.click("tr[data-id=r] a")
    dashboard.page.locator(".drawer form input[name=csrf]").first.evaluate(
        "field => field.value = 'x'"
    )
    dashboard.page.click(".drawer .acts button")
    expect(dashboard.page.locator(".drawer [role=alert]")).to_contain_text("csrf")
    dashboard.close()


def test_nothing_behind_the_drawer_is_reached_on_a_phone_until_it_is_closed(dashboard):
    dashboard.steps.order()
    dashboard.open()
    link = dashboard.page.locator("tr[data-id=r] a")
    link.click()
    expect(dashboard.page.get_by_role("dialog")).to_be_visible()
    outside = "[...document.querySelectorAll('a, button, input')].filter(e => !e.closest('[inert], .drawer'))"
    reached = dashboard.page.evaluate(f"{outside}.length")
    dashboard.page.keyboard.press("Escape")
    expect(link).to_be_focused()
    assert (reached, dashboard.page.locator("[inert]").count()) == (0, 0)


def insert(dashboard: OpenDashboard, names: list[str]) -> None:
    with dashboard.steps.db.writing() as tx:
        tx.execute(text(INSERT), [{"name": name} for name in names])


def test_older_orders_that_arrive_after_the_table_was_read_again_leave_no_gap(dashboard):
    old, new = ([f"{age}-row-{number}" for number in range(150)] for age in ("old", "new"))
    insert(dashboard, old)
    held: list[tuple[Route, APIResponse]] = []

    def hold_first(route: Route) -> None:
        held.append((route, route.fetch())) if not held else route.continue_()

    dashboard.page.route("**/dashboard/-/rows*cursor=*", hold_first)
    # Of a search only the server knows what matches, so what comes has the table read again.
    dashboard.open("?q=row")
    dashboard.page.mouse.move(200, 600)
    dashboard.page.mouse.wheel(0, 60_000)
    # Where the test's thread only waits, the route's handler does not run.
    assert eventually(lambda: bool(dashboard.states and held))
    insert(dashboard, new)
    expect(dashboard.page.locator(f"tr[data-id={new[-1]}]")).to_be_attached(timeout=20_000)
    [(route, answer)] = held
    route.fulfill(response=answer)

    def has_reached_the_end() -> bool:
        dashboard.page.mouse.wheel(0, 6000)
        return old[0] in dashboard.states

    assert eventually(has_reached_the_end)
    appeared = set(dashboard.page.evaluate("Object.keys(window.appeared)"))
    assert {*new, *old[:100]} - appeared == set()
