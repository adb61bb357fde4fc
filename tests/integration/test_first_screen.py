"""The first screen is small, so that it is soon there on a phone."""

import pytest

from tests.api_house import BRIEF
from tests.first_screen import fetched
from tests.page_visitor import log_in

pytestmark = pytest.mark.usefixtures("sqlite_ledger_url")

MOST_BYTES = 100_000
A_PAGE = 60


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("path", ["/login", "/", "/works", "/dashboard", "/docs"])
def test_first_screen_is_under_a_hundred_kilobytes(house, path, language):
    for number in range(A_PAGE):
        house.steps.order(f"o{number}", dict(BRIEF), owner="admin")
    sizes = fetched(log_in(house, "admin", "admin").http, f"{path}?lang={language}")
    assert sum(sizes.values()) < MOST_BYTES, sizes


def test_form_of_an_order_is_sent_in_forty_kilobytes(house):
    sizes = fetched(log_in(house, "shop").http, "/?lang=ko")
    assert sum(sizes.values()) < 40_000, sizes
