"""The progress display: rewritten lines on a terminal, one plain line per change elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live

from castad.readmodels.snapshot import Snapshot
from castad.readmodels.views import live_view, progress_lines

Show = Callable[[Snapshot, str | None], None]


@contextmanager
def display() -> Iterator[Show]:
    """Shows snapshots on standard error, with a hint why nothing happens yet; the last state stays visible."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal or console.is_dumb_terminal:
        yield _PlainLines().show
        return
    with Live(console=console, refresh_per_second=12, redirect_stdout=False) as live:
        yield lambda snapshot, hint: live.update(live_view(snapshot, hint))


class _PlainLines:
    """For logs and pipes: no colour, nothing rewritten."""

    def __init__(self) -> None:
        self._last: Snapshot | None = None
        self._hint: str | None = None

    def show(self, snapshot: Snapshot, hint: str | None) -> None:
        """The changes since the last snapshot are printed."""
        lines = progress_lines(self._last, snapshot)
        if hint and hint != self._hint:
            lines.append(hint)
        for line in lines:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
        self._last, self._hint = snapshot, hint
