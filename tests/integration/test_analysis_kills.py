"""A worker that is killed in a stage of an analysis leaves a request and a projection, which the next finishes."""

import subprocess
import sys

import pytest
from dagster import DagsterInstance
from sqlalchemy import select

from pipeline_defs.analysis.pipeline import PIPELINE
from pipeline_defs.build import make_job
from resources.ledger.db.database import open_database
from resources.ledger.queries.status import list_requests
from resources.ledger.schema.tables import Status, analyses
from resources.process.settings import settings
from tests.git_repositories import new_repository
from tests.quiet_dagster import quiet_instance

pytestmark = pytest.mark.processes

_RUN = """
import sys
from pathlib import Path

from pipeline_defs.build import make_job
from pipeline_defs.analysis.pipeline import PIPELINE
from tests.quiet_dagster import quiet_instance

with quiet_instance(Path(sys.argv[1])) as instance:
    order = {"task_id": "r", "repository": sys.argv[2]}
    make_job(PIPELINE).execute_in_process(run_config=order, instance=instance)
"""


@pytest.mark.usefixtures("sqlite_ledger_url")
@pytest.mark.parametrize("stage", PIPELINE.stage_names)
def test_killed_in_a_stage_leaves_one_request_that_the_next_run_finishes(
    stage, tmp_path, monkeypatch
):
    repository = new_repository(tmp_path / "shop", {"a.py": b"A = 1\n"})
    monkeypatch.setenv("CASTAD_CRASH", f"{stage}.after_begin:KILL")
    command = [sys.executable, "-c", _RUN, str(tmp_path / "dagster"), repository.path]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode != 0
    monkeypatch.delenv("CASTAD_CRASH")
    settings.cache_clear()
    db = open_database(settings().ledger_url)
    [left] = list_requests(db)
    assert (left.status, left.stage) == (Status.PROCESSING, stage)
    with quiet_instance(tmp_path / "dagster") as instance:
        finish(instance)
    [finished] = list_requests(db)
    assert (finished.id, finished.status) == (left.id, Status.COMPLETED)
    with db.reading() as tx:
        [projection] = tx.execute(select(analyses)).all()
    assert (projection.request_id, projection.status) == (left.id, "completed")


def finish(instance: DagsterInstance) -> None:
    """The next run of the request."""
    make_job(PIPELINE).execute_in_process(run_config={"task_id": "r"}, instance=instance)
