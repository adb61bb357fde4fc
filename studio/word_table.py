"""Finds words of a table in a text in Korean or English, however they are spaced, inflected or mistyped.

A table is a CSV file of names and of the words that stand for them; docs/scan.md says how a word is written. Of
several names the one of the earlier row counts. Rows of `-` are harmless words that hold others; rows of `{name}`
are sets for other rows.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

from studio.content import read_rows
from studio.typing_errors import LEAST_JAMO, LEAST_LETTERS, Spellings, split_letters

HARMLESS = "-"

_HANGUL = re.compile("[가-힣]")
_LATIN = re.compile("[a-z0-9]+")
_SYLLABLES = re.compile("[가-힣]+")
_SET = re.compile(r"\{\w+\}")
_PARTICLE = (
    "(?:이에요|예요|이요|입니다|이랑|하고|으로|에서|인데|이나|까지|처럼|같은"
    "|들이?|은|는|이|가|을|를|도|만|과|와|의|에|로|랑|요|나)?"
)
_CONTAINER = (
    "(?:통|병|봉지|봉투|상자|박스|케이스|캔|튜브|팩|용기|포장|껍질|뚜껑|껍데기"
    "|갑|묶음|세트|류|쓰레기)?"
)
_VERB = "(?:버리|버려|어떻|어디|분리|배출|처리|폐기|수거|재활용)"
_ENDS_WORD = re.compile(rf"{_CONTAINER}{_PARTICLE}(?:$|{_VERB})")
_DISPOSED = re.compile(rf"$|{_VERB}")
_ABSENT = re.compile(r"(?:이|가|은|는|도)?\s*없|\s*(?:모양|무늬|그림|캐릭터|맛)")
_PRETENDED = re.compile(r"초콜릿\s*$")
_WITHOUT = frozenset({"no", "without", "sans", "fake", "pretend", "chocolate"})
_PRINT = (
    "flyer|leaflet|brochure|catalogue?|poster|coupon|advert|advertisement|calendar|postcard|booklet"
    "|(?:text|story)book"
)
_FREE = re.compile(
    rf"[ -]*(?:free|shaped|flavou?r|flavou?red|themed|print|printed|colou?red|{_PRINT}|magazine|comic|novel"
    r"|vinyl (?:record|lp|album)|song|lyric|album|cd|dvd|band|logo|brand|company|sticker|bill|receipt|invoice"
    r"|manual|cartoon|soundtrack|movie)s?(?![a-z0-9])"
    r"|(?: (?!(?:and|or|on|in|with|of|from|by|under|near|soaked|stained|covered|contaminated) )[a-z]+){1,2}"
    rf" (?:{_PRINT})s?(?![a-z0-9])"
)
_ABOUT = re.compile(
    r"\s*(?:(?:교환|사용|경고|안내|행사|안전|점검|교육|예방|분리배출)\s*)?(?:광고|홍보|전단|세일|할인|쿠폰"
    r"|카탈로그|카달로그|설명서|포스터|포토카드|음반|앨범|고지서|영수증|달력|사진집|명함|책자|안내문|동화책|엽서"
    r"|회사|브랜드|만화|소설|교과서|악보|영화|드라마)"
)
"""Printed things, music and films, about which a danger's name before them only says what they are of."""
_CONTENTS = re.compile(
    r"\s*(?:안|속)?(?:에|의)?\s*(?:든|들어|담[긴겨]|남[은아]|있는|있던|내용물|찬\s)"
)
"""What follows a container whose contents are spoken of: a harmless container may hold what is none."""
_LISTED = re.compile(r"[,;/+&·、\n]")
"""What stands between two things of a list, which are no one thing."""
_ARTICLES = frozenset({"a", "an", "any", "its", "the"})
_LONGEST_PHRASE = 4
_LONGEST_TYPO = 8
_MOST_LETTERS, _MOST_SYLLABLES = 24, 16
_LEAST_PART = 3


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A name that a text speaks of, the words of the text for it, and the row's rank: the least counts most."""

    rank: int
    name: str
    words: str


_Parts = tuple[tuple[str, ...], ...]
"""The parts of a word of the table, and what each may be."""


class _Pattern(NamedTuple):
    """A word of the table: `kind` says where in a text's word it stands."""

    text: str
    kind: str


class _Entry(NamedTuple):
    """A word of the table; each of its parts is any of several patterns."""

    rank: int
    name: str
    parts: tuple[tuple[_Pattern, ...], ...]


class _Span(NamedTuple):
    start: int
    end: int

    def holds(self, other: "_Span") -> bool:
        return self.start <= other.start and other.end <= self.end


class _Match(NamedTuple):
    """A word of the table in the text; `part` is its place among the words of the entry with this number."""

    rank: int
    name: str
    span: _Span
    number: int
    part: int


class Squeezed(NamedTuple):
    """Some letters of a text: where each was, and whether it begins a word (so does the end)."""

    letters: str
    places: Sequence[int]
    begins: Sequence[bool]


class _Text(NamedTuple):
    """A text as it is compared: Hangul without blanks, and Latin words, each with its places."""

    folded: str
    letters: str
    places: Sequence[int]
    begins: Sequence[bool]
    tokens: Sequence[re.Match[str]]


class WordTable:
    """A table of words; its file is read when it is first used."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def find_in(self, text: str, ordinary: frozenset[str] | None = None) -> Sequence[Found]:
        """Return the names that the text speaks of, by rank; none twice.

        Where `ordinary` is given, words with a typing error or two count as well, unless they are ordinary.
        """
        written = _read(text)
        found = self._index.find(written)
        if ordinary is not None:
            mended = self._mend(written, ordinary)
            if mended != written.folded:
                found += self._index.find(_read(mended))
        by_name: dict[str, Found] = {}
        for each in sorted(found):
            by_name.setdefault(each.name, each)
        return tuple(by_name.values())

    @cached_property
    def names(self) -> Sequence[str]:
        """All names by rank."""
        names = (row["name"] for row in read_rows(self._file))
        of_words = (each for each in names if each != HARMLESS and not _SET.fullmatch(each))
        return tuple(dict.fromkeys(of_words))

    @cached_property
    def _index(self) -> "_Index":
        return _Index(self._read_rows())

    def _read_rows(self) -> Iterator[tuple[int, str, _Parts]]:
        """Yield each row's number, its name and the parts of one of its words."""
        sets: dict[str, list[str]] = {}
        for number, row in enumerate(read_rows(self._file)):
            words = row["words"].split("|")
            if _SET.fullmatch(row["name"]):
                sets[row["name"]] = [each for word in words for each in _expand(word, sets)]
                continue
            for word in words:
                yield number, row["name"], _split(word, sets)

    @cached_property
    def _spellings(self) -> tuple[Spellings, Spellings]:
        """The names' words in Korean and in English that may be mistyped."""
        korean: set[str] = set()
        english: set[str] = set()
        for _, name, parts in self._read_rows():
            if name == HARMLESS:
                continue
            for word in chain.from_iterable(parts):
                letters = _make_pattern(word).text
                if _HANGUL.search(letters) and len(split_letters(letters)) >= LEAST_JAMO - 1:
                    korean.add(letters)
                latin = _LATIN.findall(_fold(word))
                english.update(
                    each for each in latin if len(each) >= LEAST_LETTERS - 1 and not each.isdigit()
                )
        return Spellings(korean), Spellings(english)

    def _mend(self, read: _Text, ordinary: frozenset[str]) -> str:
        """Return the text with the likely typing errors in the table's words put right."""
        text = read.folded
        for token in reversed(read.tokens):
            word = token.group()
            is_likely = LEAST_LETTERS - 1 <= len(word) <= _MOST_LETTERS
            if not is_likely or word in ordinary or self._index.knows(word):
                continue
            meant = self._part(word, ordinary) or self._spellings[1].find_nearest(_list_forms(word))
            if meant:
                text = f"{text[: token.start()]}{meant}{text[token.end() :]}"
        for word in _SYLLABLES.findall(text):
            if len(word) <= _MOST_SYLLABLES and word not in ordinary:
                text = text.replace(word, self._mend_korean(word, ordinary))
        return text

    def _part(self, word: str, ordinary: frozenset[str]) -> str | None:
        """Return the two known words, one of them of the table, that the word is written of without a blank."""
        for place in range(_LEAST_PART, len(word) - _LEAST_PART + 1):
            halves = word[:place], word[place:]
            in_table = [self._index.knows(each) for each in halves]
            known = (
                found or each in ordinary for found, each in zip(in_table, halves, strict=True)
            )
            if any(in_table) and all(known):
                return " ".join(halves)
        return None

    def _mend_korean(self, word: str, ordinary: frozenset[str]) -> str:
        """Return the Korean word with what is nearly a word of the table put right."""
        for length in range(min(len(word), _LONGEST_TYPO), 1, -1):
            for start in range(len(word) - length + 1):
                part = word[start : start + length]
                if part in ordinary or _Pattern(part, "anywhere") in self._index.by_pattern:
                    return word
                meant = self._spellings[0].find_nearest(_list_forms(part))
                if meant:
                    return f"{word[:start]}{meant}{word[start + length :]}"
        return word


def mentions(text: str, words: tuple[str, ...]) -> bool:
    """Return whether one of the words stands in the text; they are written as those of a table."""
    return bool(_index_words(words).find(_read(text)))


@lru_cache(maxsize=512)
def _index_words(words: tuple[str, ...]) -> "_Index":
    return _Index((0, "", _split(word, {})) for word in words)


def _split(word: str, sets: Mapping[str, Sequence[str]]) -> _Parts:
    """Return what each part of the word may be, with the sets replaced by their members."""
    return tuple(tuple(_expand(part.strip(), sets)) for part in word.split(" + "))


def _expand(word: str, sets: Mapping[str, Sequence[str]]) -> Iterator[str]:
    names = _SET.findall(word)
    for members in product(*(sets[name] for name in names)):
        expanded = word
        for name, member in zip(names, members, strict=True):
            expanded = expanded.replace(name, member, 1)
        yield expanded


def _make_pattern(word: str) -> _Pattern:
    kind = "whole"
    if word.startswith("="):
        word, kind = word[1:], "last"
    elif word.startswith("*"):
        word, kind = word[1:], "within" if word.endswith("*") else "end"
    elif word.endswith("*"):
        kind = "begin"
    folded = _fold(word.rstrip("*"))
    if not _HANGUL.search(folded):
        return _Pattern("".join(_LATIN.findall(folded)), kind)
    letters = "".join(filter(str.isalnum, folded))
    if kind not in ("end", "last"):
        kind = "syllable" if len(letters) == 1 else "anywhere"
    return _Pattern(letters, kind)


def _fold(text: str) -> str:
    """Return the text without differences of case, width and composition, and without invisible letters."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    seen = "".join(each for each in plain if unicodedata.category(each) != "Cf")
    return unicodedata.normalize("NFC", seen)


def _read(text: str) -> _Text:
    folded = _fold(text)
    return _Text(folded, *squeeze(folded, str.isalnum), list(_LATIN.finditer(folded)))


def squeeze(text: str, is_kept: Callable[[str], bool]) -> Squeezed:
    """Return the letters that are kept; what is no letter or digit begins a word, and ends one."""
    letters, places, begins = [], [], []
    begin = True
    for place, letter in enumerate(text):
        if is_kept(letter):
            letters.append(letter)
            places.append(place)
            begins.append(begin or not letter.isalnum())
        begin = not letter.isalnum()
    return Squeezed("".join(letters), places, [*begins, True])


class _Index:
    """All patterns of a table's words by what they are looked up by."""

    def __init__(self, rows: Iterable[tuple[int, str, _Parts]]) -> None:
        self.entries: list[_Entry] = []
        self.by_pattern: dict[_Pattern, list[int]] = {}
        for number, name, written in rows:
            parts = tuple(tuple(_make_pattern(each) for each in part) for part in written)
            for pattern in chain.from_iterable(parts):
                self.by_pattern.setdefault(pattern, []).append(len(self.entries))
            self.entries.append(_Entry(-1 if name == HARMLESS else number, name, parts))
        korean = {len(each.text) for each in self.by_pattern if _HANGUL.search(each.text)}
        english = [each for each in self.by_pattern if not _HANGUL.search(each.text)]
        self._lengths = sorted(korean, reverse=True)
        self._begin = {each.text: each for each in english if each.kind == "begin"}
        self._end = {each.text: each for each in english if each.kind == "end"}
        self._within = [each for each in english if each.kind == "within"]

    def knows(self, word: str) -> bool:
        """Return whether an English word is one of the table's."""
        if any(_Pattern(form, "whole") in self.by_pattern for form in _list_forms(word)):
            return True
        return next(self._find_affixes(word, 0), None) is not None

    def find(self, read: _Text) -> list[Found]:
        """Return what the text speaks of: in all its parts, in no longer word of the table and no harmless one."""
        found = list(self._match(read))
        spans = {
            (each.span, each.rank < 0)
            for each in found
            if each.rank >= 0
            or (
                not _LISTED.search(read.folded, each.span.start, each.span.end)
                and not _CONTENTS.match(read.folded, each.span.end)
            )
        }
        harmless = {span for span, is_harmless in spans if is_harmless}
        meant = [
            each
            for each in found
            if each.rank >= 0
            and not _is_absent(read, each.span)
            and not any(span.holds(each.span) for span in harmless)
        ]
        parts = {(each.number, each.part) for each in meant}
        return [
            Found(each.rank, each.name, read.folded[each.span.start : each.span.end])
            for each in meant
            if all(
                (each.number, part) in parts for part in range(len(self.entries[each.number].parts))
            )
            and not any(span.holds(each.span) and span != each.span for span, _ in spans)
        ]

    def _match(self, read: _Text) -> Iterator[_Match]:
        """Yield every word of the table that stands in the text, harmless ones too."""
        spans: dict[_Pattern, list[_Span]] = {}
        for pattern, span in chain(self._match_korean(read), self._match_english(read)):
            spans.setdefault(pattern, []).append(span)
        for number in {number for pattern in spans for number in self.by_pattern[pattern]}:
            entry = self.entries[number]
            found = [
                [span for each in part for span in spans.get(each, ())] for part in entry.parts
            ]
            if all(found):
                for place, of_part in enumerate(found):
                    for span in of_part:
                        yield _Match(entry.rank, entry.name, span, number, place)

    def _match_korean(self, read: _Text) -> Iterator[tuple[_Pattern, _Span]]:
        letters = read.letters
        for start in range(len(letters)):
            for length in self._lengths:
                word, end = letters[start : start + length], start + length
                if end > len(letters) or not _is_one_word(read, start, end):
                    continue
                span = _Span(read.places[start], read.places[end - 1] + 1)
                for kind in ("anywhere", "syllable", "end", "last"):
                    pattern = _Pattern(word, kind)
                    if pattern in self.by_pattern and _stands(read, kind, start, end):
                        yield pattern, span

    def _match_english(self, read: _Text) -> Iterator[tuple[_Pattern, _Span]]:
        tokens = read.tokens
        plain = [each.group() for each in tokens]
        for start in range(len(tokens)):
            for stop in range(start + 1, min(start + _LONGEST_PHRASE, len(tokens)) + 1):
                joined = "".join(plain[start:stop])
                span = _Span(tokens[start].start(), tokens[stop - 1].end())
                for word in _list_forms(joined):
                    for kind in ("whole", "last") if stop == len(tokens) else ("whole",):
                        if (pattern := _Pattern(word, kind)) in self.by_pattern:
                            yield pattern, span
                for pattern in self._find_affixes(joined, len(joined) - len(plain[stop - 1])):
                    yield pattern, span

    def _find_affixes(self, word: str, before_last: int) -> Iterator[_Pattern]:
        """Yield what the word begins with, ends with or holds; its last word follows `before_last` letters."""
        for length in range(max(2, before_last + 1), len(word) + 1):
            if (pattern := self._begin.get(word[:length])) is not None:
                yield pattern
        if before_last:
            return
        for form in _list_forms(word):
            for length in range(2, len(form) + 1):
                if (pattern := self._end.get(form[-length:])) is not None:
                    yield pattern
        yield from (each for each in self._within if each.text in word)


def _is_one_word(read: _Text, start: int, end: int) -> bool:
    """Return whether no lone syllable at a word's end is read together with the next word, or the reverse."""
    if read.begins[start]:
        return True
    cuts = [place for place in range(start + 1, end) if read.begins[place]]
    return not cuts or (cuts[0] - start > 1 and end - cuts[-1] > 1)


def _stands(read: _Text, kind: str, start: int, end: int) -> bool:
    """Return whether the letters stand where a pattern of this kind has to."""
    if kind == "anywhere":
        return True
    if read.begins[start] == (kind == "end"):
        return False
    stop = next(stop for stop in range(end, len(read.begins)) if read.begins[stop])
    if _ENDS_WORD.match(read.letters[end:stop]) is None:
        return False
    if kind != "last" or _DISPOSED.match(read.letters[stop:]):
        return True
    return _LISTED.search(read.folded, read.places[stop - 1], read.places[stop]) is not None


def _list_forms(word: str) -> Sequence[str]:
    """Return the word, and what it may be the plural of."""
    forms = [word]
    if len(word) > 3 and word.endswith("s"):
        forms.append(word[:-1])
        if word.endswith("es"):
            forms.append(word[:-2])
        if word.endswith("ies"):
            forms.append(f"{word[:-3]}y")
    return forms


def _is_absent(read: _Text, span: _Span) -> bool:
    """Return whether the text says that the thing is not there, or only looks like it."""
    if _HANGUL.search(read.folded[span.start : span.end]):
        after, before = read.folded[span.end :], read.folded[: span.start]
        return bool(_ABSENT.match(after) or _ABOUT.match(after) or _PRETENDED.search(before))
    before_it = [each.group() for each in read.tokens if each.end() <= span.start][-2:]
    nearest = next((each for each in reversed(before_it) if each not in _ARTICLES), "")
    return nearest in _WITHOUT or bool(_FREE.match(read.folded, span.end))
