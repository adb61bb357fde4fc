"""What is not to be sung merrily, and what is not to be praised. Pure."""

import re

from studio.content import cache_content, read_words
from studio.lyricist.facts import Fact, Kind
from studio.lyricist.stock import LIVELY, TENDER
from studio.trades import NEARBY, Register, find_trade, get_trade

MOODS = {Register.CALM: TENDER, Register.GENTLE: TENDER, Register.MERRY: LIVELY}


def choose_kind(fact: Fact, trade: str | None, calm: bool) -> Kind | None:
    """Return what a fact of such a business is; None where it is better left unsung."""
    patterns = _get_patterns()
    if patterns["unsung"].search(fact.text):
        return None
    if patterns["grave"].search(fact.text):
        return Kind.GRAVE if calm else None
    if patterns["trouble"].search(fact.text):
        return Kind.TROUBLE
    known = get_trade(trade)
    if known is None or patterns["amenity"].search(fact.text):
        return Kind.SERVICE if calm and known is None else Kind.PLAIN
    return Kind(known.offers)


def is_solemn(name: str, detail: str) -> bool:
    """Return whether the name tells of grief or law, or the detail where the name tells no trade.

    A name of any other trade only borrows the words, as "Memorial Park Pizza" does. What the detail says to be
    nearby does not count. A detail that tells no trade is solemn if it is grave.
    """
    patterns = _get_patterns()
    named = get_trade(find_trade(name, ""))
    own = "" if named else NEARBY.sub(" ", detail)
    grave = find_trade(name, detail) is None and patterns["grave"].search(own)
    called = (named is None or named.solemn) and patterns["solemn"].search(name)
    return bool(called or patterns["solemn"].search(own) or grave)


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


@cache_content
def _get_patterns() -> dict[str, re.Pattern[str]]:
    """Return the words of `words/tact.toml`, which says what each of them means."""
    found = {name: "|".join(words) for name, words in read_words("tact", re.compile).items()}
    patterns = {
        name: re.compile(rf"{found[f'{name}-korean']}|\b(?:{found[f'{name}-english']})\b", re.I)
        for name in ("solemn", "grave", "amenity", "unsung")
    }
    patterns["trouble"] = re.compile(
        rf"(?:{found['trouble-korean']})$"
        rf"|\b(?:{found['trouble-english']})\b(?! (?:{found['remedies-english']}))",
        re.I,
    )
    return patterns
