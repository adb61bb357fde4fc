"""A real `castad up` whose vendors are fakes that keep books."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from castad.dagster_storage.home import build_dagster_environment
from castad.stack.processes import find_free_port, start_group, stop_groups
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.status import list_requests
from resources.process.settings import Settings
from tests.conftest import forget_foreign_settings
from tests.eventually import eventually
from tests.integration.vendor_house import Environment, Vendors, open_vendors, set_environment


@dataclass(frozen=True)
class Up:
    """A running castad: where it answers, what it has bought, and the environment that it has."""

    ui: str
    api: str
    vendors: Vendors
    db: Database
    environment: Environment
    process: "subprocess.Popen[bytes]"
    log: Path

    def bought(self) -> tuple[dict[str, int], list[str]]:
        """What the vendors would have charged, and the requests there are."""
        return self.vendors.charges(), [row.task_id for row in list_requests(self.db)]


@contextmanager
def castad_up(folder: Path, home: Path) -> Iterator[Up]:
    """castad works in this state folder while the block runs."""
    with (
        open_vendors(folder, {}) as vendors,
        up_with(vendors, folder, {"CASTAD_HOME": str(home)}) as up,
    ):
        yield up


@contextmanager
def up_with(vendors: Vendors, folder: Path, variables: Environment) -> Iterator[Up]:
    """castad works with these vendors and settings while the block runs; what it says is kept in the folder."""
    port, api_port = find_free_port(), find_free_port()
    ui, api = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{api_port}"
    command = ["up", "--port", str(port), "--api-port", str(api_port)]
    with pytest.MonkeyPatch.context() as patch:
        forget_foreign_settings(patch)
        environment = {"CASTAD_PUBLIC_URL": api, **vendors.environment(), **variables}
        set_environment(patch, environment)
        with running(folder, command, f"{ui}/server_info") as process:
            assert eventually(lambda: is_answered(f"{api}/healthz"))
            db = open_database(Settings().ledger_url)
            yield Up(ui, api, vendors, db, environment, process, log_in(folder, command))


@contextmanager
def running(
    folder: Path, command: Sequence[str], answers: str
) -> Iterator["subprocess.Popen[bytes]"]:
    """castad does this while the block runs, from the time on that it answers there."""
    with log_in(folder, command).open("ab") as log:
        process = start_group(
            [sys.executable, "-m", "castad", *command], build_dagster_environment(Settings()), log
        )
    try:
        assert eventually(lambda: is_answered(answers)), log_in(folder, command).read_text()
        yield process
    finally:
        stop_groups([process], 40)


def log_in(folder: Path, command: Sequence[str]) -> Path:
    return folder / f"{command[0]}.log"


def is_answered(url: str) -> bool:
    """Whether somebody answers there, if only by asking for a password."""
    try:
        return httpx.get(url, trust_env=False, verify=False).status_code in (200, 401)
    except httpx.HTTPError:
        return False
