"""Run as a worker: take a name, register, send heartbeats and renew leases.

A name is `<hostname>-<home id>-<number>`, with the lowest number whose lock file in the state folder is not
locked. The kernel releases the lock when the process ends in any way; a suspended process keeps it.
"""

import fcntl
import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.db.database import Database
from resources.ledger.limits import Limits
from resources.ledger.queries.dispatch import count_starved_requests
from resources.ledger.request import Request
from resources.ledger.schema.tables import workers
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.rescue import (
    recover_worker,
    register_worker,
    renew_leases,
    save_heartbeat,
    unregister_worker,
    withdraw_worker_slots,
)
from resources.ledger.workers.request_watcher import (
    ForceCancel,
    LeaseRegistry,
    PeriodicTask,
    RequestWatcher,
)
from resources.process.file_locks import (
    lock_if_free,
    read_boot_seconds,
    translate_state_folder_errors,
)
from resources.process.settings import Settings

_SUFFIX = ".lock"
_log = logging.getLogger("castad.worker")


class Worker:
    """This process as a worker, whose heartbeat and watcher run in their own threads from `start` to `stop`.

    It offers `slots` for runs of these `queues` (None: all); with 0 slots it takes no dispatched runs.
    `limits` are the further limits that a request needs. The constructor locks a name, and raises
    StateUnavailableError if the state folder cannot be used.
    """

    def __init__(
        self,
        db: Database,
        settings: Settings,
        slots: int = 0,
        limits: Limits | None = None,
        queues: Collection[str] | None = None,
    ) -> None:
        self._name_lock = lock_worker_name(settings.home)
        self.name = self._name_lock.name
        self.nonce = secrets.token_hex(4)
        self.db = db
        self.settings = settings
        self._slots = slots
        self._limits = replace(
            limits or Limits(), on_demand=0, lease_seconds=settings.lease_seconds
        )
        self._queues = None if queues is None else frozenset(queues)
        self._stopping = threading.Event()
        self._registry = LeaseRegistry()
        self._renewed = float("-inf")
        self._heartbeat = PeriodicTask(
            "castad-heartbeat",
            self._renew_leases,
            every=settings.beat_seconds,
            failure_delay=min(settings.beat_seconds, settings.watch_seconds),
        )
        self.watcher = RequestWatcher(
            db,
            self.owner,
            self._registry,
            settings.watch_seconds,
            settings.database_patience,
            self._count_starved_requests,
        )

    @property
    def owner(self) -> str:
        """The value of `lease_owner` of its requests: the worker's name and the process's nonce."""
        return f"{self.name}:{self.nonce}"

    @property
    def is_stopping(self) -> bool:
        """Whether the worker is stopping: its attempts release their requests."""
        return self._stopping.is_set()

    def start(self) -> None:
        """Register the worker, requeue the requests of dead processes of its state folder, and start the threads.

        If that fails, the name is released and the error raised.
        """
        began, self._renewed = time.monotonic(), read_boot_seconds()
        poison = self.settings.poison_deaths
        try:
            register_worker(
                *(self.db, self.name, self.nonce),
                slots=self._slots,
                queues=self._queues,
                poison_deaths=poison,
            )
            requeue_requests_of_dead_workers(self.db, self.settings)
        except BaseException:
            self._name_lock.release()
            raise
        self._heartbeat.start(last_success=began)
        self.watcher.start()

    def register(self, lease: Lease, force_cancel: ForceCancel) -> None:
        """Register the lease for renewal; `force_cancel` ends its attempt if the attempt ignores a cancel."""
        self._registry.add(lease, force_cancel)
        self.watcher.reconsider()

    def unregister(self, lease: Lease) -> None:
        """Stop renewing the lease: a request that was not released is rescued once the lease has expired."""
        self._registry.remove(lease)

    def drain(self) -> None:
        """Make every attempt release its request at its next check. Safe to call in a signal handler."""
        self._stopping.set()
        self.watcher.wake_all()
        self._heartbeat.run_now()

    def stop(self) -> None:
        """Stop the threads, unregister the worker and release its name. An unavailable database is only logged."""
        self._heartbeat.stop()
        self.watcher.stop()
        try:
            unregister_worker(self.db, self.name, self.nonce)
        except SQLAlchemyError:
            _log.warning("worker not unregistered, to be pruned later: worker=%s", self.name)
        self._name_lock.release()

    def is_lease_fresh(self) -> bool:
        """Return whether the leases were renewed recently enough to hold, by this machine's clock since boot."""
        return read_boot_seconds() < self.lease_fresh_until

    @property
    def lease_fresh_until(self) -> float:
        """The moment, in seconds since boot, until which a lease that was held at the last renewal is valid."""
        return self._renewed + self.settings.lease_seconds

    def ensure_lease_fresh(self) -> bool:
        """Return whether the leases are fresh, after renewing them if necessary; wait for an unavailable database.

        False if the renewal did not succeed in time, or the worker is stopping. True does not prove that a
        lease is held: a lost lease is not renewed, which only the request's row shows.
        """
        if self.is_lease_fresh():
            return True
        since = time.monotonic()
        self._heartbeat.run_now()
        return self._heartbeat.wait_for_success(
            since, self.settings.database_patience, unless=self._stopping.is_set
        )

    def _count_starved_requests(self) -> int:
        """Count the requests that lack only a slot of this worker; 0 if it offers no slots."""
        if not self._slots:
            return 0
        return count_starved_requests(self.db, self._limits, self._slots, self._queues)

    def _renew_leases(self) -> bool:
        """Send a heartbeat and renew the leases; return False if the leases could not be renewed.

        A stopping worker withdraws its slots first.
        """
        began = read_boot_seconds()
        if self.is_stopping and self._slots:
            withdraw_worker_slots(self.db, self.name, self.nonce)
            self._slots = 0
        save_heartbeat(self.db, self.name, self.nonce, slots=self._slots, queues=self._queues)
        held = self._registry.request_ids
        seconds = self.settings.lease_seconds
        succeeded = renew_leases(self.db, self.owner, held, lease_seconds=seconds)
        if succeeded:
            self._renewed = began
        return succeeded


def requeue_requests_of_dead_workers(db: Database, settings: Settings) -> list[Request]:
    """Make the requests of dead processes of this state folder due again, and return them.

    A suspended process is not dead: it still locks its name.
    """
    with db.reading() as tx:
        listed = set(tx.execute(select(workers.c.name)).scalars())
    taken: list[Request] = []
    for name in list_unlocked_names(settings.home):
        if name in listed:
            taken += recover_worker(db, name, poison_deaths=settings.poison_deaths)
    return taken


class NameLock:
    """A worker's name that no other process can take until it is released."""

    def __init__(self, name: str, descriptor: int) -> None:
        self.name = name
        self._descriptor = descriptor

    def release(self) -> None:
        """Make the name available to other processes."""
        os.close(self._descriptor)


def lock_worker_name(home: Path) -> NameLock:
    """Lock the first free worker name of this state folder. Raises StateUnavailableError."""
    with translate_state_folder_errors(home):
        prefix = _build_name_prefix(get_workers_folder(home))
        for number in count():
            descriptor = lock_if_free(get_workers_folder(home) / f"{number}{_SUFFIX}")
            if descriptor is not None:
                # For operators: the process that has the name.
                os.truncate(descriptor, 0)
                os.write(descriptor, str(os.getpid()).encode())
                return NameLock(f"{prefix}{number}", descriptor)
    raise AssertionError("numbers never end")


def list_unlocked_names(home: Path) -> Iterator[str]:
    """Yield the worker names of this state folder that no process holds, each locked while the caller handles it.

    Raises StateUnavailableError.
    """
    with translate_state_folder_errors(home):
        prefix = _build_name_prefix(get_workers_folder(home))
        locks = sorted(get_workers_folder(home).glob(f"[0-9]*{_SUFFIX}"))
    for path in locks:
        with translate_state_folder_errors(home):
            descriptor = lock_if_free(path)
        if descriptor is None:
            continue
        try:
            yield f"{prefix}{path.stem}"
        finally:
            os.close(descriptor)


def get_workers_folder(home: Path) -> Path:
    """Return the folder of the workers' lock files in the state folder `home`; create it if necessary."""
    folder = home / "workers"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _build_name_prefix(folder: Path) -> str:
    """Build the start of the names of this home's workers: host name and home id, each followed by `-`.

    The id is read from the file `id` in the workers' folder, and written there first if there is none.
    """
    return f"{socket.gethostname()}-{_read_home_id(folder / 'id')}-"


def _read_home_id(path: Path) -> str:
    """Return the random id of the state folder, stored in this file; make one if there is none.

    A copied folder gets a new id, because its file has another inode.
    """
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        this_file = str(os.fstat(file.fileno()).st_ino)
        home_id, _, made_as = file.read().partition(" ")
        if home_id and made_as == this_file:
            return home_id
        home_id = secrets.token_hex(4)
        file.seek(0)
        file.truncate()
        file.write(f"{home_id} {this_file}")
        return home_id
