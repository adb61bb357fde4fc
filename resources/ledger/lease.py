"""Who is alive: a worker renews its leases by one statement a beat, an attempt asks before it goes on."""

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.database import Database
from resources.ledger.errors import CancelRequestedError, LeaseLostError
from resources.ledger.moves.attempts import announce_worker, dismiss_worker, renew_leases
from resources.ledger.moves.core import Lease, ensure_held
from resources.ledger.reads import get_request_by_id
from resources.ledger.request import Request
from resources.settings import Settings

_log = logging.getLogger("castad.worker")


class Worker:
    """This process as the holder of leases. Beats in a thread of its own from start to stop."""

    def __init__(self, db: Database, settings: Settings, places: int = 1) -> None:
        self.name = f"{socket.gethostname()}-{os.getpid()}"
        self.nonce = secrets.token_hex(4)
        self._db = db
        self._settings = settings
        self._places = places
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="castad-beat", daemon=True)
        self._sure_until = 0.0

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

    def start(self) -> None:
        """The worker is listed, has taken back what its earlier life held, and beats."""
        self._renewed(time.monotonic())
        poison = self._settings.poison_deaths
        announce_worker(self._db, self.name, self.nonce, places=self._places, poison_deaths=poison)
        self._thread.start()

    def stop(self) -> None:
        """The worker beats no more and is no longer listed."""
        self._stopped.set()
        self._thread.join()
        try:
            dismiss_worker(self._db, self.name, self.nonce)
        except SQLAlchemyError:
            _log.warning("worker %s could not sign off; it is forgotten by itself", self.name)

    def is_sure(self) -> bool:
        """Whether the leases were renewed recently enough to be held, by this process' own clock."""
        return time.monotonic() < self._sure_until

    def _beat(self) -> None:
        while not self._stopped.wait(self._settings.beat_seconds):
            asked = time.monotonic()
            try:
                renew_leases(self._db, self.name, self.nonce, self._settings.lease_seconds)
            except SQLAlchemyError as error:
                _log.warning("leases of %s were not renewed: %s", self.name, type(error).__name__)
            else:
                self._renewed(asked)

    def _renewed(self, asked: float) -> None:
        self._sure_until = asked + self._settings.lease_seconds


class Attempt:
    """What a run's ops talk to: one attempt of one request, or the replay of a completed one.

    `lease` is None in a replay: then every stage is read back and nothing can be written or bought.
    `is_given_up` is set by who ended it on purpose; its run then has nothing left to close.
    """

    def __init__(
        self,
        db: Database,
        request: Request,
        lease: Lease | None,
        worker: Worker,
        settings: Settings,
    ) -> None:
        self.db = db
        self.request = request
        self.lease = lease
        self.settings = settings
        self.is_given_up = False
        self._worker = worker

    @property
    def task_id(self) -> str:
        """The request's name."""
        return self.request.task_id

    @property
    def order(self) -> Mapping[str, Any]:
        """The request's payload."""
        return self.request.order() or {}

    def check(self) -> None:
        """Return while this attempt may go on; raises LeaseLostError or CancelRequestedError.

        A database that does not answer is no reason to stop before the lease has run out.
        """
        if self.lease is None:
            return
        try:
            now = get_request_by_id(self.db, self.request.id)
        except SQLAlchemyError:
            now = self.request
        if now is None:
            raise LeaseLostError(f"request {self.task_id} was deleted while it was worked on")
        ensure_held(now, self.lease)
        if now.cancel_requested:
            raise CancelRequestedError(f"request {self.task_id} was canceled")
        if not self._worker.is_sure():
            raise LeaseLostError(
                f"the lease on request {self.task_id} could not be renewed for "
                f"{self.settings.lease_seconds:g} s"
            )

    def pause(self, seconds: float) -> None:
        """Wait, looking every `watch_seconds` whether this attempt may go on."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, self.settings.watch_seconds))
            self.check()
