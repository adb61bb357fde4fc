"""A headless Chromium, driven over its debugging protocol."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from tests.eventually import eventually

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--remote-debugging-port=0",
)
REBOUND = "rebound.example"
"""A foreign name that has come to lead to this machine."""


class PageError(Exception):
    """What a page's own script threw, or that the page went away meanwhile."""


@dataclass
class Tab:
    """The one tab of a browser; `heard` has the events that came in meanwhile."""

    socket: ClientConnection
    heard: list[dict[str, Any]] = field(default_factory=list)
    _number: int = 0

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol, and its result."""
        self._number += 1
        self.socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv(timeout=60))
            if message.get("id") == self._number:
                if "error" in message:
                    raise PageError(message["error"])
                result: dict[str, Any] = message["result"]
                return result
            self.heard.append(message)

    def go(self, url: str) -> None:
        """The page is there, or what the browser shows in its place."""
        self.call("Page.navigate", url=url)
        assert eventually(lambda: self.evaluate("document.readyState") == "complete"), url

    def shows(self, text: str) -> bool:
        """Whether this can be read on the page at this moment."""
        with suppress(PageError):
            return text in self.evaluate("document.body.innerText")
        return False

    def evaluate(self, script: str) -> Any:
        """What an expression of the page's own script comes to, a promise's fulfilment. Raises PageError."""
        told = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in told:
            raise PageError(told["exceptionDetails"])
        return told["result"].get("value")


def installed_chromium() -> str:
    """The path of this machine's Chromium."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    assert found, "Chromium is missing: apt install chromium"
    return found


@contextmanager
def browsing(folder: Path) -> Iterator[Tab]:
    """A tab of a browser of its own, whose profile is in `folder`; both are gone after the block."""
    profile = folder / "profile"
    command = [
        *(installed_chromium(), *_FLAGS, f"--user-data-dir={profile}"),
        *(f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1", "about:blank"),
    ]
    with (folder / "chromium.log").open("wb") as log:
        browser = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        where = profile / "DevToolsActivePort"
        assert eventually(lambda: where.exists() and "\n" in where.read_text())
        port = where.read_text().splitlines()[0]
        tabs = httpx.get(f"http://127.0.0.1:{port}/json/list", trust_env=False).json()
        page = next(tab for tab in tabs if tab["type"] == "page")
        with connect(page["webSocketDebuggerUrl"], proxy=None, max_size=None) as socket:
            tab = Tab(socket)
            tab.call("Page.enable")
            tab.call("Network.enable")
            yield tab
    finally:
        browser.terminate()
        browser.wait(30)
