"""What waste a note in Korean or English names: its class, by a table of words.

The table is castad's own. A word is a thing's name or another name for it; each stands in one row only.
"""

import csv
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_name("waste_words.csv")

_HANGUL = re.compile("[가-힣]")
_TOKEN = re.compile(r"[^\W_가-힣ㄱ-ㆎ]+")
_PARTICLE = "(?:이에요|예요|이요|입니다|인데|이랑|하고|은|는|이|가|을|를|도|만|과|와|의|에|랑|요)?"
_AFTER_WHOLE = re.compile(rf"{_PARTICLE}$")
_AFTER_HEAD = re.compile(rf"{_PARTICLE}(?:$|\W|버리|버려|어떻게|어디|분리|배출|재활용|처리)")
_IN_OR_ON = re.compile(
    rf"{_PARTICLE}(?:묻|든|들어|붙|담긴|담은|남은|빠진|없는|있는|달린|뺀|넣|모양|무늬|그림)"
)
_BROKEN = re.compile(
    r"(?<!안)(?<!안\s)깨(?:진|졌|짐|어진|뜨린)|(?<!not\s)\b(?:broken|shattered|smashed|cracked)\b"
)

_WHOLE = frozenset({"라면"})
"""These are the ends of verbs as well; words of one syllable are within many others."""
_LAST = frozenset({"못", "기타", "can", "safe", "match"})
"""These mean something else as well, unless the note ends with them or asks about them."""
_WITH = frozenset({"with", "without", "of", "in", "from", "containing"})
_ARTICLES = frozenset({"a", "an", "the", "some", "any"})
_MATERIALS = frozenset(
    [
        "플라스틱",
        "유리",
        "종이",
        "비닐",
        "스티로폼",
        "알루미늄",
        "스테인리스",
        "금속",
        "철",
        "나무",
        "고무",
        "실리콘",
        "천",
        "도자기",
        "plastic",
        "paper",
        "glass",
        "styrofoam",
        "metal",
        "wood",
        "rubber",
        "silicone",
        "fabric",
        "ceramic",
    ]
)
"""Before another word these say what a thing is made of; any other word says what it is for."""
_WHEN_BROKEN = {"유리병": "깨진유리", "조명제품": "깨진전등"}
"""What no longer belongs to its middle class once it is broken."""


@dataclass(frozen=True, slots=True)
class Named:
    """The class of a thing, its usual name, and the word of the table that named it."""

    major: str
    middle: str
    minor: str
    word: str


class _Match(NamedTuple):
    is_head: bool
    length: int
    end: int
    named: Named


class _Words(NamedTuple):
    """The table by the words as they are compared; `lengths` are the Korean ones, longest first."""

    korean: Mapping[str, Named]
    english: Mapping[str, Named]
    lengths: Sequence[int]
    most_tokens: int


class _Squeezed(NamedTuple):
    """A text without blanks: where each letter was, and whether it begins a word (so does the end)."""

    letters: str
    places: Sequence[int]
    begins: Sequence[bool]


def named(note: str) -> Named | None:
    """The thing that the note names, or None. Of several the longest word counts, then the last.

    What is in or on another thing, or says what it is for, counts only where nothing else is named: "음식물 묻은
    비닐" is film, "노트북 가방" a bag. Broken glass and lamps are no recyclables.
    """
    text = compared(note)
    matches = [*_korean(text), *_english(text)]
    if not matches:
        return None
    found = max(matches, key=lambda match: match[:3]).named
    broken = _WHEN_BROKEN.get(found.middle)
    if broken is None or not _BROKEN.search(text):
        return found
    instead = _table().korean[broken]
    return Named(instead.major, instead.middle, instead.minor, found.word)


def compared(text: str) -> str:
    """The text without the differences of upper case and of how its letters are composed."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def words() -> Iterator[Named]:
    """Every word of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for word in row["words"].split("|"):
                yield Named(row["major"], row["middle"], row["minor"], word)


@cache
def _table() -> _Words:
    korean: dict[str, Named] = {}
    english: dict[str, Named] = {}
    for each in words():
        key = compared(each.word)
        if _HANGUL.search(key):
            korean[key.replace(" ", "")] = each
        else:
            english[" ".join(_TOKEN.findall(key))] = each
    lengths = sorted({len(key) for key in korean}, reverse=True)
    return _Words(korean, english, lengths, max(len(key.split()) for key in english))


def _squeezed(text: str) -> _Squeezed:
    letters, places, begins = [], [], []
    begin = True
    for place, letter in enumerate(text):
        if not letter.isspace():
            letters.append(letter)
            places.append(place)
            begins.append(begin or not letter.isalnum())
        begin = not letter.isalnum()
    return _Squeezed("".join(letters), places, [*begins, True])


def _korean(text: str) -> Iterator[_Match]:
    """The longest word that begins at each letter."""
    squeezed = _squeezed(text)
    letters = squeezed.letters
    found = dict(_found_in(squeezed))
    for start, (end, thing) in found.items():
        is_before = end in found and letters[start:end] not in _MATERIALS
        is_head = not is_before and not _IN_OR_ON.match(letters, end)
        yield _Match(is_head, end - start, squeezed.places[end - 1] + 1, thing)


def _found_in(squeezed: _Squeezed) -> Iterator[tuple[int, tuple[int, Named]]]:
    """The beginning of each word, its end and what it names."""
    table, letters = _table(), squeezed.letters
    for start in range(len(letters)):
        for length in table.lengths:
            word = letters[start : start + length]
            found, end = table.korean.get(word), start + len(word)
            if found is not None and _fits(squeezed, start, end):
                yield start, (end, found)
                break


def _fits(squeezed: _Squeezed, start: int, end: int) -> bool:
    """Whether the letters stand for a word: no end of one word with the beginning of the next."""
    letters, _, begins = squeezed
    word = letters[start:end]
    if not begins[start] and any(begins[start + 1 : end]):
        return False
    if word in _LAST and not _AFTER_HEAD.match(letters, end):
        return False
    if len(word) > 1 and word not in _WHOLE:
        return True
    return begins[start] and _AFTER_WHOLE.match(_rest(squeezed, end)) is not None


def _rest(squeezed: _Squeezed, end: int) -> str:
    """The first letters of what is left of the word, enough to tell a particle."""
    for stop in range(end, end + 4):
        if squeezed.begins[stop]:
            return squeezed.letters[end:stop]
    return squeezed.letters[end : end + 4]


def _english(text: str) -> Iterator[_Match]:
    """The longest words that begin at each word."""
    tokens = list(_TOKEN.finditer(text))
    plain = [each.group() for each in tokens]
    found = dict(_found_among(plain))
    for start, (stop, thing) in found.items():
        phrase = plain[start:stop]
        is_before = stop in found and phrase[-1] not in _MATERIALS
        is_head = not is_before and _heads(plain, start)
        yield _Match(is_head, len("".join(phrase)), tokens[stop - 1].end(), thing)


def _found_among(tokens: Sequence[str]) -> Iterator[tuple[int, tuple[int, Named]]]:
    table = _table()
    for start in range(len(tokens)):
        for stop in range(min(start + table.most_tokens, len(tokens)), start, -1):
            phrase = " ".join(tokens[start:stop])
            found = _singular(phrase, table.english)
            if found is not None and (phrase not in _LAST or stop == len(tokens)):
                yield start, (stop, found)
                break


def _singular(phrase: str, english: Mapping[str, Named]) -> Named | None:
    one = phrase.removesuffix("s")
    return english.get(phrase) or english.get(one) or english.get(one.removesuffix("e"))


def _heads(tokens: Sequence[str], start: int) -> bool:
    """Whether the words name the thing itself, and not what is in or on it."""
    before = tokens[max(start - 2, 0) : start]
    nearest = next((each for each in reversed(before) if each not in _ARTICLES), "")
    return nearest not in _WITH
