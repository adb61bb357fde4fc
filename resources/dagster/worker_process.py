"""This process as one worker, shared by all runs in it."""

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.due import AdmissionLimits
from resources.ledger.workers.worker import Worker
from resources.process.settings import Settings


class WorkerProcess:
    """One worker for all runs of this process; it sends heartbeats while a run uses it."""

    def __init__(self) -> None:
        self.last_run_id: str | None = None
        self._lock = threading.Lock()
        self._users = 0
        self._worker: Worker | None = None

    @contextmanager
    def shared_worker(
        self,
        config: Settings,
        slots: int = 0,
        limits: AdmissionLimits | None = None,
        queues: Collection[str] | None = None,
    ) -> Iterator[tuple[Database, Worker]]:
        """The ledger with a retry budget, and the worker: started for its first user, stopped after its last.

        It offers `slots` slots for dispatched runs of these queues.
        """
        db = open_database(config.ledger_url).with_retry_budget(config.database_patience)
        with self._lock:
            worker = self._worker = self._worker or _start(config, slots, limits, queues)
            self._users += 1
        try:
            yield db, worker
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    self._worker = None
                    worker.stop()
                    worker.db.close()


def _start(
    config: Settings,
    slots: int,
    limits: AdmissionLimits | None,
    queues: Collection[str] | None,
) -> Worker:
    # It has connections of its own, so that no heartbeat waits for those of hundreds of runs.
    worker = Worker(Database(config.ledger_url), config, slots, limits, queues)
    worker.start()
    return worker


worker_process = WorkerProcess()
