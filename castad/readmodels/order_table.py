"""A page of orders as a table for people, on terminals of any width. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from castad.readmodels.order_list import OrderBody
from castad.readmodels.views import wait_reason_text
from resources.ledger.schema.tables import AT_WORK, Status
from resources.process.configure_logging import escape_to_one_line, format_utc

_WIDE = 76
"""Columns from which an order is one line."""
_BAR_WIDTH = 8
_STYLES = {
    Status.COMPLETED: "green",
    Status.FAILED: "yellow",
    Status.DEAD: "red",
    Status.CANCELED: "dim",
    Status.PROCESSING: "cyan",
}


@dataclass(frozen=True)
class OrderTable:
    """The orders: one line each, or two where the terminal is narrow; `at` is now."""

    orders: Sequence[OrderBody]
    at: datetime

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table for this width."""
        if options.max_width >= _WIDE:
            yield self._wide()
        else:
            yield from map(self._narrow, self.orders)

    def _wide(self) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        table.add_column("task_id", no_wrap=True)
        # Where the line is full, only what may wrap becomes narrower; their texts are cut and do not wrap.
        table.add_column("order", min_width=12)
        table.add_column("", width=_BAR_WIDTH)
        table.add_column("status", min_width=10)
        table.add_column("age", no_wrap=True, justify="right")
        table.add_column("cost", no_wrap=True, justify="right")
        for order in self.orders:
            table.add_row(
                Text(order.task_id, style="bold"),
                _summary(order),
                _bar(order),
                _state(order),
                age_text(order, self.at),
                _cost(order),
            )
        return table

    def _narrow(self, order: OrderBody) -> RenderableType:
        table = Table.grid(padding=(0, 1), expand=True)
        table.add_column(ratio=1, overflow="fold")
        table.add_column(no_wrap=True, justify="right")
        table.add_row(Text(order.task_id, style="bold"), age_text(order, self.at))
        table.add_row(_summary(order), _cost(order))
        table.add_row(_state(order), _bar(order))
        return table


def age_text(order: OrderBody, at: datetime) -> str:
    """How long ago the order was placed, in its largest unit."""
    seconds = max(0, int((at - order.created_at).total_seconds()))
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _summary(order: OrderBody) -> Text:
    return _cut(order.summary or order.pipeline, "" if order.summary else "dim")


def _state(order: OrderBody) -> Text:
    words = [str(order.status)]
    if order.status in AT_WORK and order.stage:
        words = [order.stage, f"{order.progress} %"]
    elif order.status is Status.PENDING and order.waits_for:
        words = ["waiting for", wait_reason_text(order.waits_for)]
    elif order.status is Status.PENDING and order.attempt == 0 and order.scheduled_at is not None:
        words = ["scheduled for", format_utc(order.scheduled_at)]
    elif order.error is not None and order.status in (Status.DEAD, Status.FAILED):
        words.append(order.error.code)
    return _cut(" ".join(words), _STYLES.get(order.status, ""))


def _bar(order: OrderBody) -> ProgressBar:
    is_over = order.status in (Status.DEAD, Status.CANCELED)
    return ProgressBar(
        completed=order.progress,
        width=_BAR_WIDTH,
        complete_style="dim" if is_over else "cyan",
        finished_style="green",
    )


def _cost(order: OrderBody) -> str:
    return f"${order.cost_usd:.4f}" if order.cost_usd else ""


def _cut(text: str, style: str) -> Text:
    """One line, which ends where its place does; SQL may have stored what a terminal would obey."""
    return Text(escape_to_one_line(text), style=style, no_wrap=True, overflow="ellipsis")
