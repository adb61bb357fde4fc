"""Figures as people read them. Pure."""

from bench.engine.figures import Figure, Row
from bench.engine.outcome import Comparison


def format_amount(value: float, unit: str) -> str:
    """Format three digits and the unit; seconds below one become milliseconds."""
    if unit == "s" and abs(value) < 1:
        return f"{_format_digits(value * 1000)} ms"
    return f"{_format_digits(value)} {unit}".strip()


def _format_digits(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}".removesuffix(".0")
    return f"{value:.2f}".removesuffix(".00")


def format_cell(row: Row, figure: Figure | None) -> str:
    """Format a cell of the table: the value, or why there is none."""
    if figure is None:
        return "–"
    return figure.note if figure.value is None else format_amount(figure.value, row.unit)


def format_ratio(compared: Comparison | None) -> str:
    """Format how many times better ours is; a worse result is a fraction."""
    if compared is None:
        return "–"
    times = compared.times
    told = _format_digits(times) if times >= 1 else f"1/{_format_digits(1 / times)}"
    return f"{'> ' if compared.at_least else ''}{told}×"
