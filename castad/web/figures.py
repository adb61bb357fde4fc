"""Figures as people read them, in either language. Pure."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from castad.web.language import Language
from castad.web.texts import Translator

_CODE = Markup("<code>{}</code>")
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def dollars(amount: float) -> str:
    """US dollars, as exactly as they matter: $0, $0.0004, $0.06, $12.40."""
    if amount == 0:
        return "$0"
    return f"${amount:.4f}" if abs(amount) < 0.01 else f"${amount:,.2f}"


def duration(seconds: float | None, language: Language) -> str:
    """A length of time in its two largest units; a dash where there is none. The page's script does the same."""
    if seconds is None:
        return "–"
    if seconds < 9.95:
        return _unit("seconds", f"{seconds:.1f}".removesuffix(".0"), language)
    whole = round(seconds)
    if whole < _MINUTE:
        return _unit("seconds", whole, language)
    if whole < _HOUR:
        return _two(("minutes", *divmod(whole, _MINUTE)), "seconds", language)
    if whole < _DAY:
        return _two(("hours", *divmod(whole // _MINUTE, 60)), "minutes", language)
    return _unit("days", round(whole / _DAY), language)


def _two(large: tuple[str, int, int], small: str, language: Language) -> str:
    name, count, rest = large
    shown = _unit(name, count, language)
    return f"{shown} {_unit(small, rest, language)}" if rest else shown


def _unit(name: str, count: object, language: Language) -> str:
    return Translator(language)(f"js_{name}", n=count)


def moment(at: datetime | None) -> str:
    """A moment in UTC for `<time datetime=…>`; a script shows it in the reader's own zone."""
    return "" if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")


def age(created: datetime, language: Language) -> str:
    """How long ago that was."""
    return duration(max(0.0, (datetime.now(UTC) - created).total_seconds()), language)


def size(octets: int) -> str:
    """A file's size: 48 kB, 3.2 MB."""
    if octets < 1_000_000:
        return f"{max(1, round(octets / 1000))} kB"
    return f"{octets / 1_000_000:.1f} MB"


def with_code(text: str) -> Markup:
    """The escaped text, in which what stands between backticks is code."""
    parts = enumerate(text.split("`"))
    return Markup().join(_CODE.format(each) if number % 2 else each for number, each in parts)


FILTERS: Mapping[str, Callable[..., Any]] = {
    "age": age,
    "dollars": dollars,
    "duration": duration,
    "moment": moment,
    "size": size,
    "with_code": with_code,
}
"""As the templates call them."""
