"""A worker process: Celery's threads pool, each thread executing whole Dagster runs on one shared instance."""

import logging
import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery import Celery, signals
from dagster import DagsterInstance

from castad.dagster_storage.event_buffer import install_event_buffer
from castad.dagster_storage.home import dagster_home
from castad.dagster_storage.storage import install_storage_retries
from castad.engine.app import EXECUTE_RUN, make_app
from castad.engine.broker import broker_name
from castad.engine.broker_health import raise_if_broker_refuses
from castad.engine.execute import execute
from castad.engine.on_demand import wait_until_idle
from resources.dagster.worker_process import as_worker_process
from resources.ledger.workers.worker import Worker
from resources.process.configure_logging import configure_logging
from resources.process.settings import Settings
from sensors.limits import StagesByPipeline, admission_limits

_log = logging.getLogger("castad.worker")
_COULD_NOT_STOP = 70  # EX_SOFTWARE of sysexits.h


def run_worker(settings: Settings, places: int, *, while_needed: bool) -> int:
    """The worker has taken runs until it was told to stop; returns its exit code.

    Where it is started by need, it stops by itself as soon as nobody is left who could launch a run. A broker
    that is down is waited for. Raises BrokerRefusesError.
    """
    raise_if_broker_refuses(settings)
    _configure_logs()
    instance = _open_instance(settings)
    app = make_app(settings)

    @app.task(name=EXECUTE_RUN)
    def execute_run(run_id: str) -> None:
        execute(instance, run_id, settings.database_patience)

    limits = admission_limits(settings, _stages())
    with (
        as_worker_process(settings, places, limits) as worker,
        _draining_on_shutdown(worker, settings.stop_grace),
    ):
        _log.info("%s takes up to %d runs from %s", worker.name, places, broker_name(settings))
        if while_needed:
            threading.Thread(target=_stop_when_idle, args=(settings,), daemon=True).start()
        return _consume_runs(app, places)


def _configure_logs() -> None:
    warnings.simplefilter("ignore")
    configure_logging()
    # Every event of a run stands in Dagster's event log; here it would stand a second time.
    logging.getLogger("dagster").setLevel(logging.CRITICAL)


def _open_instance(settings: Settings) -> DagsterInstance:
    instance = DagsterInstance.from_config(str(dagster_home(settings)))
    install_storage_retries(instance, settings.database_patience)
    install_event_buffer(instance)
    return instance


def _stages() -> StagesByPipeline:
    """The stages of each pipeline; what runs need is imported with them, so that the first one does not wait."""
    from pipeline_defs.definitions import PIPELINES, defs

    defs()
    return {pipeline.name: pipeline.stages for pipeline in PIPELINES}


def _consume_runs(app: Celery, places: int) -> int:
    celery_worker = app.Worker(
        pool="threads",
        concurrency=places,
        loglevel=logging.WARNING,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    celery_worker.start()
    return int(celery_worker.exitcode or 0)


@contextmanager
def _draining_on_shutdown(worker: Worker, grace: float) -> Iterator[None]:
    """A worker that is told to stop hands over what it works on, and is gone after the grace at the latest."""

    def drain(**known: Any) -> None:
        worker.drain()
        last = threading.Timer(grace, _exit_after_grace, args=(grace,))
        last.daemon = True
        last.start()

    signals.worker_shutting_down.connect(drain)
    try:
        yield
    finally:
        signals.worker_shutting_down.disconnect(drain)


def _exit_after_grace(grace: float) -> None:
    _log.error("stages did not stop within %g s; their requests are taken back", grace)
    logging.shutdown()
    os._exit(_COULD_NOT_STOP)


def _stop_when_idle(settings: Settings) -> None:
    if wait_until_idle(settings, threading.Event()):
        os.kill(os.getpid(), signal.SIGTERM)
