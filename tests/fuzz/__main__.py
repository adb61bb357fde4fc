"""`make fuzz`: two thousand cases and more against the API on a real Postgres, with orders in every state."""

import re
import sys
import tempfile
from pathlib import Path

import pytest

from resources.ledger.rules import FailureAction
from resources.process.settings import settings
from tests.api_house import House, served
from tests.fuzz.schemathesis_run import run_schemathesis
from tests.integration.vendor_house import set_environment
from tests.postgres_server import PostgresServer

_EXAMPLES = 100
_CASES = re.compile(r"(\d+) generated")


def main() -> int:
    """Run it; returns the exit code."""
    server = PostgresServer()
    with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        try:
            server.start()
            home = {"CASTAD_HOME": f"{scratch}/home"}
            set_environment(patch, {**home, "CASTAD_DATABASE_URL": server.create("fuzz")})
            with served() as house:
                _populate(house)
                done = run_schemathesis(
                    house.url, house.key("fuzz", "admin"), Path(scratch), examples=_EXAMPLES
                )
        finally:
            server.stop()
            settings.cache_clear()
    sys.stdout.write(done.stdout + done.stderr)
    found = _CASES.search(done.stdout)
    cases = int(found[1]) if found else 0
    sys.stdout.write(f"{cases} cases on Postgres\n")
    return done.returncode or int(cases < 2000)


def _populate(house: House) -> None:
    """An order in every state, by the name of the state."""
    steps = house.steps
    steps.order("pending")
    steps.completed("completed")
    steps.failed("failed")
    steps.dead("dead")
    steps.fail(steps.working("waiting"), FailureAction.WAIT)
    steps.working("processing")
    steps.order("canceled")
    steps.cancel("canceled")


if __name__ == "__main__":
    sys.exit(main())
