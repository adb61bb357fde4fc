"""A running copy of the project with a second pipeline, its vendor, and all its faces."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from castad.stack.processes import find_free_port, stop_groups
from resources.ledger.db.database import Database, open_database
from tests.acceptance.ui import Ui
from tests.castad_up import is_answered
from tests.eventually import eventually
from tests.extension.clone import Clone, Done, Shell, copy_project
from tests.extension.fake_printshop import FakePrintshop

FAST = {
    "CASTAD_WATCH_SECONDS": "0.1",
    "CASTAD_POLL_SECONDS": "0.05",
    "CASTAD_POLL_LONGEST": "0.1",
    "CASTAD_STEP_RETRY_DELAY": "0.01",
    "CASTAD_RETRY_PRINTING": "0.05",
    # The first look for a lost job is made after a thirtieth of this.
    "CASTAD_UNKNOWN_GRACE": "90",
    # No pause lasts for the sake of the shop's rate.
    "PRINTSHOP_CALLS_PER_10_SECONDS": "100000",
}
ORDER = {"headline": "Summer sale", "copies": 4}


@dataclass(frozen=True)
class House:
    """A castad at work in the clone; `shell` takes its commands."""

    clone: Clone
    shop: FakePrintshop
    shell: Shell
    ui: Ui
    api: httpx.Client
    db: Database

    def castad(self, *arguments: str, **variables: str) -> Done:
        return self.shell.castad(*arguments, **variables)

    def status(self, task_id: str) -> dict[str, Any]:
        answer = self.api.get(f"/v1/pipeline/status/{task_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def until(self, task_id: str, status: str) -> dict[str, Any]:
        """The order's status once it is this one."""
        path = f"/v1/pipeline/status/{task_id}"
        is_so = eventually(lambda: self.api.get(path).json().get("overall_status") == status)
        assert is_so, self.status(task_id)
        return self.status(task_id)

    def place(self, task_id: str, **fields: Any) -> None:
        """An order of the pipeline, over HTTP."""
        order = {"task_id": task_id, "pipeline": "poster", **ORDER, **fields}
        answer = self.api.post("/v1/pipeline/start", json=order)
        assert answer.status_code in (200, 202), answer.text

    def done(self, task_id: str, **fields: Any) -> dict[str, Any]:
        """The status of such an order, which is completed."""
        self.place(task_id, **fields)
        return self.until(task_id, "completed")


@contextmanager
def open_house(folder: Path) -> Iterator[House]:
    """A copy with one folder and one line more for a pipeline and a vendor each, and `castad up` in it."""
    port, api_port = find_free_port(), find_free_port()
    ui, api = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{api_port}"
    with FakePrintshop(folder / "books") as shop:
        shop.set(credits=1_000_000)
        keys = {"PRINTSHOP_API_KEY": shop.key, "PRINTSHOP_BASE_URL": shop.url}
        clone = copy_project(folder / "clone", {**FAST, **keys})
        clone.drop_vendor("printshop")
        clone.drop_pipeline("poster")
        with (
            _running(clone, ["up", "--port", str(port), "--api-port", str(api_port)], ui, api),
            clone.shell() as shell,
            httpx.Client(base_url=ui, trust_env=False, timeout=60) as page,
            httpx.Client(base_url=api, trust_env=False, timeout=60) as client,
        ):
            key = (clone.folder / ".castad" / "admin.key").read_text().strip()
            client.headers["Authorization"] = f"Bearer {key}"
            page.headers["Origin"] = ui
            db = open_database(f"sqlite:///{clone.folder / '.castad' / 'castad.db'}")
            yield House(clone, shop, shell, Ui(page), client, db)


@contextmanager
def _running(clone: Clone, command: list[str], ui: str, api: str) -> Iterator[None]:
    log = clone.folder / "up.log"
    with log.open("wb") as output:
        # There, or the project's own code would be found first.
        process = subprocess.Popen(
            [sys.executable, "-m", "castad", *command],
            cwd=clone.folder,
            env=clone.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        for url in (f"{ui}/server_info", f"{api}/healthz"):
            assert eventually(lambda url=url: is_answered(url)), log.read_text()
        yield
    finally:
        stop_groups([process], 40)
