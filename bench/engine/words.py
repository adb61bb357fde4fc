"""Figures as people read them. Pure."""

from bench.engine.figures import Figure, Row
from bench.engine.outcome import Comparison


def amount(value: float, unit: str) -> str:
    """Format three digits and the unit; seconds below one become milliseconds."""
    if unit == "s" and abs(value) < 1:
        return f"{_digits(value * 1000)} ms"
    return f"{_digits(value)} {unit}".strip()


def _digits(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}".removesuffix(".0")
    return f"{value:.2f}".removesuffix(".00")


def cell(row: Row, figure: Figure | None) -> str:
    """Format a cell of the table: the value, or why there is none."""
    if figure is None:
        return "–"
    return figure.note if figure.value is None else amount(figure.value, row.unit)


def ratio(compared: Comparison | None) -> str:
    """Format how many times better ours is; a worse result is a fraction."""
    if compared is None:
        return "–"
    times = compared.times
    told = _digits(times) if times >= 1 else f"1/{_digits(1 / times)}"
    return f"{'> ' if compared.at_least else ''}{told}×"
