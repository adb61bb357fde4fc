"""One running castad and one browser for the tests of a module."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser import site as sites
from tests.browser.site import Site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with sites.studio_site(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sites.chromium() as browser:
        yield browser
