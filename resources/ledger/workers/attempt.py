"""An attempt as a run's ops use it: it may continue or must stop, and it waits."""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.protocol import StageSettings
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import CancelRequestedError, LeaseLostError, WorkerStoppingError
from resources.ledger.queries.status import RequestState, read_request_state
from resources.ledger.request import Request
from resources.ledger.transitions.claims import confirm_cancel
from resources.ledger.transitions.core import Lease, ensure_lease_holds
from resources.ledger.workers.request_watcher import WakeReason
from resources.ledger.workers.worker import Worker
from resources.process.file_locks import read_boot_seconds
from resources.process.settings import Settings

_log = logging.getLogger("castad.worker")


class Attempt:
    """One attempt of a request, or the replay of a completed one.

    `lease` is None in a replay: results are only read, and nothing is written or submitted. `is_closed` is set
    once the attempt has ended in the ledger, so that its run has nothing left to close. `end_reason` is the
    sentence why the attempt ended before its last stage, None otherwise; after that no stage of the run is
    begun.

    `ensure_may_continue` reads the request's row, before money is spent or files are stored.
    `interruptible_sleep` relies on the worker's RequestWatcher, which is at most about a second behind. That
    is enough for polling a vendor, because every later write checks the fence.
    """

    def __init__(
        self,
        db: Database,
        request: Request,
        lease: Lease | None,
        worker: Worker,
        settings: Settings,
        stages: Sequence[StageSettings],
        end_run: Callable[[], object] = lambda: None,
    ) -> None:
        """Register the lease for renewal, if there is one.

        Args:
            stages: the settings of the pipeline's stages, in order.
            end_run: ends the Dagster run after a forced cancel.
        """
        self.db = db
        self._end_run = end_run
        self._force_cancel_thread: threading.Thread | None = None
        self.request = request
        self.lease = lease
        self.settings = settings
        self.stages = stages
        self.is_closed = False
        self.end_reason: str | None = None
        self._worker = worker
        self._callbacks = request.callbacks
        self._since = time.monotonic()
        self._held_until = float("-inf")
        if lease is not None:
            worker.register(lease, partial(self._start_force_cancel, lease))

    def unregister(self) -> None:
        """Stop renewing the lease, which then expires unless the request was closed. Does nothing in a replay."""
        if self.lease is not None:
            self._worker.unregister(self.lease)

    @property
    def stage_names(self) -> tuple[str, ...]:
        """The names of the pipeline's stages, in order."""
        return tuple(stage.name for stage in self.stages)

    def stage(self, name: str) -> StageSettings:
        """Return the settings of the stage with this name; raise StopIteration if there is none."""
        return next(stage for stage in self.stages if stage.name == name)

    @property
    def task_id(self) -> str:
        """The request's task_id."""
        return self.request.task_id

    @property
    def order(self) -> Mapping[str, Any]:
        """The request's payload; empty if it is no JSON object."""
        return self.request.order() or {}

    @property
    def is_draining(self) -> bool:
        """Whether the worker is stopping, so that the attempt has to release its request."""
        return self._worker.is_stopping

    def ensure_may_continue(self) -> None:
        """Return if this attempt may continue; wait for an unavailable database.

        Renews a lease that was not renewed recently. Does nothing in a replay. Raises WorkerStoppingError,
        LeaseLostError or CancelRequestedError.
        """
        if self.lease is not None:
            self._ensure_state(self.lease)

    def _ensure_state(self, lease: Lease) -> RequestState:
        """Return the request's state if the attempt may continue; raise as `ensure_may_continue` does."""
        self.ensure_worker_running()
        is_lease_fresh = self._worker.ensure_lease_fresh()
        self.ensure_worker_running()
        if not is_lease_fresh:
            raise self._make_not_renewed_error()
        held_until = self._worker.lease_fresh_until
        try:
            now = read_request_state(self.db, self.request.id)
        except SQLAlchemyError:
            raise self._make_not_renewed_error() from None
        if now is None:
            raise LeaseLostError(f"request {self.task_id} was deleted while it was processing")
        ensure_lease_holds(now.status, now.attempt, now.fence, lease)
        if now.cancel_requested:
            raise CancelRequestedError(f"request {self.task_id} was canceled")
        self._held_until = held_until
        return now

    def is_still_held(self) -> bool:
        """Return whether the lease certainly has not expired, even if the process was suspended.

        False before the first `ensure_may_continue`.
        """
        return read_boot_seconds() < self._held_until

    def ensure_worker_running(self) -> None:
        """Raise WorkerStoppingError if the worker is stopping. Reads only memory; does nothing in a replay."""
        if self.lease is not None and self.is_draining:
            raise WorkerStoppingError("the worker stopped; the request waits")

    def has_missed_callback(self, request: Request) -> bool:
        """Return whether the vendor has called back since this attempt last woke for a callback."""
        return request.callbacks > self._callbacks

    def interruptible_sleep(
        self, seconds: float, *, at_least: float = 0.0, yields: bool = False
    ) -> float:
        """Sleep for `seconds`, but wake for a callback once `at_least` seconds are over.

        A callback that came since the last sleep ends this one too, because a poll may have just missed it.
        Returns 0. With `yields` the sleep also ends if another request needs the slot; it then returns the
        seconds that are left. Raises as `ensure_may_continue` does, at any time. Returns 0 at once in a
        replay.
        """
        if self.lease is None:
            return 0.0
        until, reason = time.monotonic() + seconds, WakeReason.TIMEOUT
        if at_least > 0:
            reason = self._wait_for_wake(
                self.lease, until=until - seconds + at_least, yields=yields
            )
        if reason is not WakeReason.SLOT_WANTED:
            for_what = {"callbacks": self._callbacks, "yields": yields}
            reason = self._wait_for_wake(self.lease, until=until, **for_what)
        if reason is WakeReason.CALLBACK:
            self._callbacks = self._ensure_state(self.lease).callbacks
        return max(until - time.monotonic(), 0.0) if reason is WakeReason.SLOT_WANTED else 0.0

    def _start_force_cancel(self, lease: Lease) -> None:
        """Start a thread that force-cancels the attempt, unless one runs.

        The watcher must not do it itself, because a locked row would keep it from other attempts.
        """
        if self._force_cancel_thread is None or not self._force_cancel_thread.is_alive():
            force_cancel = partial(self._force_cancel, lease)
            self._force_cancel_thread = threading.Thread(
                target=force_cancel, name="castad-force-cancel", daemon=True
            )
            self._force_cancel_thread.start()

    def _force_cancel(self, lease: Lease) -> None:
        """Cancel the request in the ledger and end the run, even during a call to a vendor.

        A vendor's answer is still saved; the attempt has no other effect. If the lease was lost or the
        database fails, nothing is done: the attempt then ends its run itself.
        """
        try:
            confirm_cancel(self._worker.db, lease)
        except LeaseLostError:
            return
        except SQLAlchemyError as error:
            _log.warning(
                "force cancel failed: task_id=%s error=%s", self.task_id, type(error).__name__
            )
            return
        self._end_run()

    def _wait_for_wake(self, lease: Lease, **for_what: Any) -> WakeReason:
        """Wait until the watcher wakes the attempt, and return the reason; raise as `ensure_may_continue` does.

        Args:
            for_what: the arguments `until`, `callbacks` and `yields` of `RequestWatcher.wait_for_wake`.
        """
        watcher = self._worker.watcher
        while (
            reason := watcher.wait_for_wake(lease, since=self._since, **for_what)
        ) is WakeReason.STATE_CHANGED:
            self._ensure_state(lease)
        return reason

    def _make_not_renewed_error(self) -> LeaseLostError:
        """Make the error of a lease that could not be renewed because the database did not answer."""
        return LeaseLostError(
            f"the lease on request {self.task_id} could not be renewed: the database did not answer "
            f"for {self.settings.database_patience:g} s"
        )
