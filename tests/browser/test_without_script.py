"""Ordering, approving and reading in a browser that runs no script."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from tests.browser.site import PHONE, Person, Site, person
from tests.eventually import eventually

SUNG = "소금빵 향기가 골목을 채워요"


@pytest.fixture
def shopkeeper(browser: Browser, site: Site) -> Iterator[Person]:
    with person(browser, site, PHONE, java_script_enabled=False) as someone:
        someone.log_in(site.key("shop").text)
        yield someone


def comes(page: Page, selector: str) -> bool:
    """Return whether a reload shows it in the end; the page may reload itself at the same moment."""

    def is_there() -> bool:
        try:
            page.reload()
        except Error:
            return False
        return page.locator(selector).count() > 0

    return eventually(is_there, 180)


def test_work_is_priced_ordered_changed_and_downloaded(shopkeeper):
    page = shopkeeper.page
    page.fill("#f-customer_name", "봄날 베이커리")
    page.fill("#f-region", "전주 한옥마을")
    page.fill("#f-duration_seconds", "10")
    page.locator("details.more > summary").first.click()
    page.fill("#f-takes", "2")
    page.click("button[value=price]")
    expect(page.locator("[data-estimate-line] strong")).to_have_text("$0")
    expect(page.locator("#f-takes")).to_have_value("2")
    page.click("button.primary[value=order]")

    assert comes(page, "[data-held=lyric]")
    words = page.locator("[data-held=lyric] textarea").last
    lines = words.input_value().splitlines()
    sung = next(number for number, line in enumerate(lines) if line and not line.startswith("["))
    words.fill("\n".join([*lines[:sung], SUNG, *lines[sung + 1 :]]))
    page.click(".held-acts button[value=save]")
    expect(page.locator("[data-held=lyric] textarea").last).to_have_value(re.compile(SUNG))
    page.click("button[value=approve]")

    assert comes(page, "[data-held=song]")
    expect(page.locator("[data-held=song] audio")).to_have_count(2)
    page.check("[name=choice][value=b]")
    page.click("button[value=approve]")

    assert comes(page, "video")
    expect(page.locator(".words")).to_contain_text(SUNG)
    links = page.locator(".files a")
    addresses = [links.nth(each).get_attribute("href") for each in range(links.count())]
    assert any(str(each).endswith(".mp4") for each in addresses)
    answers = [shopkeeper.context.request.get(shopkeeper.site.page + str(a)) for a in addresses]
    assert {answer.status for answer in answers} == {200}
