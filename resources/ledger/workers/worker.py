"""A worker: the holder of leases, which one statement a heartbeat renews."""

import logging
import secrets
import threading
import time

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.db.database import Database
from resources.ledger.moves.core import Lease
from resources.ledger.moves.workers import (
    record_heartbeat,
    recover_worker,
    register_worker,
    renew_leases,
    unregister_worker,
    withdraw_places,
)
from resources.ledger.queries.due import AdmissionLimits, Capacity
from resources.ledger.queries.queue_snapshot import count_starved
from resources.ledger.request import Request
from resources.ledger.schema.tables import workers
from resources.ledger.workers.lease_registry import ForceCancel, LeaseRegistry
from resources.ledger.workers.periodic_task import PeriodicTask
from resources.ledger.workers.request_watcher import RequestWatcher
from resources.ledger.workers.worker_names import acquire_name, unlocked_names
from resources.process.boot_clock import boot_seconds
from resources.process.settings import Settings

_log = logging.getLogger("castad.worker")


class Worker:
    """This process as the holder of leases: beats and watches in threads of their own from start to stop.

    It offers `places` for runs, 0 where it takes none from anybody; `limits` are what others need beside one of
    them. Raises StateUnavailableError.
    """

    def __init__(
        self,
        db: Database,
        settings: Settings,
        places: int = 0,
        limits: AdmissionLimits | None = None,
    ) -> None:
        self._name_lock = acquire_name(settings.home)
        self.name = self._name_lock.name
        self.nonce = secrets.token_hex(4)
        self.db = db
        self._settings = settings
        self._places = places
        self._limits = limits or AdmissionLimits()
        self._stopping = threading.Event()
        self._registry = LeaseRegistry()
        self._renewed = float("-inf")
        self._heartbeat = PeriodicTask(
            "castad-beat",
            self._renew,
            every=settings.beat_seconds,
            failure_delay=min(settings.beat_seconds, settings.watch_seconds),
        )
        self.watcher = RequestWatcher(
            db,
            self.owner,
            self._registry,
            settings.watch_seconds,
            settings.database_patience,
            self._count_starved,
        )

    @property
    def owner(self) -> str:
        """The name under which leases are held."""
        return f"{self.name}:{self.nonce}"

    @property
    def lease_seconds(self) -> float:
        """How long a lease holds without a beat."""
        return self._settings.lease_seconds

    @property
    def poison_deaths(self) -> int:
        """How many workers a request may lose in one stage."""
        return self._settings.poison_deaths

    @property
    def is_stopping(self) -> bool:
        """Whether its attempts are to give their requests back."""
        return self._stopping.is_set()

    def start(self) -> None:
        """The worker is listed, has taken back what dead processes of its state folder held, and beats."""
        began, self._renewed = time.monotonic(), boot_seconds()
        poison = self._settings.poison_deaths
        try:
            register_worker(
                self.db, self.name, self.nonce, places=self._places, poison_deaths=poison
            )
            recover_local_workers(self.db, self._settings)
        except BaseException:
            self._name_lock.release()
            raise
        self._heartbeat.start(last_success=began)
        self.watcher.start()

    def register(self, lease: Lease, force_cancel: ForceCancel) -> None:
        """From now on the lease is renewed, and who works on it is cut off where it does not heed a cancel."""
        self._registry.add(lease, force_cancel)
        self.watcher.reconsider()

    def unregister(self, lease: Lease) -> None:
        """The lease is renewed no more: whatever was not given back is taken back when it has run out."""
        self._registry.remove(lease)

    def drain(self) -> None:
        """Every attempt gives its request back as soon as it next looks; may be called by a signal handler."""
        self._stopping.set()
        self.watcher.wake_all()
        self._heartbeat.run_now()

    def stop(self) -> None:
        """The worker beats no more and is no longer listed; another process may bear its name."""
        self._heartbeat.stop()
        self.watcher.stop()
        try:
            unregister_worker(self.db, self.name, self.nonce)
        except SQLAlchemyError:
            _log.warning("worker %s could not sign off; it is forgotten by itself", self.name)
        self._name_lock.release()

    def lease_is_fresh(self) -> bool:
        """Whether the leases were renewed recently enough to be held, by this process' own clock."""
        return boot_seconds() < self.lease_fresh_until

    @property
    def lease_fresh_until(self) -> float:
        """The moment of `elapsed` until which nobody takes a lease that was not taken yet."""
        return self._renewed + self._settings.lease_seconds

    def ensure_lease_fresh(self) -> bool:
        """Whether the leases are renewed, now if need be; waits for a database that does not answer.

        What was taken from this worker meanwhile is not renewed: that its row tells.
        """
        if self.lease_is_fresh():
            return True
        since = time.monotonic()
        self._heartbeat.run_now()
        return self._heartbeat.wait_for_success(
            since, self._settings.database_patience, unless=self._stopping.is_set
        )

    def _count_starved(self) -> int:
        """How many could go on with a place of this worker, if one were free."""
        if not self._places:
            return 0
        places = Capacity(on_demand=0, lease_seconds=self.lease_seconds, limits=self._limits)
        return count_starved(self.db, places, self._places)

    def _renew(self) -> bool:
        began = boot_seconds()
        if self.is_stopping and self._places:
            withdraw_places(self.db, self.name, self.nonce)
            self._places = 0
        record_heartbeat(self.db, self.name, self.nonce, places=self._places)
        held = self._registry.request_ids
        seconds = self._settings.lease_seconds
        succeeded = renew_leases(self.db, self.owner, held, lease_seconds=seconds)
        if succeeded:
            self._renewed = began
        return succeeded


def recover_local_workers(db: Database, settings: Settings) -> list[Request]:
    """What processes of this state folder held that are gone, and not merely stopped, is due again."""
    with db.reading() as tx:
        listed = set(tx.execute(select(workers.c.name)).scalars())
    taken: list[Request] = []
    for name in unlocked_names(settings.home):
        if name in listed:
            taken += recover_worker(db, name, poison_deaths=settings.poison_deaths)
    return taken
