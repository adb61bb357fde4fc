"""Wait for a request while showing how it stands, and bring up what works on it."""

from pathlib import Path

from castad.cli.progress import display
from castad.readmodels.snapshot import Snapshot, look
from castad.readmodels.views import remedy
from castad.stack.local_daemon import Engine
from castad.stack.processes import StopFlag, stoppable
from resources.contract.errors import CastadError
from resources.ledger.db.database import Database
from resources.ledger.schema.tables import Status
from resources.process.settings import Settings

_LOOK_EVERY = 0.2


class NotMadeError(CastadError):
    """The request ended without its product; `code` is the request's own."""


def follow(db: Database, settings: Settings, task_id: str) -> Snapshot:
    """The request as it stood when nothing more happened to it by itself; nothing is left running.

    Raises Stopped where this process was asked to stop: the order stays.
    """
    artifacts = settings.home / "artifacts"
    snapshot = look(db, task_id, artifacts)
    if snapshot.is_over:
        return snapshot
    with stoppable() as stop:
        engine = Engine(settings)
        try:
            snapshot = _watch(db, task_id, artifacts, engine, stop)
            engine.settle(snapshot.request.run_id, stop)
            return snapshot
        finally:
            engine.stop()


def _watch(db: Database, task_id: str, artifacts: Path, engine: Engine, stop: StopFlag) -> Snapshot:
    with display() as screen:
        while True:
            snapshot = look(db, task_id, artifacts)
            screen.show(snapshot, _hint(snapshot, engine))
            if snapshot.is_over:
                return snapshot
            engine.ensure()
            stop.pause(_LOOK_EVERY)


def _hint(snapshot: Snapshot, engine: Engine) -> str | None:
    if snapshot.request.status is not Status.PENDING:
        return None
    return "starting the engine" if engine.is_own else None


def refuse_unmade(snapshot: Snapshot) -> None:
    """Return where the request is completed; raise NotMadeError with its code and reason elsewhere."""
    request = snapshot.request
    if request.status is Status.COMPLETED:
        _refuse_missing(snapshot)
        return
    name, reason = request.task_id, request.error_message or "no reason was given"
    if request.status is Status.CANCELED:
        raise NotMadeError(
            f"{name} was canceled; `castad retry {name}` brings it back", code="canceled"
        )
    code = request.error_code or str(request.status)
    raise NotMadeError(f"{name} is {request.status}: {reason}; {remedy(request)}", code=code)


def _refuse_missing(snapshot: Snapshot) -> None:
    name = snapshot.request.task_id
    if snapshot.path is None or not snapshot.path.is_file():
        raise NotMadeError(
            f"{name} is completed, but its video is no longer in the artifact folder; "
            f"`castad redo {name} --from video` makes it anew",
            code="artifact_missing",
        )


def farewell(task_id: str) -> str:
    """What to know after Ctrl-C."""
    return f"stopped; the order stays, `castad watch {task_id}` goes on with it"
