"""A worker process: Celery's thread pool, each thread executing whole Dagster runs on one shared instance."""

import logging
import os
import signal
import threading
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from celery import Celery, signals

from castad.dagster_storage.storage import open_worker_instance
from castad.direct.targets import targets_of
from castad.engine.app import EXECUTE_RUN, make_app
from castad.engine.broker import broker_name
from castad.engine.broker_health import raise_if_broker_refuses
from castad.engine.execute import execute
from castad.engine.on_demand import wait_until_idle
from pipeline_defs.catalog import Catalog, catalog
from resources.dagster.worker_process import worker_process
from resources.ledger.workers.worker import Worker
from resources.process.configure_logging import LOG_FIELDS, configure_logging
from resources.process.settings import Settings
from resources.spool.delivery import Delivery
from resources.spool.spool import spool_in
from sensors.limits import admission_limits

_log = logging.getLogger("castad.worker")
_COULD_NOT_STOP = 70  # EX_SOFTWARE of sysexits.h


def run_worker(
    settings: Settings, slots: int, queues: Collection[str] = (), *, while_needed: bool
) -> int:
    """Consume runs of these queues, or of all, until the process is asked to stop; returns the exit code.

    With `while_needed` it stops once no process that could launch a run is left. It waits for a broker that is
    down. Raises BrokerRefusesError, and InvalidInputError for a queue that does not exist.
    """
    catalog().resolve(settings)
    served = [catalog().check_queue(queue) for queue in queues]
    raise_if_broker_refuses(settings)
    _configure_logs()
    instance = open_worker_instance(settings)
    app = make_app(settings, served or catalog().queues)

    @app.task(name=EXECUTE_RUN)  # type: ignore[untyped-decorator] # the library has no types
    def execute_run(run_id: str) -> None:
        execute(instance, run_id, settings.database_patience)

    limits = admission_limits(settings, _pipelines())
    delivery = Delivery(spool_in(settings.home), targets_of(catalog()))
    with (
        worker_process.shared_worker(settings, slots, limits, served or None) as (_, worker),
        _draining_on_shutdown(worker, settings.stop_grace),
    ):
        fields = {"worker": worker.name, "slots": slots, "broker": broker_name(settings)}
        _log.info("worker started", extra={LOG_FIELDS: fields})
        delivery.start()
        if while_needed:
            threading.Thread(target=_stop_when_idle, args=(settings,), daemon=True).start()
        try:
            return _run_celery_worker(app, slots)
        finally:
            delivery.stop()


def _configure_logs() -> None:
    warnings.simplefilter("ignore")
    configure_logging()
    # Every event of a run is in Dagster's event log; this log would repeat it.
    logging.getLogger("dagster").setLevel(logging.CRITICAL)


def _pipelines() -> Catalog:
    """The pipelines; also imports what runs need, so that the first run does not wait for it."""
    from pipeline_defs.definitions import defs

    defs()
    return catalog()


def _run_celery_worker(app: Celery, slots: int) -> int:
    celery_worker = app.Worker(
        pool="threads",
        concurrency=slots,
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
    """On a stop request the worker drains its attempts, and exits after the grace at the latest."""

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
    _log.error(
        "stop grace exceeded; unfinished requests are rescued", extra={LOG_FIELDS: {"grace": grace}}
    )
    logging.shutdown()
    os._exit(_COULD_NOT_STOP)


def _stop_when_idle(settings: Settings) -> None:
    if wait_until_idle(settings, threading.Event()):
        os.kill(os.getpid(), signal.SIGTERM)
