"""What a free description tells of a business, phrase by phrase, in words that can be sung. Pure."""

import re
from dataclasses import dataclass

from studio.lyricist.capitals import in_sentence
from studio.lyricist.phrases import counted, items_of, together
from studio.lyricist.singable import singable

SEPARATOR = re.compile(r"[\n\r;·•|、，。！？]+|/|[,.](?!\d)|(?<!\d)[,.]|[!?]+|\s[-–—]\s")
ITEM_NUMBER = re.compile(r"^\s*(?:\d{1,2}[.)]\s+|[-–—*~]\s*)")
LABEL = re.compile(r"^[^:：]{1,12}[:：]\s*(?=\D)")
ASIDE = re.compile(r"\([^()]*\)|（[^（）]*）")
# Digits that are shown on the end card, not sung.
LINK = re.compile(
    r"\S*(?:https?://|www\.|\w@\w)[^\s,;|]*|[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|kr|jp|uk|co|io|me|shop)\b[^\s,;|]*",
    re.I,
)
HANDLE = re.compile(r"(?:^|\s)@\w")
PHONE = re.compile(r"\+?\d[\d()\s.-]{6,}\d")
CLOCK = re.compile(
    r"\d{1,2}:\d{2}|\d{1,2}\s*시\s*(?:\d{1,2}\s*분)?\s*(?:~|-|–|부터|까지)|\d\s?[ap]\.?m\b", re.I
)
STREET_NUMBER = re.compile(
    r"(?:로|길)\s?\d+|^\d+\s+(?:\w+\s){1,3}(?:st|street|ave|avenue|rd|road)\b", re.I
)
PRICE = re.compile(
    r"\s*(?:단돈|각|개당|only|just|from|for|at)?\s*"
    r"(?:[$€£₩¥]\s?\d[\d,.]*|\d[\d,.]*\s*(?:천|만)?\s*(?:원|won\b|krw\b|usd\b|dollars?\b|euros?\b|[$€£₩¥]))",
    re.I,
)
KOREAN_SENTENCE = re.compile(
    r"(?:니다|어요|아요|해요|예요|에요|세요|네요|죠|까요|[했았었한된있없]다|드림|\s\S+요)$"
)
ENGLISH_SENTENCE = re.compile(
    r"^(?:we|you|it|it's|i|there's|come|try|enjoy|visit|get|let|let's|our \w+ (?:is|are))\b"
    r"|\b(?:is|are|has|have)\b",
    re.I,
)
LONGEST_WORD = 20


@dataclass(frozen=True)
class Fact:
    """One fact of a business; a sentence is sung as it is, a phrase may stand in a frame."""

    text: str
    sentence: bool


def facts_in(detail: str, named: str = "") -> list[Fact]:
    """The phrases of a free description in their order, none twice; nouns in a row are a phrase each.

    They stand as inside a sentence; words of `named` keep their capital. Left out are web and mail addresses,
    telephone numbers, times of day, street numbers, and prices with whatever is said behind them.
    """
    texts = filter(str.strip, SEPARATOR.split(LINK.sub(" @link ", detail)))
    parts = in_sentence([_phrase(part) for part in texts], named)
    phrases = [together(counted(item)) for part in parts if part for item in items_of(part)]
    return [Fact(phrase, _is_sentence(phrase)) for phrase in dict.fromkeys(phrases)]


def _phrase(part: str) -> str:
    """What of one part is sung; "" where it is nothing."""
    plain = ASIDE.sub(" ", part).strip(" ()（）") or part
    if any(pattern.search(plain) for pattern in (HANDLE, PHONE, CLOCK, STREET_NUMBER)):
        return ""
    price = PRICE.search(plain)
    if price:
        plain = plain[: price.start()] if not plain[price.end() :].strip() else ""
    words = singable(LABEL.sub("", ITEM_NUMBER.sub("", plain)).strip(" \"'“”‘’:"))
    hopeless = any(len(word) > LONGEST_WORD for word in words.split())
    return "" if hopeless or words.isdigit() else words


def _is_sentence(phrase: str) -> bool:
    return bool(KOREAN_SENTENCE.search(phrase) or ENGLISH_SENTENCE.search(phrase))
