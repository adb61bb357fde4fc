"""The API with its pages, as a process that can be killed; and what an open dashboard shows."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from castad.stack.processes import find_free_port
from resources.ledger.db.database import open_database
from resources.ledger.queries.access import Secret
from resources.process.settings import Settings
from tests.browser.site import Person, Site
from tests.castad_up import running
from tests.chaos_proxy import ChaosProxy
from tests.conftest import forget_foreign_settings
from tests.integration.vendor_house import set_environment
from tests.ledger_steps import Steps

_WATCH = """() => {
  const body = document.querySelector("[data-orders]").tBodies[0];
  window.appeared = {};
  window.mostRows = body.rows.length;
  new MutationObserver((changes) => {
    window.mostRows = Math.max(window.mostRows, body.rows.length);
    for (const change of changes)
      for (const row of change.addedNodes) if (row.dataset) window.appeared[row.dataset.id] ??= Date.now();
  }).observe(body, { childList: true });
}"""
_FOLLOW = """async () => {
  const { follow } = await import(`${document.body.dataset.static}/js/stream.js`);
  window.heard = [];
  window.lags = [];
  window.states = [];
  const message = (event) => {
    window.heard.push([event.task_id, event.seq]);
    window.lags.push(Date.now() - Date.parse(event.at));
  };
  const keep = (state) => window.states.push(state);
  await new Promise((begun) => follow("/v1/admin/stream", { begun, message }, keep));
}"""
_SHOWN = """() => Object.fromEntries([...document.querySelectorAll("[data-orders] tbody tr")].map(
  (row) => [row.dataset.id, row.querySelector("[data-cell=status]").classList[1]]))"""
_TILES = """() => Object.fromEntries([...document.querySelectorAll("[data-tile]")].map(
  (tile) => [tile.dataset.tile, Number(tile.querySelector("strong").textContent)]))"""
_NO_ANSWER = "Failed to load resource"


@dataclass
class ApiProcess:
    """`castad api` on a port that it keeps over a restart."""

    site: Site
    folder: Path
    command: Sequence[str]
    process: "subprocess.Popen[bytes]"

    def kill(self) -> None:
        """It is gone, and could not say so."""
        self.process.kill()
        self.process.wait()

    @contextmanager
    def started_again(self) -> Iterator[None]:
        """Another one answers in its place while the block runs."""
        with running(self.folder, self.command, f"{self.site.page}/healthz"):
            yield


class Line:
    """What is between the browser and the API: it can be cut, so that nobody answers, and mended."""

    def __init__(self, site: Site) -> None:
        self._target = int(site.page.rpartition(":")[2])
        self._proxy = ChaosProxy(self._target)
        self.site = replace(site, page=f"http://127.0.0.1:{self._proxy.port}")
        self._proxy.__enter__()

    def cut(self) -> None:
        """Nothing arrives, and every connection is over."""
        self._proxy.refuse()

    def mend(self) -> None:
        """The API answers at the same address as before."""
        self._proxy = ChaosProxy(self._target, self._proxy.port)
        self._proxy.__enter__()


@contextmanager
def api_process(folder: Path, **settings: str) -> Iterator[ApiProcess]:
    """The API of these settings answers while the block runs, or until it is killed; nobody works."""
    port, home = find_free_port(), folder / "home"
    page, command = f"http://127.0.0.1:{port}", ["api", "--port", str(port)]
    with pytest.MonkeyPatch.context() as patch:
        forget_foreign_settings(patch)
        set_environment(patch, {"CASTAD_HOME": str(home), **settings})
        with running(folder, command, f"{page}/healthz") as process:
            db = open_database(Settings().ledger_url)
            yield ApiProcess(Site(page, page, home, db), folder, command, process)


@dataclass(frozen=True)
class OpenDashboard:
    """An operator on the dashboard, and the key that they have logged in with."""

    operator: Person
    key: Secret

    @property
    def page(self) -> Page:
        return self.operator.page

    @property
    def steps(self) -> Steps:
        return Steps(self.operator.site.db)

    def open(self, query: str = "") -> None:
        """It is shown and live, and from now on it is known when a row appeared."""
        self.operator.go(f"/dashboard{query}")
        self.wait_until("live")
        self.page.evaluate(_WATCH)

    def wait_until(self, state: str) -> None:
        """The dashboard says that its stream is so."""
        self.page.wait_for_selector(f"[data-stream][data-state={state}]")

    def follow(self) -> None:
        """From now on `heard` has what the pages' own stream module hands on."""
        self.page.evaluate(_FOLLOW)

    @property
    def heard(self) -> list[tuple[str, int]]:
        """The order and the seq of every event, as they were handed on."""
        return [(name, seq) for name, seq in self.page.evaluate("window.heard")]

    @property
    def lags(self) -> list[float]:
        """How many seconds after its own time each of them was handed on."""
        return [lag / 1000 for lag in self.page.evaluate("window.lags")]

    @property
    def states(self) -> dict[str, str]:
        """The state that each row shows."""
        shown: dict[str, str] = self.page.evaluate(_SHOWN)
        return shown

    @property
    def tiles(self) -> dict[str, int]:
        numbers: dict[str, int] = self.page.evaluate(_TILES)
        return numbers

    def appeared(self, task_id: str) -> float:
        """The time of its row, in seconds; it is waited for."""
        shown: Any = self.page.wait_for_function("id => window.appeared[id]", arg=task_id)
        return float(shown.json_value()) / 1000

    def close(self) -> None:
        """Nobody looks any more; what the browser logged about answers that the test withheld is no fault."""
        self.page.close()
        left = [each for each in self.operator.complaints if _NO_ANSWER not in each]
        self.operator.complaints[:] = left
