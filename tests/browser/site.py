"""A running castad with the studio alone, and a person's browser at its pages."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from castad.stack.processes import find_free_port
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.access import Scope, Secret
from resources.ledger.transitions.access import create_key
from resources.process.settings import Settings
from tests.browser.chromium import installed_chromium
from tests.castad_up import is_answered, running
from tests.conftest import forget_foreign_settings
from tests.eventually import eventually
from tests.integration.vendor_house import set_environment

PHONE, DESKTOP, WALL = (390, 844), (1440, 900), (3840, 2160)
KINDS = {PHONE: "phone", DESKTOP: "desktop", WALL: "wall"}
LANGUAGES = ("ko", "en")
SHOTS = os.environ.get("SCREENSHOTS")
"""The folder that gets a picture of every screen, where it is set."""
PATIENCE_MS = 180_000
"""How long anything is waited for: no healthy machine takes so long."""
_AXE = Path(__file__).parent / "node_modules/axe-core/axe.min.js"
_OVER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
_PICTURES_ARE_SHOWN = "[...document.images].every(each => each.complete || !each.checkVisibility())"
_SERIOUS = ("serious", "critical")


@dataclass(frozen=True)
class Site:
    """Where castad answers, and the key of its administrator."""

    page: str
    ui: str
    home: Path
    db: Database

    @property
    def admin_key(self) -> str:
        return (self.home / "admin.key").read_text().strip()

    def key(self, owner: str, *scopes: Scope) -> Secret:
        """A new key of this owner's."""
        secret = Secret.new()
        chosen = scopes or (Scope.ORDER, Scope.READ)
        create_key(self.db, secret, name=owner, owner=owner, scopes=chosen)
        return secret

    def client(self, key: str) -> httpx.Client:
        """A client of the API that says this key."""
        says = {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.page, headers=says, trust_env=False, timeout=60)


@contextmanager
def studio_site(folder: Path) -> Iterator[Site]:
    """castad works with the studio alone while the block runs."""
    port, api_port = find_free_port(), find_free_port()
    ui, page, home = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{api_port}", folder / "home"
    command = ["up", "--port", str(port), "--api-port", str(api_port)]
    with pytest.MonkeyPatch.context() as patch:
        forget_foreign_settings(patch)
        set_environment(patch, {"CASTAD_HOME": str(home)})
        with running(folder, command, f"{ui}/server_info"):
            assert eventually(lambda: is_answered(f"{page}/healthz"))
            yield Site(page, ui, home, open_database(Settings().ledger_url))


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, headless, while the block runs."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=installed_chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Person:
    """Who sits at a browser; `complaints` is what the browser has complained of."""

    site: Site
    context: BrowserContext
    page: Page
    size: tuple[int, int]
    language: str
    complaints: list[str] = field(default_factory=list)

    def log_in(self, key: str | None = None) -> None:
        """A session has begun."""
        self.page.goto(f"{self.site.page}/login")
        self.page.fill("#key", key or self.site.admin_key)
        self.page.click("main button.primary")
        self.page.wait_for_url(lambda url: "/login" not in url)

    def go(self, path: str) -> None:
        """The page is there."""
        self.page.goto(self.site.page + path)

    def look(self, name: str, *sizes: tuple[int, int]) -> None:
        """In windows of these sizes, else in its own, the screen fits and axe finds no serious fault.

        It is pictured where that is wanted.
        """
        for size in sizes or (self.size,):
            self.fits(name, size)
            if SHOTS:
                self._picture(
                    Path(SHOTS) / f"{name}-{self.language}-{KINDS.get(size, size[0])}.png"
                )
            found = faults(self.page)
            assert not found, f"{name} in {size}: {found}"
        self._resize(self.size)

    def fits(self, name: str, size: tuple[int, int]) -> None:
        """In a window of this size nothing is wider than the window."""
        self._resize(size)
        assert self.page.evaluate(_OVER) <= 0, f"{name} is wider than a window of {size}"

    def look_in_the_dark(self, name: str) -> None:
        """No text is too pale in the dark scheme."""
        self.page.emulate_media(color_scheme="dark")
        found = faults(self.page, "color-contrast")
        assert not found, f"{name} in the dark: {found}"
        self.page.emulate_media(color_scheme="light")

    def _picture(self, file: Path) -> None:
        """The whole page in a window as high as it is, where nothing that sticks to an edge covers it."""
        width = self.page.evaluate("scrollTo(0, 0), innerWidth")
        height = self.page.evaluate("Math.max(innerHeight, document.documentElement.scrollHeight)")
        before = self.page.viewport_size
        self._resize((width, height))
        assert eventually(lambda: self.page.evaluate(_PICTURES_ARE_SHOWN))
        self.page.screenshot(path=file)
        if before:
            self._resize((before["width"], before["height"]))

    def _resize(self, size: tuple[int, int]) -> None:
        self.page.set_viewport_size({"width": size[0], "height": size[1]})

    def complain(self, message: ConsoleMessage) -> None:
        """What a page logs as an error is a fault, such as what its policy has blocked."""
        if message.type == "error":
            self.complaints.append(message.text)


def faults(page: Page, *rules: str) -> list[str]:
    """The serious faults of accessibility that axe finds by these rules, else by all of its own."""
    # Chromium's own evaluation is no script of the page: its policy does not concern it.
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE.read_text())
    asked = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = page.evaluate("asked => axe.run(document, asked)", asked)["violations"]
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:300]}"
        for each in found
        if each["impact"] in _SERIOUS
    ]


@contextmanager
def person(
    browser: Browser,
    site: Site,
    size: tuple[int, int] = DESKTOP,
    language: str = "ko",
    **options: Any,
) -> Iterator[Person]:
    """A person with a window of this size; what the browser complained of is a failure at the end."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        locale="ko-KR" if language == "ko" else "en-US",
        timezone_id="Asia/Seoul",
        reduced_motion="reduce",
        **options,
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    someone = Person(site, context, page, size, language)
    page.on("console", someone.complain)
    page.on("pageerror", lambda error: someone.complaints.append(str(error)))
    try:
        yield someone
    finally:
        context.close()
    assert not someone.complaints, someone.complaints


def task_id_of(url: str) -> str:
    """The order that a work's address names."""
    found = re.fullmatch(r"/works/([^/]+)", urlsplit(url).path)
    assert found, url
    return found[1]
