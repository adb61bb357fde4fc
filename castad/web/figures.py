"""Figures as people read them, in either language. Pure."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from castad.web.language import Language

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_UNITS: Mapping[Language, tuple[str, str, str, str]] = {
    "ko": ("{}초", "{}분", "{}시간", "{}일"),
    "en": ("{} s", "{} min", "{} h", "{} d"),
}


def dollars(amount: float) -> str:
    """US dollars, as exactly as they matter: $0, $0.0004, $0.06, $12.40."""
    if amount == 0:
        return "$0"
    return f"${amount:.4f}" if abs(amount) < 0.01 else f"${amount:,.2f}"


def duration(seconds: float | None, language: Language) -> str:
    """A length of time in its largest fitting unit; a dash where there is none."""
    if seconds is None:
        return "–"
    in_seconds, in_minutes, in_hours, in_days = _UNITS[language]
    if seconds < _MINUTE:
        shown = f"{seconds:.1f}".removesuffix(".0") if seconds < 10 else f"{seconds:.0f}"
        return in_seconds.format(shown)
    if seconds < _HOUR:
        minutes, rest = divmod(round(seconds), _MINUTE)
        return " ".join([in_minutes.format(minutes), *([in_seconds.format(rest)] if rest else [])])
    if seconds < _DAY:
        hours, rest = divmod(round(seconds / _MINUTE), 60)
        return " ".join([in_hours.format(hours), *([in_minutes.format(rest)] if rest else [])])
    return in_days.format(round(seconds / _DAY))


def clock(seconds: float) -> str:
    """A position in a song or film: 0:07."""
    minutes, rest = divmod(int(seconds), _MINUTE)
    return f"{minutes}:{rest:02d}"


def moment(at: datetime | None) -> str:
    """A moment in UTC for `<time datetime=…>`; a script shows it in the reader's own zone."""
    return "" if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")


def size(octets: int) -> str:
    """A file's size: 48 kB, 3.2 MB."""
    if octets < 1_000_000:
        return f"{max(1, round(octets / 1000))} kB"
    return f"{octets / 1_000_000:.1f} MB"


FILTERS: Mapping[str, Callable[..., Any]] = {
    "dollars": dollars,
    "duration": duration,
    "clock": clock,
    "moment": moment,
    "size": size,
}
"""As the templates call them."""
