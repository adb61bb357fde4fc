"""The words of a report in English and Korean, and the formats of its figures. Pure."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline_defs.analysis.counting.found import CaseStatus

ReportWords = Mapping[str, Any]
"""Headings, labels and the names of every status, reason and remark."""
_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ENGLISH: ReportWords = _TABLES["en"]
KOREAN: ReportWords = _TABLES["ko"]

STATUS_COLOURS = {
    CaseStatus.ACTIVE: "#2da44e",
    CaseStatus.SKIPPED: "#8c959f",
    CaseStatus.TODO: "#bf8700",
    CaseStatus.XFAIL: "#8250df",
    CaseStatus.FOCUSED: "#cf222e",
}
_UNITS = ("B", "kB", "MB", "GB")


def format_number(number: int) -> str:
    """Format 1234567 as 1,234,567."""
    return f"{number:,}"


def format_percent(share: float) -> str:
    """Format with one decimal; a positive share below 0.05 is "< 0.1 %"."""
    return "< 0.1 %" if 0 < share < 0.05 else f"{share:.1f} %"


def format_size(bytes_: int) -> str:
    """Format 1234567 as 1.2 MB."""
    value, unit = float(bytes_), _UNITS[0]
    for next_unit in _UNITS[1:]:
        if value < 999.95:
            break
        value, unit = value / 1000, next_unit
    return f"{bytes_} B" if unit == "B" else f"{value:.1f} {unit}"
