"""What is not to be sung merrily, and what is not to be praised. Pure."""

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from studio.content import own_folder, read_patterns
from studio.lyricist.facts import Fact
from studio.lyricist.stock import LIVELY, TENDER
from studio.trades import NEARBY, Register, find_trade, get_trade

MOODS = {Register.CALM: TENDER, Register.GENTLE: TENDER, Register.MERRY: LIVELY}
LISTS = tuple(
    f"{name}-{language}"
    for name in ("solemn", "grave", "amenity", "trouble", "unsung")
    for language in ("korean", "english")
)


class Kind(Enum):
    """What a fact is, which decides what may be said of it."""

    PLAIN = "plain"
    GOODS = "goods"
    SERVICE = "service"
    TREAT = "treat"
    TROUBLE = "trouble"
    GRAVE = "grave"


@dataclass(frozen=True)
class _Patterns:
    """The words of `words/tact.toml`, which says what each of them means."""

    solemn: re.Pattern[str]
    grave: re.Pattern[str]
    amenity: re.Pattern[str]
    trouble: re.Pattern[str]
    unsung: re.Pattern[str]


def choose_kind(fact: Fact, trade: str | None, calm: bool) -> Kind | None:
    """Return what a fact of such a business is; None where it is better left unsung."""
    patterns = _get_patterns(own_folder())
    if patterns.unsung.search(fact.text):
        return None
    if patterns.grave.search(fact.text):
        return Kind.GRAVE if calm else None
    if patterns.trouble.search(fact.text):
        return Kind.TROUBLE
    known = get_trade(trade)
    if known is None or patterns.amenity.search(fact.text):
        return Kind.SERVICE if calm and known is None else Kind.PLAIN
    return Kind(known.offers)


def is_solemn(name: str, detail: str) -> bool:
    """Return whether the name tells of grief or law, or the detail where the name tells no trade.

    A name of any other trade only borrows the words, as "Memorial Park Pizza" does. What the detail says to be
    nearby does not count. A detail that tells no trade is solemn if it is grave.
    """
    patterns = _get_patterns(own_folder())
    named = get_trade(find_trade(name, ""))
    own = "" if named else NEARBY.sub(" ", detail)
    grave = find_trade(name, detail) is None and patterns.grave.search(own)
    called = (named is None or named.solemn) and patterns.solemn.search(name)
    return bool(called or patterns.solemn.search(own) or grave)


def is_calm(name: str, detail: str, trade: str | None) -> bool:
    """Return whether a song about this business neither shouts nor jokes, whatever its music."""
    return get_register(trade) is Register.CALM or is_solemn(name, detail)


def get_register(trade: str | None) -> Register:
    """Return how a trade is sung of; an unknown one plainly."""
    known = get_trade(trade)
    return known.register if known else Register.PLAIN


def get_mood(trade: str | None) -> str | None:
    """Return the mood that suits a trade, where the music leaves it open; None where any does."""
    return MOODS.get(get_register(trade))


@cache
def _get_patterns(_own: Path | None) -> _Patterns:
    words = read_patterns("tact", [*LISTS, "remedies-english"])
    found = {name: "|".join(words[name]) for name in words}
    solemn, grave, amenity, unsung = (
        re.compile(rf"{found[f'{name}-korean']}|\b(?:{found[f'{name}-english']})\b", re.I)
        for name in ("solemn", "grave", "amenity", "unsung")
    )
    trouble = re.compile(
        rf"(?:{found['trouble-korean']})$"
        rf"|\b(?:{found['trouble-english']})\b(?! (?:{found['remedies-english']}))",
        re.I,
    )
    return _Patterns(solemn, grave, amenity, trouble, unsung)
