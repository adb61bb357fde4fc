"""The drawer of the desk when the session has ended or on a phone; and the end of a table that is read again."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import APIResponse, Browser, Route, expect
from sqlalchemy import text

from resources.ledger.queries.access import Scope
from resources.ledger.transitions.access import revoke_key
from tests.browser.desk_site import ApiProcess, OpenDesk, api_process
from tests.browser.site import PHONE, person
from tests.eventually import eventually
from tests.ledger_steps import Steps

INSERT = "INSERT INTO requests (task_id, payload) VALUES (:name, '{}')"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    with api_process(tmp_path_factory.mktemp("drawer")) as api:
        yield api


@pytest.fixture
def desk(api: ApiProcess, browser: Browser) -> Iterator[OpenDesk]:
    """An operator who is logged in on a phone, over a ledger without orders."""
    Steps(api.site.db).empty()
    key = api.site.key("operator", Scope.ADMIN)
    with person(browser, api.site, size=PHONE, language="en") as operator:
        operator.log_in(key.text)
        yield OpenDesk(operator, key)


def test_drawer_of_a_revoked_key_says_so_and_keeps_the_order(desk):
    desk.steps.order()
    desk.open()
    desk.page.click("tr[data-id=r] a")
    desk.page.click(".drawer .acts button")
    answer = desk.page.locator(".drawer form button", has_text="Cancel the order")
    expect(answer).to_be_visible()
    revoke_key(desk.steps.db, desk.key.id)
    assert eventually(
        lambda: desk.page.request.get(f"{desk.operator.site.page}/v1/pipeline").status == 401
    )
    answer.click()
    expect(desk.page.locator(".drawer [role=alert]")).to_have_text(
        "You are logged out. Log in again."
    )
    expect(desk.page.locator(".drawer [data-drawer=r]")).to_be_visible()
    expect(desk.page.locator("tr[data-id=r]")).to_be_attached()
    desk.close()


def test_refused_act_says_its_sentence_in_the_drawer(desk):
    desk.steps.order()
    desk.open()
    desk.page.click("tr[data-id=r] a")
    desk.page.locator(".drawer form input[name=csrf]").first.evaluate("field => field.value = 'x'")
    desk.page.click(".drawer .acts button")
    expect(desk.page.locator(".drawer [role=alert]")).to_contain_text("csrf")
    desk.close()


def test_nothing_behind_the_drawer_is_reached_on_a_phone_until_it_is_closed(desk):
    desk.steps.order()
    desk.open()
    link = desk.page.locator("tr[data-id=r] a")
    link.click()
    expect(desk.page.get_by_role("dialog")).to_be_visible()
    outside = "[...document.querySelectorAll('a, button, input')].filter(e => !e.closest('[inert], .drawer'))"
    reached = desk.page.evaluate(f"{outside}.length")
    desk.page.keyboard.press("Escape")
    expect(link).to_be_focused()
    assert (reached, desk.page.locator("[inert]").count()) == (0, 0)


def insert(desk: OpenDesk, names: list[str]) -> None:
    with desk.steps.db.writing() as tx:
        tx.execute(text(INSERT), [{"name": name} for name in names])


def test_older_orders_that_arrive_after_the_table_was_read_again_leave_no_gap(desk):
    old, new = ([f"{age}-row-{number}" for number in range(150)] for age in ("old", "new"))
    insert(desk, old)
    held: list[tuple[Route, APIResponse]] = []

    def hold_first(route: Route) -> None:
        held.append((route, route.fetch())) if not held else route.continue_()

    desk.page.route("**/desk/-/rows*cursor=*", hold_first)
    # Of a search only the server knows what matches, so what comes has the table read again.
    desk.open("?q=row")
    desk.page.mouse.move(200, 600)
    desk.page.mouse.wheel(0, 60_000)
    # Where the test's thread only waits, the route's handler does not run.
    assert eventually(lambda: bool(desk.states and held))
    insert(desk, new)
    expect(desk.page.locator(f"tr[data-id={new[-1]}]")).to_be_attached(timeout=20_000)
    [(route, answer)] = held
    route.fulfill(response=answer)

    def has_reached_the_end() -> bool:
        desk.page.mouse.wheel(0, 6000)
        return old[0] in desk.states

    assert eventually(has_reached_the_end)
    appeared = set(desk.page.evaluate("Object.keys(window.appeared)"))
    assert {*new, *old[:100]} - appeared == set()
