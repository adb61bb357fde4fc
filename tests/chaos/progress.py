"""What people see while it runs: a line for everything that is broken, and a live count of states."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

_SAY_EVERY = 15.0
_COLOURS = {"completed": "green", "failed": "yellow", "dead": "red", "canceled": "blue"}


class Progress:
    """Lines above, the count below; where nobody watches, the count comes as a line now and then."""

    def __init__(self, console: Console, orders: int) -> None:
        self.console = console
        self._orders = orders
        self._began = time.monotonic()
        self._said = 0.0
        self._live: Live | None = None

    @contextmanager
    def shown(self) -> Iterator[None]:
        """The count is live while the block runs."""
        if not self.console.is_terminal:
            yield
            return
        with Live(console=self.console, refresh_per_second=4) as self._live:
            yield

    def tell(self, line: str) -> None:
        """One line, with the seconds since the beginning."""
        told = f"[dim]{self._seconds:6.1f} s[/dim]  {line}"
        self.console.print(told, highlight=False, soft_wrap=True)

    def count(self, ordered: int, states: Mapping[str, int] | None) -> None:
        """How many orders stand where; None: the database cannot be asked right now."""
        text = Text(f"{self._seconds:6.1f} s  ordered {ordered}/{self._orders}")
        if states is None:
            text.append("  the database does not answer", style="red")
        for status, number in (states or {}).items():
            text.append(f"  {status} {number}", style=_COLOURS.get(status, ""))
        if self._live is not None:
            self._live.update(text)
        elif time.monotonic() - self._said > _SAY_EVERY:
            self._said = time.monotonic()
            self.console.print(text, soft_wrap=True)

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began
