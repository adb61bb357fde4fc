"""Follow a request: show its progress, and start a local daemon where none runs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.live import Live

from castad.readmodels.snapshot import Snapshot, read_snapshot
from castad.readmodels.views import build_live_view, build_progress_lines, suggest_remedy
from castad.stack.local_daemon import LocalDaemon
from castad.stack.processes import StopFlag, catch_stop_signals
from pipeline_defs.capabilities import MainFile
from resources.contract.errors import CastadError
from resources.files.artifacts import MissingArtifactError
from resources.ledger.db.database import Database
from resources.ledger.schema.tables import Status
from resources.process.settings import Settings

_POLL_INTERVAL = 0.2
Show = Callable[[Snapshot, str | None], None]


class IncompleteError(CastadError):
    """The request ended without its product; `code` is the request's own."""


def follow(db: Database, settings: Settings, task_id: str) -> Snapshot:
    """Show a request until it is over; return its snapshot. A daemon that was started here is stopped.

    Raises StopRequested if a signal stops this process; the order stays in the ledger.
    """
    artifacts = settings.home / "artifacts"
    snapshot = read_snapshot(db, task_id, artifacts)
    if snapshot.is_over:
        return snapshot
    with catch_stop_signals() as stop:
        daemon = LocalDaemon(settings)
        try:
            snapshot = _show_until_over(db, task_id, artifacts, daemon, stop)
            daemon.wait_for_run_end(snapshot.request.run_id, stop)
            return snapshot
        finally:
            daemon.stop()


def _show_until_over(
    db: Database, task_id: str, artifacts: Path, daemon: LocalDaemon, stop: StopFlag
) -> Snapshot:
    with display() as show:
        while True:
            snapshot = read_snapshot(db, task_id, artifacts)
            show(snapshot, _find_hint(snapshot, daemon))
            if snapshot.is_over:
                return snapshot
            daemon.ensure_running()
            stop.pause(_POLL_INTERVAL)


def _find_hint(snapshot: Snapshot, daemon: LocalDaemon) -> str | None:
    if snapshot.request.status is not Status.PENDING or snapshot.is_over:
        return None
    return "starting a local daemon" if daemon.is_started_here else None


def raise_if_incomplete(snapshot: Snapshot) -> None:
    """Raise IncompleteError with the request's code and reason unless it is completed and its main file exists."""
    request = snapshot.request
    if request.status is Status.COMPLETED:
        _raise_if_file_missing(snapshot)
        return
    name, reason = request.task_id, request.error_message or "no reason was given"
    if request.status is Status.CANCELED:
        raise IncompleteError(
            f"{name} was canceled; `castad retry {name}` makes it pending again", code="canceled"
        )
    code = request.error_code or str(request.status)
    raise IncompleteError(
        f"{name} is {request.status}: {reason}; {suggest_remedy(request)}", code=code
    )


def _raise_if_file_missing(snapshot: Snapshot) -> None:
    pipeline, name = snapshot.pipeline, snapshot.request.task_id
    main = None if pipeline is None else pipeline.find_extra(MainFile)
    if pipeline is None or main is None:
        return
    if not snapshot.main_files:
        raise IncompleteError(
            f"{name} is completed, but no stage of {pipeline.name} has made its main file: "
            f"expected a file of the type {main.media_type}",
            code=MissingArtifactError.code,
        )
    stage, path = snapshot.main_files[-1]
    if not path.is_file():
        raise IncompleteError(
            f"{name} is completed, but {path.name} is no longer in the artifact folder; "
            f"`castad redo {name} --from {stage}` makes it again",
            code=MissingArtifactError.code,
        )


def describe_resume(task_id: str) -> str:
    """Return the hint that is printed after Ctrl-C."""
    return f"stopped; the order is kept, `castad watch {task_id}` continues it"


@contextmanager
def display() -> Iterator[Show]:
    """Show snapshots on standard error during the block, with a hint why nothing happens yet."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal or console.is_dumb_terminal:
        yield _PlainLines().show
        return
    with Live(console=console, refresh_per_second=12, redirect_stdout=False) as live:
        yield lambda snapshot, hint: live.update(build_live_view(snapshot, hint))


class _PlainLines:
    """For logs and pipes: no colour, nothing rewritten."""

    def __init__(self) -> None:
        self._last: Snapshot | None = None
        self._hint: str | None = None

    def show(self, snapshot: Snapshot, hint: str | None) -> None:
        """Print the changes since the last snapshot."""
        lines = build_progress_lines(self._last, snapshot)
        if hint and hint != self._hint:
            lines.append(hint)
        for line in lines:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
        self._last, self._hint = snapshot, hint
