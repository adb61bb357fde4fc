"""A real `castad up` whose vendors are fakes that keep books."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from castad.engine.home import dagster_environment
from castad.ports import free_port
from castad.processes import start_group, stop_groups
from resources.ledger.database import Database, open_database
from resources.ledger.reads import list_requests
from resources.settings import Settings
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

    def bought(self) -> tuple[dict[str, int], list[str]]:
        """What the vendors would have charged, and the requests there are."""
        return self.vendors.charges(), [row.task_id for row in list_requests(self.db)]


@contextmanager
def castad_up(folder: Path, home: Path, **variables: str) -> Iterator[Up]:
    """castad works in this state folder while the block runs, with these settings too."""
    port, api_port = free_port(), free_port()
    ui, api = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{api_port}"
    command = ["up", "--port", str(port), "--api-port", str(api_port)]
    with open_vendors(folder, {}) as vendors, pytest.MonkeyPatch.context() as patch:
        forget_foreign_settings(patch)
        environment = {
            "CASTAD_HOME": str(home),
            "CASTAD_PUBLIC_URL": api,
            **vendors.environment(),
            **variables,
        }
        set_environment(patch, environment)
        with running(folder, command, f"{ui}/server_info"):
            assert eventually(lambda: is_answered(f"{api}/healthz"))
            yield Up(ui, api, vendors, open_database(Settings().ledger_url), environment)


@contextmanager
def running(folder: Path, command: Sequence[str], answers: str) -> Iterator[None]:
    """castad does this while the block runs, from the time on that it answers there."""
    with (folder / f"{command[0]}.log").open("ab") as log:
        process = start_group(
            [sys.executable, "-m", "castad", *command], dagster_environment(Settings()), log
        )
    try:
        assert eventually(lambda: is_answered(answers)), (folder / f"{command[0]}.log").read_text()
        yield
    finally:
        stop_groups([process], 40)


def is_answered(url: str) -> bool:
    """Whether somebody answers there, if only by asking for a password."""
    try:
        return httpx.get(url, trust_env=False, verify=False).status_code in (200, 401)
    except httpx.HTTPError:
        return False
