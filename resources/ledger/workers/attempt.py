"""An attempt at a request: what a run's ops ask before they go on, and by which they wait."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.db.database import Database
from resources.ledger.errors import CancelRequestedError, LeaseLostError, WorkerStoppingError
from resources.ledger.moves.attempts import confirm_cancel
from resources.ledger.moves.core import Lease, ensure_held
from resources.ledger.queries.reads import RequestState, request_state
from resources.ledger.request import Request
from resources.ledger.workers.request_watcher import WakeReason
from resources.ledger.workers.worker import Worker
from resources.process.boot_clock import boot_seconds
from resources.process.settings import Settings

_log = logging.getLogger("castad.worker")


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
