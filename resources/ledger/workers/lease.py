"""Who is alive: a worker renews its leases by one statement a beat, an attempt asks before it goes on."""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.db.database import Database
from resources.ledger.errors import CancelRequestedError, LeaseLostError, WorkerStoppingError
from resources.ledger.moves.attempts import confirm_cancel
from resources.ledger.moves.core import Lease, ensure_held
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
from resources.ledger.queries.reads import RequestState, request_state
from resources.ledger.request import Request
from resources.ledger.schema.tables import workers
from resources.ledger.workers.lease_registry import ForceCancel, LeaseRegistry
from resources.ledger.workers.periodic_task import PeriodicTask
from resources.ledger.workers.request_watcher import RequestWatcher, WakeReason
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


class Attempt:
    """What a run's ops talk to: one attempt of one request, or the replay of a completed one.

    `lease` is None in a replay: then every stage is read back and nothing can be written or bought.
    `is_closed` is set by who ended it, done or given up; its run then has nothing left to close.

    It asks in two ways. `check` asks the row itself, for a moment at which money or files are at stake.
    `pause` relies on the worker's one look for all its attempts, at most a second or so old: enough to
    ask a vendor how a job stands, for whatever follows from the answer is written under the fence.
    """

    def __init__(
        self,
        db: Database,
        request: Request,
        lease: Lease | None,
        worker: Worker,
        settings: Settings,
        end_run: Callable[[], object] = lambda: None,
    ) -> None:
        self.db = db
        self._end_run = end_run
        self._force_cancel_thread: threading.Thread | None = None
        self.request = request
        self.lease = lease
        self.settings = settings
        self.is_closed = False
        self._worker = worker
        self._callbacks = request.callbacks
        self._since = time.monotonic()
        self._held_until = float("-inf")
        if lease is not None:
            worker.register(lease, partial(self._start_force_cancel, lease))

    def unregister(self) -> None:
        """Nobody works on it any more; where it could not be given back its lease runs out."""
        if self.lease is not None:
            self._worker.unregister(self.lease)

    @property
    def task_id(self) -> str:
        """The request's name."""
        return self.request.task_id

    @property
    def order(self) -> Mapping[str, Any]:
        """The request's payload."""
        return self.request.order() or {}

    @property
    def is_draining(self) -> bool:
        """Whether its worker is told to stop."""
        return self._worker.is_stopping

    def ensure_may_continue(self) -> None:
        """Return while this attempt may go on; waits for a database that does not answer.

        A lease that could not be renewed in time is renewed first: nobody may have taken it. Raises
        WorkerStoppingError, LeaseLostError or CancelRequestedError.
        """
        if self.lease is not None:
            self._ensure_state(self.lease)

    def _ensure_state(self, lease: Lease) -> RequestState:
        """How the request stands, which this attempt may go on with; raises as `check` does."""
        self.ensure_worker_running()
        lease_is_fresh = self._worker.ensure_lease_fresh()
        self.ensure_worker_running()
        if not lease_is_fresh:
            raise self._not_renewed_error()
        held_until = self._worker.lease_fresh_until
        try:
            now = request_state(self.db, self.request.id)
        except SQLAlchemyError:
            raise self._not_renewed_error() from None
        if now is None:
            raise LeaseLostError(f"request {self.task_id} was deleted while it was worked on")
        ensure_held(now.status, now.attempt, now.fence, lease)
        if now.cancel_requested:
            raise CancelRequestedError(f"request {self.task_id} was canceled")
        self._held_until = held_until
        return now

    def is_still_held(self) -> bool:
        """Whether nobody can have taken the lease since the last check, however long the process stood still."""
        return boot_seconds() < self._held_until

    def ensure_worker_running(self) -> None:
        """Return unless the worker is told to stop; asks nobody. Raises WorkerStoppingError."""
        if self.lease is not None and self.is_draining:
            raise WorkerStoppingError("the worker stopped; the request waits")

    def interruptible_sleep(
        self, seconds: float, *, at_least: float = 0.0, yields: bool = False
    ) -> float:
        """Wait, after `at_least` seconds only until a vendor calls back; raises as `check` does, at any time.

        A callback that came since the pause before ends it too: who listens may have just been asking. Returns 0,
        or how many seconds were left when others could use the place; never so unless it `yields`.
        """
        if self.lease is None:
            return 0.0
        until, reason = time.monotonic() + seconds, WakeReason.TIMEOUT
        if at_least > 0:
            reason = self._wait_for_wake(
                self.lease, until=until - seconds + at_least, yields=yields
            )
        if reason is not WakeReason.PLACE_WANTED:
            for_what = {"callbacks": self._callbacks, "yields": yields}
            reason = self._wait_for_wake(self.lease, until=until, **for_what)
        if reason is WakeReason.CALLBACK:
            self._callbacks = self._ensure_state(self.lease).callbacks
        return max(until - time.monotonic(), 0.0) if reason is WakeReason.PLACE_WANTED else 0.0

    def _start_force_cancel(self, lease: Lease) -> None:
        """In a thread of its own: a row that somebody holds locked must not keep the watch from the others."""
        if self._force_cancel_thread is None or not self._force_cancel_thread.is_alive():
            force_cancel = partial(self._force_cancel, lease)
            self._force_cancel_thread = threading.Thread(
                target=force_cancel, name="castad-cut-off", daemon=True
            )
            self._force_cancel_thread.start()

    def _force_cancel(self, lease: Lease) -> None:
        """The request is canceled and the run ended, whatever the attempt still waits for.

        What a vendor answers it is put on record all the same; nothing else that it does has any effect.
        One that has ended its request meanwhile ends its run too.
        """
        try:
            confirm_cancel(self._worker.db, lease)
        except LeaseLostError:
            return
        except SQLAlchemyError as error:
            _log.warning("request %s is not cut off yet: %s", self.task_id, type(error).__name__)
            return
        self._end_run()

    def _wait_for_wake(self, lease: Lease, **for_what: Any) -> WakeReason:
        """What ended the wait; raises as `check` does."""
        watcher = self._worker.watcher
        while (
            reason := watcher.wait_for_wake(lease, since=self._since, **for_what)
        ) is WakeReason.STATE_CHANGED:
            self._ensure_state(lease)
        return reason

    def _not_renewed_error(self) -> LeaseLostError:
        return LeaseLostError(
            f"the lease on request {self.task_id} could not be renewed: the database did not answer "
            f"for {self.settings.database_patience:g} s"
        )
