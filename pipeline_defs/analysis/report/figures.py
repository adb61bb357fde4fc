"""Figures as a report writes them, and the colours of what it draws. Pure."""

from pipeline_defs.analysis.counting.found import CaseStatus

STATUS_COLOURS = {
    CaseStatus.ACTIVE: "#2da44e",
    CaseStatus.SKIPPED: "#8c959f",
    CaseStatus.TODO: "#bf8700",
    CaseStatus.XFAIL: "#8250df",
    CaseStatus.FOCUSED: "#cf222e",
}
_UNITS = ("B", "kB", "MB", "GB")


def whole(number: int) -> str:
    """1234567 as 1,234,567."""
    return f"{number:,}"


def percent(share: float) -> str:
    """One decimal; a share that would round to nothing is shown as such."""
    return "< 0.1 %" if 0 < share < 0.05 else f"{share:.1f} %"


def size(bytes_: int) -> str:
    """1234567 as 1.2 MB."""
    value, unit = float(bytes_), _UNITS[0]
    for next_unit in _UNITS[1:]:
        if value < 999.95:
            break
        value, unit = value / 1000, next_unit
    return f"{bytes_} B" if unit == "B" else f"{value:.1f} {unit}"
