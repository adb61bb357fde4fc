"""Finds words of a table in a text in Korean or English, however they are spaced, inflected or mistyped.

A table is a CSV file of names and of the words that stand for them; docs/scan.md says how a word is written. Of
several names the one of the earlier row counts. Rows of `-` are harmless words that hold others; rows of `{name}`
are sets for other rows.
"""

import csv
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, combinations, product
from pathlib import Path
from typing import NamedTuple

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
_LISTED = re.compile(r"[,;/+&·、\n]")
"""What stands between two things of a list, which are no one thing."""
_ARTICLES = frozenset({"a", "an", "any", "its", "the"})
_LONGEST_PHRASE = 4
# Of typing errors, one in a word of this many letters (of a syllable's parts), two in one of twice as many.
_LEAST_JAMO, _LEAST_LETTERS = 7, 6
_TWO_ERRORS = 9
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


class _Match(NamedTuple):
    """A word of the table in the text; `part` is its place among the words of the entry with this number."""

    rank: int
    name: str
    span: _Span
    number: int
    part: int


class _Index(NamedTuple):
    """All patterns by what they are looked up by."""

    entries: Sequence[_Entry]
    by_pattern: Mapping[_Pattern, Sequence[int]]
    lengths: Sequence[int]
    begin: Mapping[str, _Pattern]
    end: Mapping[str, _Pattern]
    within: Sequence[_Pattern]


class _Typos(NamedTuple):
    korean: Mapping[str, frozenset[str]]
    english: Mapping[str, frozenset[str]]


class _Text(NamedTuple):
    """A text as it is compared: Hangul without blanks, and Latin words, each with its places."""

    folded: str
    letters: str
    places: Sequence[int]
    begins: Sequence[bool]
    tokens: Sequence[re.Match[str]]


@dataclass(frozen=True)
class WordTable:
    """A table of words; it is read when it is first asked."""

    file: Path

    def found_in(self, text: str, ordinary: frozenset[str] | None = None) -> Sequence[Found]:
        """Return the names that the text speaks of, by rank; none twice.

        Where `ordinary` is given, words with a typing error or two count as well, unless they are ordinary.
        """
        index = _index(self.file)
        written = _read(text)
        found = _found(written, index)
        if ordinary is not None:
            mended = _mended(written, index, _typos(self.file), ordinary)
            if mended != written.folded:
                found += _found(_read(mended), index)
        by_name: dict[str, Found] = {}
        for each in sorted(found):
            by_name.setdefault(each.name, each)
        return tuple(by_name.values())

    def names(self) -> Sequence[str]:
        """Return all names by rank."""
        return _names(self.file)


@lru_cache(maxsize=512)
def _index_of(words: tuple[str, ...]) -> _Index:
    return _indexed((0, "", _parts(word, {})) for word in words)


def speaks_of(text: str, words: tuple[str, ...]) -> bool:
    """Return whether one of the words stands in the text; they are written as those of a table."""
    return bool(_found(_read(text), _index_of(words)))


def _rows(file: Path) -> Iterator[tuple[int, str, _Parts]]:
    """Yield each row's number, its name and the parts of one of its words."""
    sets: dict[str, list[str]] = {}
    with file.open(encoding="utf-8", newline="") as opened:
        for number, row in enumerate(csv.DictReader(opened)):
            words = row["words"].split("|")
            if _SET.fullmatch(row["name"]):
                sets[row["name"]] = [each for word in words for each in _expanded(word, sets)]
                continue
            for word in words:
                yield number, row["name"], _parts(word, sets)


def _parts(word: str, sets: Mapping[str, Sequence[str]]) -> _Parts:
    """Return what each part of the word may be, with the sets replaced by their members."""
    return tuple(tuple(_expanded(part.strip(), sets)) for part in word.split(" + "))


def _expanded(word: str, sets: Mapping[str, Sequence[str]]) -> Iterator[str]:
    names = _SET.findall(word)
    for members in product(*(sets[name] for name in names)):
        expanded = word
        for name, member in zip(names, members, strict=True):
            expanded = expanded.replace(name, member, 1)
        yield expanded


def _pattern(word: str) -> _Pattern:
    kind = "whole"
    if word.startswith("="):
        word, kind = word[1:], "last"
    elif word.startswith("*"):
        word, kind = word[1:], "within" if word.endswith("*") else "end"
    elif word.endswith("*"):
        kind = "begin"
    folded = _folded(word.rstrip("*"))
    if _HANGUL.search(folded):
        letters = "".join(filter(str.isalnum, folded))
        return _Pattern(letters, kind if kind in ("end", "last") else _korean_kind(letters))
    return _Pattern("".join(_LATIN.findall(folded)), kind)


def _korean_kind(letters: str) -> str:
    return "syllable" if len(letters) == 1 else "anywhere"


def _found(read: _Text, index: _Index) -> list[Found]:
    kept = _kept(read, list(_matches(read, index)), index)
    return [
        Found(each.rank, each.name, read.folded[each.span.start : each.span.end]) for each in kept
    ]


@cache
def _names(file: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for _, name, _ in _rows(file) if name != HARMLESS))


@cache
def _index(file: Path) -> _Index:
    return _indexed(_rows(file))


def _indexed(rows: Iterable[tuple[int, str, _Parts]]) -> _Index:
    entries: list[_Entry] = []
    by_pattern: dict[_Pattern, list[int]] = {}
    for number, name, written in rows:
        parts = tuple(tuple(_pattern(each) for each in part) for part in written)
        for part in parts:
            for pattern in part:
                by_pattern.setdefault(pattern, []).append(len(entries))
        entries.append(_Entry(-1 if name == HARMLESS else number, name, parts))
    korean = {len(each.text) for each in by_pattern if _HANGUL.search(each.text)}
    english = [each for each in by_pattern if not _HANGUL.search(each.text)]
    return _Index(
        entries,
        by_pattern,
        sorted(korean, reverse=True),
        {each.text: each for each in english if each.kind == "begin"},
        {each.text: each for each in english if each.kind == "end"},
        [each for each in english if each.kind == "within"],
    )


@cache
def _typos(file: Path) -> _Typos:
    """Return the names' words by what is left of them after an error or two."""
    korean: set[str] = set()
    english: set[str] = set()
    for _, name, parts in _rows(file):
        if name == HARMLESS:
            continue
        for word in chain.from_iterable(parts):
            letters = _pattern(word).text
            if _HANGUL.search(letters) and len(_jamo(letters)) >= _LEAST_JAMO - 1:
                korean.add(letters)
            english.update(each for each in _LATIN.findall(_folded(word)) if _may_err(each))
    return _Typos(_typo_index(korean, _jamo), _typo_index(english, str))


def _may_err(word: str) -> bool:
    return len(word) >= _LEAST_LETTERS - 1 and not word.isdigit()


def _folded(text: str) -> str:
    """Return the text without differences of case, width and composition, and without invisible letters."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    seen = "".join(each for each in plain if unicodedata.category(each) != "Cf")
    return unicodedata.normalize("NFC", seen)


def _read(text: str) -> _Text:
    folded = _folded(text)
    letters, places, begins = [], [], []
    begin = True
    for place, letter in enumerate(folded):
        if letter.isalnum():
            letters.append(letter)
            places.append(place)
            begins.append(begin)
        begin = not letter.isalnum()
    return _Text(folded, "".join(letters), places, [*begins, True], list(_LATIN.finditer(folded)))


def _matches(read: _Text, index: _Index) -> Iterator[_Match]:
    """Yield every word of the table that stands in the text, harmless ones too."""
    spans: dict[_Pattern, list[_Span]] = {}
    for pattern, span in (*_korean(read, index), *_english(read, index)):
        spans.setdefault(pattern, []).append(span)
    numbers = {number for pattern in spans for number in index.by_pattern[pattern]}
    for number in numbers:
        entry = index.entries[number]
        found = [[span for each in part for span in spans.get(each, ())] for part in entry.parts]
        if all(found):
            for place, of_part in enumerate(found):
                for span in of_part:
                    yield _Match(entry.rank, entry.name, span, number, place)


def _korean(read: _Text, index: _Index) -> Iterator[tuple[_Pattern, _Span]]:
    letters = read.letters
    for start in range(len(letters)):
        for length in index.lengths:
            word, end = letters[start : start + length], start + length
            if end > len(letters) or not _is_one_word(read, start, end):
                continue
            span = _Span(read.places[start], read.places[end - 1] + 1)
            for kind in ("anywhere", "syllable", "end", "last"):
                pattern = _Pattern(word, kind)
                if pattern in index.by_pattern and _stands(read, kind, start, end):
                    yield pattern, span


def _is_one_word(read: _Text, start: int, end: int) -> bool:
    """Return whether no lone syllable at a word's end is read together with the next word, or the reverse."""
    if read.begins[start]:
        return True
    cuts = [place for place in range(start + 1, end) if read.begins[place]]
    return not cuts or (cuts[0] - start > 1 and end - cuts[-1] > 1)


def _stands(read: _Text, kind: str, start: int, end: int) -> bool:
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


def _english(read: _Text, index: _Index) -> Iterator[tuple[_Pattern, _Span]]:
    tokens = read.tokens
    plain = [each.group() for each in tokens]
    for start in range(len(tokens)):
        for stop in range(start + 1, min(start + _LONGEST_PHRASE, len(tokens)) + 1):
            joined = "".join(plain[start:stop])
            span = _Span(tokens[start].start(), tokens[stop - 1].end())
            for word in _singulars(joined):
                for kind in ("whole", "last") if stop == len(tokens) else ("whole",):
                    if (pattern := _Pattern(word, kind)) in index.by_pattern:
                        yield pattern, span
            for pattern in _affixed(joined, index, len(joined) - len(plain[stop - 1])):
                yield pattern, span


def _singulars(word: str) -> Iterable[str]:
    forms = [word]
    if len(word) > 3 and word.endswith("s"):
        forms.append(word[:-1])
        if word.endswith("es"):
            forms.append(word[:-2])
        if word.endswith("ies"):
            forms.append(f"{word[:-3]}y")
    return forms


def _affixed(word: str, index: _Index, before_last: int) -> Iterator[_Pattern]:
    """Yield what the word begins with, ends with or holds; `before_last` letters are of a phrase's other words."""
    for length in range(max(2, before_last + 1), len(word) + 1):
        if (pattern := index.begin.get(word[:length])) is not None:
            yield pattern
    if before_last:
        return
    for form in _singulars(word):
        for length in range(2, len(form) + 1):
            if (pattern := index.end.get(form[-length:])) is not None:
                yield pattern
    yield from (each for each in index.within if each.text in word)


def _kept(read: _Text, found: Sequence[_Match], index: _Index) -> Iterator[_Match]:
    """Yield what is there in all its parts, and in no longer word of the table and no harmless one."""
    spans = {
        (each.span, each.rank < 0)
        for each in found
        if each.rank >= 0 or not _LISTED.search(read.folded, each.span.start, each.span.end)
    }
    harmless = {span for span, is_harmless in spans if is_harmless}
    meant = [
        each
        for each in found
        if each.rank >= 0
        and not _is_absent(read, each.span)
        and not any(_holds(span, each.span) for span in harmless)
    ]
    parts = {(each.number, each.part) for each in meant}
    for each in meant:
        count = len(index.entries[each.number].parts)
        is_whole = all((each.number, part) in parts for part in range(count))
        if is_whole and not any(_holds(span, each.span) and span != each.span for span, _ in spans):
            yield each


def _holds(outer: _Span, inner: _Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _is_absent(read: _Text, span: _Span) -> bool:
    """Return whether the text says that the thing is not there, or only looks like it."""
    if _HANGUL.search(read.folded[span.start : span.end]):
        after, before = read.folded[span.end :], read.folded[: span.start]
        return bool(_ABSENT.match(after) or _ABOUT.match(after) or _PRETENDED.search(before))
    before_it = [each.group() for each in read.tokens if each.end() <= span.start][-2:]
    nearest = next((each for each in reversed(before_it) if each not in _ARTICLES), "")
    return nearest in _WITHOUT or bool(_FREE.match(read.folded, span.end))


def _jamo(word: str) -> str:
    """Return the parts of the syllables; sounds that are often written for each other are one."""
    return unicodedata.normalize("NFD", word).translate(_SAME_SOUND)


_SAME_SOUND = str.maketrans(
    "\u1101\u1104\u1108\u110a\u110d\u1162\u1164\u116b\u1170\u11bb",
    "\u1100\u1103\u1107\u1109\u110c\u1166\u1168\u116c\u116c\u11ba",
)
"""Doubled consonants as single ones, ae as e, and wae and we as oe."""


def _typo_index(
    words: Iterable[str], parts_of: Callable[[str], str]
) -> Mapping[str, frozenset[str]]:
    made: dict[str, set[str]] = {}
    for word in words:
        for form in _shortened(parts_of(word), 1):
            made.setdefault(form, set()).add(word)
    return {form: frozenset(of) for form, of in made.items()}


def _shortened(parts: str, most: int) -> Iterator[str]:
    """Yield the word, and the word without any one or more of its parts, up to `most`."""
    for left_out in range(most + 1):
        for dropped in combinations(range(len(parts)), left_out):
            yield "".join(part for place, part in enumerate(parts) if place not in dropped)


def _mended(read: _Text, index: _Index, typos: _Typos, ordinary: frozenset[str]) -> str:
    """Return the text with the likely typing errors in the table's words put right."""
    text = read.folded
    for token in reversed(read.tokens):
        word = token.group()
        is_likely = _LEAST_LETTERS - 1 <= len(word) <= _MOST_LETTERS
        if not is_likely or word in ordinary or _is_known(word, index):
            continue
        meant = _parted(word, index, ordinary) or _nearest(word, typos.english, str)
        if meant:
            text = f"{text[: token.start()]}{meant}{text[token.end() :]}"
    for word in _SYLLABLES.findall(text):
        if len(word) <= _MOST_SYLLABLES and word not in ordinary:
            text = text.replace(word, _mended_word(word, index, typos.korean, ordinary))
    return text


def _parted(word: str, index: _Index, ordinary: frozenset[str]) -> str | None:
    """Return the two known words, one of them of the table, that the word is written of without a blank."""
    for place in range(_LEAST_PART, len(word) - _LEAST_PART + 1):
        halves = word[:place], word[place:]
        in_table = [_is_known(each, index) for each in halves]
        known = (found or each in ordinary for found, each in zip(in_table, halves, strict=True))
        if any(in_table) and all(known):
            return " ".join(halves)
    return None


def _is_known(word: str, index: _Index) -> bool:
    if any(_Pattern(form, "whole") in index.by_pattern for form in _singulars(word)):
        return True
    return next(_affixed(word, index, 0), None) is not None


def _mended_word(
    word: str,
    index: _Index,
    typos: Mapping[str, frozenset[str]],
    ordinary: frozenset[str],
) -> str:
    """Return the Korean word with what is nearly a word of the table put right."""
    for length in range(min(len(word), _LONGEST_TYPO), 1, -1):
        for start in range(len(word) - length + 1):
            part = word[start : start + length]
            if part in ordinary or _Pattern(part, "anywhere") in index.by_pattern:
                return word
            meant = _nearest(part, typos, _jamo)
            if meant:
                return f"{word[:start]}{meant}{word[start + length :]}"
    return word


def _nearest(
    word: str, typos: Mapping[str, frozenset[str]], parts_of: Callable[[str], str]
) -> str | None:
    """Return what the word may mean: every word of the table that the fewest errors lead to."""
    likely: dict[int, set[str]] = {}
    for form in _singulars(word):
        parts = parts_of(form)
        most = 2 if len(parts) >= _TWO_ERRORS else 1
        near = {each for short in _shortened(parts, most) for each in typos.get(short, ())}
        for each in near:
            errors = _errors(parts, parts_of(each))
            if _may_mean(parts, parts_of(each), errors):
                likely.setdefault(errors, set()).add(each)
    return " ".join(sorted(likely[min(likely)])) if likely else None


def _may_mean(written: str, meant: str, errors: int) -> bool:
    """Return whether so many errors are likely in a word of this length; in a short one only slips of one kind."""
    shorter = min(len(written), len(meant))
    if written[0] != meant[0] or errors > (2 if shorter >= _TWO_ERRORS else 1):
        return False
    if meant.isascii():
        is_cut_short = len(written) < len(meant) and written[-1] == meant[-1]
        is_exchanged = sorted(written) == sorted(meant)
        return shorter >= _LEAST_LETTERS or is_cut_short or is_exchanged
    return shorter >= _LEAST_JAMO or _consonants(written) == _consonants(meant)


def _consonants(jamo: str) -> str:
    return "".join(each for each in jamo if not "\u1161" <= each <= "\u1175")


def _errors(one: str, other: str) -> int:
    """Return how many letters are missing, added, changed or exchanged with their neighbour."""
    before_last: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        line = [row]
        for column, opposite in enumerate(other, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != opposite))
            exchanged = row > 1 and column > 1 and letter == other[column - 2]
            if exchanged and one[row - 2] == opposite:
                cost = min(cost, before_last[column - 2] + 1)
            line.append(cost)
        before_last, last = last, line
    return last[-1]
