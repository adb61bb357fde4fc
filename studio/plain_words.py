"""Tells which words of a note are not understood: beside the name of an ordinary thing they may mean another one.

A jar of what is not known may hold anything, and a known word may only say what an unknown thing is for. The words
are castad's own, in Korean and English; `*` stands for any ending.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from studio.waste_words import Named, compared, words

_FILE = Path(__file__).with_name("plain_words.txt")
_GENERAL = _FILE.with_name("general_words.txt")
"""A thing that is named by such words alone is what is in it, or what it is made of."""
_TABLES = ("danger_words.csv", "waste_tags.csv")
_WORD = re.compile(r"[가-힣]+|[^\W_가-힣ㄱ-ㆎ]+")
_HANGUL = re.compile("[가-힣]")
_PARTICLES = re.compile(
    "(?:이에요|예요|이요|입니다|이랑|하고|으로|에서|인데|이나|까지|처럼|같은|들[이은도을]?"
    "|[은는이가을를도만과와의에로랑요나용째난한된])$"
)
_DANGEROUS = frozenset({"전지", "조명제품", "생활계유해폐기물"})
_CERTAIN = frozenset({"대형폐기물", "전기전자제품", "의류및원단"})
_UNCERTAIN = frozenset({"음식물류폐기물", "공사장생활폐기물"})
_OF_THEIR_OWN = frozenset(
    {
        "신문지",
        "책",
        "만화책",
        "잡지",
        "공책",
        "인쇄물",
        "장난감",
        "봉제인형",
        "우산",
        "퍼즐",
        "가발",
    }
    | {"선글라스", "베개", "칫솔", "앨범"}
)
"""Furniture, appliances, clothes, print and toys are what they are, whatever word stands before their name."""
_LONGEST = 12
_LEAST_SYLLABLES, _LEAST_LETTERS = 3, 7
"""So long a name of other words is a thing's own."""
_TOUCHED = re.compile(
    r"묻|젖|배인|밴|쏟|나온|나오는|든|들어|뿌린|뿌려|흘린|붙은|감염|담갔|담근|먹인|바른|발린|칠한|오염|노출|쓰던|쓴"
    r"|불에 탄|그을"
    r"|\b(?:soaked|stained|covered|contaminated|infested|infected|treated|dipped|with|full|of|coated|from|used|in|exposed"
    r"|burnt|burned|charred|scorched|melted)\b"
)
"""These say that something is in or on a thing, which then counts."""


class _Known(NamedTuple):
    whole: frozenset[str]
    stems: tuple[str, ...]


def not_understood(note: str, thing: Named) -> Sequence[str]:
    """Return the words of the note that are not understood and may say that it is about another thing."""
    if thing.middle in _DANGEROUS:
        return []
    text = compared(note)
    written = _WORD.findall(text)
    unknown = [place for place, word in enumerate(written) if not _is_plain(word)]
    if _is_certain(thing) and not _TOUCHED.search(text):
        last = _WORD.findall(compared(thing.word))[-1]
        named_at = max((place for place, word in enumerate(written) if last in word), default=0)
        unknown = [place for place in unknown if place > named_at]
    return [written[place] for place in unknown]


def _is_certain(thing: Named) -> bool:
    """Return whether the thing's name tells what it is, whatever word stands before it."""
    parts = _WORD.findall(compared(thing.word))
    if all(_is_covered(each, _general()) for each in parts) or thing.middle in _UNCERTAIN:
        return False
    if thing.middle in _CERTAIN or thing.minor in _OF_THEIR_OWN:
        return True
    letters = "".join(parts)
    return len(letters) >= (_LEAST_SYLLABLES if _HANGUL.search(letters) else _LEAST_LETTERS)


def _is_plain(word: str) -> bool:
    known = _known()
    if not _HANGUL.search(word):
        return word.isdigit() or any(each in known.whole for each in _singulars(word))
    return _is_covered(word, known.whole, known.stems)


def _singulars(word: str) -> Iterator[str]:
    yield word
    if len(word) > 3 and word.endswith("s"):
        yield word[:-1]
        yield word[:-2]


def _is_covered(word: str, known: frozenset[str], stems: tuple[str, ...] = ()) -> bool:
    """Return whether the word is written of known ones, with any particle or a known stem's ending."""
    ends = {0}
    for start in range(len(word)):
        if start not in ends:
            continue
        if (start and _PARTICLES.match(word, start)) or word.startswith(stems, start):
            return True
        stops = range(start + 1, min(start + _LONGEST, len(word)) + 1)
        ends.update(stop for stop in stops if word[start:stop] in known)
    return len(word) in ends


@cache
def _general() -> frozenset[str]:
    return frozenset(_GENERAL.read_text("utf-8").split())


@cache
def _known() -> _Known:
    plain = compared(_FILE.read_text("utf-8")).split()
    whole = {each for each in plain if not each.endswith("*")}
    whole.update(part for each in words() for part in _WORD.findall(compared(each.word)))
    whole.update(part for each in _others() for part in _WORD.findall(compared(each)))
    stems = tuple(each[:-1] for each in plain if each.endswith("*"))
    return _Known(frozenset(whole), stems)


def _others() -> Iterator[str]:
    """Yield what is no danger though it holds one's name, and the words for situations."""
    for name in _TABLES:
        with _FILE.with_name(name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["name"] == "-" or name == "waste_tags.csv":
                    yield from row["words"].split("|")
