"""What the processes of a faulty house do, one function each; any of them may be killed at any point."""

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dagster import DagsterInstance, SensorResult, build_sensor_context

from castad.dagster_storage.home import make_dagster_home
from pipeline_defs.build import make_job
from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import database_of, open_database
from resources.ledger.transitions.rescue import register_worker
from resources.process.settings import settings
from sensors.event_mirror import mirror_events
from sensors.requests import requests_sensor
from sensors.rescue import rescue_sensor

Environment = Mapping[str, str]
_SLOTS = 5
_JOBS = {pipeline.name: make_job(pipeline) for pipeline in get_catalog()}


def make_state(environment: Environment) -> None:
    """The state folder and the databases are there, empty."""
    with _instance(environment):
        open_database(settings().ledger_url).close()


def tick(environment: Environment, cursor: Path, runs: Path) -> None:
    """Rescue, then dispatch, as the daemon does; the runs asked for are written to a file."""
    with _instance(environment) as instance:
        before = cursor.read_text() if cursor.exists() else None
        # The processes that run what is dispatched are no workers of a queue; here is one for them.
        ledger = open_database(settings().ledger_url)
        register_worker(ledger, "house", "queue", slots=_SLOTS, poison_deaths=_SLOTS)
        rescued = rescue_sensor(build_sensor_context(instance, cursor=before))
        assert isinstance(rescued, SensorResult)
        _write(cursor, str(rescued.cursor))
        evaluated = requests_sensor(get_catalog(), [*_JOBS.values()], wait_seconds=0).evaluate_tick(
            build_sensor_context(instance)
        )
        wanted = [
            {
                "job": run.job_name,
                "run_config": dict(run.run_config),
                "tags": dict(run.tags),
            }
            for run in evaluated.run_requests or []
        ]
        _write(runs, json.dumps(wanted))


def run(environment: Environment, wanted: Mapping[str, Any]) -> None:
    """One run of the job."""
    with _instance(environment) as instance:
        _JOBS[wanted["job"]].execute_in_process(
            run_config=wanted["run_config"],
            tags=wanted["tags"],
            instance=instance,
            raise_on_error=False,
        )


def mirror(environment: Environment) -> None:
    """The outbox, emptied."""
    with _instance(environment) as instance:
        mirror_events(instance)


def _instance(environment: Environment) -> DagsterInstance:
    warnings.simplefilter("ignore")
    os.environ.update(environment)
    settings.cache_clear()
    database_of.cache_clear()
    return DagsterInstance.from_config(str(make_dagster_home(settings())))


def _write(path: Path, text: str) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(path)
