"""A real `castad make` whose order waits for its video until a test ends one of them."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from resources.ledger.db.database import Database, open_database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.overview import build_overview
from resources.process.settings import settings
from tests.conftest import forget_foreign_settings
from tests.eventually import eventually
from tests.integration.vendor_house import Environment, Vendors, set_environment

NEVER = 1e6
TASK_ID = "x"
ORDER = f"customer_name: 봄날 베이커리\nregion: 전주\nduration_seconds: 10\ntask_id: {TASK_ID}\n"


def order_in(folder: Path) -> str:
    """An order as a file of this folder."""
    file = folder / "an order.yaml"
    file.write_text(ORDER)
    return str(file)


def castad_make(folder: Path, *options: str) -> list[str]:
    """The command that makes it."""
    return [sys.executable, "-m", "castad", "make", order_in(folder), *options]


@contextmanager
def make_that_waits_for_its_video(
    folder: Path, environment: Environment, vendors: Vendors
) -> Iterator["subprocess.Popen[str]"]:
    """The video is ordered when the block begins; `make` ends with the block, its video's vendor is never done."""
    vendors.creatomate.set(delay=NEVER)
    with pytest.MonkeyPatch.context() as patch:
        forget_foreign_settings(patch)
        set_environment(patch, environment)
        make = _started(folder)
        try:
            db = open_database(settings().ledger_url)
            assert eventually(lambda: "video" in stages_begun(db))
            yield make
        finally:
            if make.poll() is None:
                make.terminate()
            make.communicate(timeout=60)


def _started(folder: Path) -> "subprocess.Popen[str]":
    """With SIGINT ignored, as a shell's `&` leaves it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.Popen(
            castad_make(folder),
            cwd=folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    finally:
        signal.signal(signal.SIGINT, before)


def stages_begun(db: Database) -> list[str]:
    try:
        return [view.stage for view in build_overview(db, TASK_ID).stages]
    except UnknownRequestError:
        return []
