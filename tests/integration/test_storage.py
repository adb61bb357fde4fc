"""Dagster's storage, opened by several processes on a state folder that nobody has used."""

import os
import subprocess
import sys

from castad.engine.home import dagster_home
from resources.settings import settings

OPEN = "from dagster import DagsterInstance as D; import sys; D.from_config(sys.argv[1]).get_runs_count()"


def test_storage_is_made_whole_by_many_processes_at_once() -> None:
    home = str(dagster_home(settings()))
    command = [sys.executable, "-W", "ignore", "-c", OPEN, home]
    together = [subprocess.Popen(command, env=dict(os.environ)) for _ in range(4)]
    assert [process.wait() for process in together] == [0, 0, 0, 0]
