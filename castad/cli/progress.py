"""The progress display: rewritten lines on a terminal, one plain line per change elsewhere."""

import sys
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.live import Live

from castad.readmodels.snapshot import Snapshot
from castad.readmodels.views import live_view, progress_lines


class Display(Protocol):
    """A way to show progress."""

    def __enter__(self) -> Self:
        """Start the display."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the display; the last state stays visible."""
        ...

    def show(self, snapshot: Snapshot, hint: str | None) -> None:
        """The snapshot is shown; `hint` explains why nothing happens yet."""
        ...


def display() -> Display:
    """The display that fits standard error."""
    console = Console(stderr=True, highlight=False)
    rewritable = console.is_terminal and not console.is_dumb_terminal
    return LiveDisplay(console) if rewritable else PlainDisplay()


class LiveDisplay:
    """A line per stage on a terminal."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, refresh_per_second=12, redirect_stdout=False)

    def __enter__(self) -> Self:
        """The display uses the lines below the cursor."""
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """The last lines stay visible."""
        self._live.stop()

    def show(self, snapshot: Snapshot, hint: str | None) -> None:
        """The lines are rewritten."""
        self._live.update(live_view(snapshot, hint))


class PlainDisplay:
    """For logs and pipes: no colour, nothing rewritten."""

    def __init__(self) -> None:
        self._last: Snapshot | None = None
        self._hint: str | None = None

    def __enter__(self) -> Self:
        """Nothing happens."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing happens."""

    def show(self, snapshot: Snapshot, hint: str | None) -> None:
        """The changes since the last snapshot are printed."""
        lines = progress_lines(self._last, snapshot)
        if hint and hint != self._hint:
            lines.append(hint)
        for line in lines:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
        self._last, self._hint = snapshot, hint
