"""The picture: a panel a figure, a bar a system, on a scale of powers of ten."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from bench.engine.figures import ROWS, Row
from bench.engine.outcome import Outcome, Result
from bench.engine.words import format_amount

PANELS = ("first_op", "overhead", "handover", "burst", "memory", "killed")
_OURS, _OTHERS = "#d1495b", "#9aa5b1"
_ROOM_FOR_LABELS = 30


def draw(result: Result, path: Path) -> None:
    """Draw the chart into the file `path`."""
    rows = [row for key in PANELS for row in ROWS if row.key == key]
    figure, panels = plt.subplots(2, 3, figsize=(15, 7), layout="constrained")
    for index, (row, axes) in enumerate(zip(rows, panels.flat, strict=True)):
        _draw_panel(axes, row, result, named=index % 3 == 0)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _draw_panel(axes: Axes, row: Row, result: Result, *, named: bool) -> None:
    shown = list(reversed(result.outcomes))
    values = [_get_length(row, outcome) for outcome in shown]
    colours = [_OURS if outcome.name.startswith("castad") else _OTHERS for outcome in shown]
    bars = axes.barh(
        [outcome.title for outcome in shown], [value or 0 for value in values], color=colours
    )
    axes.set_xscale("log")
    known = [value for value in values if value]
    if known:
        axes.set_xlim(min(known) / 3, max(known) * _ROOM_FOR_LABELS)
    for bar, outcome, value in zip(bars, shown, values, strict=True):
        figure = outcome.figures.get(row.key)
        never = figure is not None and figure.value is None and value is not None
        if never:
            bar.set_hatch("///")
            bar.set_edgecolor("white")
        label = _format_label(row, outcome)
        at = (value or axes.get_xlim()[0]) * 1.12
        axes.text(at, bar.get_y() + bar.get_height() / 2, label, va="center", fontsize=9)
    axes.set_title(f"{row.title} ({'more' if row.more else 'less'} is better)", fontsize=10)
    axes.xaxis.set_major_formatter(NullFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="x", which="both", length=0)
    axes.tick_params(axis="y", length=0, labelleft=named)
    axes.grid(axis="x", color="#e8ebee")
    axes.set_axisbelow(True)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)


def _get_length(row: Row, outcome: Outcome) -> float | None:
    figure = outcome.figures.get(row.key)
    if figure is None:
        return None
    return figure.beyond if figure.value is None else figure.value


def _format_label(row: Row, outcome: Outcome) -> str:
    figure = outcome.figures.get(row.key)
    if figure is None:
        return "not measured"
    return figure.note if figure.value is None else format_amount(figure.value, row.unit)
