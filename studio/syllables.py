"""The pieces of a line that are sung on one note each. Pure.

Hangul goes by its letters, each of which is a syllable; words in Latin letters are split by the rules of English
spelling; a number is one piece; what is left is cut where it grows too long to be shown at once.
"""

import re
import unicodedata
from collections.abc import Iterator, Set
from functools import lru_cache
from itertools import accumulate, chain, pairwise

from studio.singer.numerals import in_hangul

LONGEST_PIECE = 12
LONGEST_SPELLED = 5
SYLLABIC = "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7a3"
NUMBER = rf"\d{{1,{LONGEST_PIECE}}}(?:[.,:]\d{{1,3}}(?!\d))*(?:(?:st|nd|rd|th)\b)?"
LETTER = rf"[^\W\d{SYLLABIC}]"
CHUNK = re.compile(
    rf"\W*(?P<core>[{SYLLABIC}]|{NUMBER}|{LETTER}(?:{LETTER}|['’](?=\w))*)[^\w\s]*\s*"
)
LATIN = re.compile(r"[A-Za-z\u00c0-\u024f'’]+")

V, C = "aeiouyæœø", "[^aeiouyæœø'-]"
MUTE = "-"
"""Stands for an "e" that is written but not spoken."""
NUCLEUS = re.compile(rf"[{V}]+")
GLIDE = re.compile(rf"^y(?=[{V}])|(?<=q)u|(?<=^g)u(?=[eiy])|(?<=[aeioun]g)u(?=e$)")
MUTE_E = re.compile(
    rf"(?<={C})e(?='s$|$)|(?<={C}[^aeiouysxzcgh])es$|(?<=[{V}][^{V}sxzcgh])es$|(?<=[pt]h)es$|(?<=[^{V}td'-])ed$|(?<=[aeo]y)e(?=d$)|(?<=y)e(?='?s?$)"
    rf"|(?<={C})e(?=(?:ly|ful|fully|less|ness)$)|(?:(?<=[cdgkstvz])|(?<=ir))e(?=ments?$)"
)
SPOKEN_LE = re.compile(rf"(?<=[^{V}lrwh'-]l)e(?=(?:'?s|d)?$)")
STEM = re.compile(
    r"^(?:base|bike|cake|care|eye|fire|fore|game|home|hope|house|juke|lake|life|like|live|love|more|name|nine|note|one|place"
    rf"|rose|safe|shore|side|smoke|some|stone|store|there|time|wave|where|white|wine)(?=[^{V}rd'-][^'-])"
)
HIATUS = re.compile(
    rf"(?<=[{V}])(?=ings?$)|(?<=[aeiou]y)(?=[{V}])|(?<=[^{V}]y)(?=[aeiou])|(?<=[^ctsxgln{V}]i)(?=[ao])|(?<=ni)(?=a|o(?!n))|(?<=i)(?=u)"
    r"|(?<=[^l]li)(?=[ao])|(?<=[^uig]u)(?=a|ou|el|et)|(?<=gu)(?=ou|el)|(?<=u)(?=ity|ous)|(?<=[^cgtp]e)(?=o[^u])|(?<=e)(?=um)|(?<=de)(?=o)"
    r"|(?<=cre)(?=at)|(?<=re)(?=act|al[il])|(?<=[rd]e)(?=as?$)|(?<=the)(?=at)|(?<=po)(?=e[mt])"
    r"|(?<=a)(?=o)|(?<=[dbpvr]i)(?=e[nt](?!d))|(?<=qwi)(?=et)|(?<=sci|cli)(?=en)|(?<=i)(?=er$|est$)|(?<=[rlu]u)(?=i[nd])"
)
_ONSETS = """
bl br ch chl chr cl cr dr dw fl fr gh gl gr kr ph phr pl pr qw sc sch scr sh shr sk sl sm sn sp spl spr sqw st str
sw th thr tr tw wh wr
"""
_BY_HEART = """
a-do-be aches aisle al-oe ani-me aren't back-aches bare-foot be-yond blu-est brace-let busi-ness ca-fe
cal-zo-ne chlo-e choc-o-late cli-che court-yard crook-ed drawer drawers eve-ning fa-mi-liar fash-ioned
fi-na-le for-e-ver for-ests gen-tl-est gi-ant gi-ants gua-ca-mo-le head-aches heart-aches how-ev-er hun-dred
ka-ra-o-ke ka-ra-te ko-re-an lat-te may-be more-o-ver ni-ke pi-la-tes por-sche re-ci-pe sauce-pans school-yard
se-sa-me sett-l-ing some-day some-one tooth-aches u-ku-le-le va-cuum wednes-day weren't what-ev-er when-ev-er
wher-ev-er who-ev-er y'all zo-e
"""
ONSETS = frozenset(_ONSETS.split())
BY_HEART = {
    word.replace("-", ""): [len(part) for part in word.split("-")] for word in _BY_HEART.split()
}
EVERY = "every"
POSSESSIVE = re.compile(r"'?s$")
"""Of a plural too."""


def syllables_of(line: str) -> list[str]:
    """The pieces of a line that are sung on one note each; joined they are the line again.

    A piece keeps the blanks and marks after it, the first one also those before it.
    """
    cuts = [0]
    for match in CHUNK.finditer(line):
        first = match.start("core")
        cuts += [first + end for end in _ends(match["core"])]
        cuts[-1] = match.end()
    if len(cuts) == 1:
        return [line] if line else []
    cuts[-1] = len(line)
    return [line[start:end] for start, end in pairwise(cuts)]


@lru_cache(maxsize=4096)
def weight(piece: str) -> int:
    """How many syllables are spoken on a piece: one, but for numbers and the letter W."""
    numbers = re.findall(NUMBER, piece)
    if numbers:
        return sum(len(in_hangul(number)) for number in numbers)
    letters = [character for character in piece if character.isalpha()]
    return 3 if letters == ["W"] else 1


@lru_cache(maxsize=4096)
def _ends(core: str) -> tuple[int, ...]:
    """Where the pieces of a word, a number or a Hangul letter end; a lyric tries the same words over and over."""
    lengths = _lengths(core) if LATIN.fullmatch(core) else [len(core)]
    return tuple(accumulate(chain.from_iterable(map(_fitting, lengths))))


def _fitting(length: int) -> Iterator[int]:
    """A length in parts that can be shown."""
    yield from [LONGEST_PIECE] * ((length - 1) // LONGEST_PIECE)
    yield (length - 1) % LONGEST_PIECE + 1


def _lengths(word: str) -> list[int]:
    """How many letters each syllable of a word in Latin letters has."""
    plain = "".join(_plain(character) for character in word)
    if word.isupper() and 1 < len(word) <= LONGEST_SPELLED and not NUCLEUS.search(plain):
        return [1] * len(word)
    known, ending = BY_HEART.get(plain), ""
    if known is None and (owned := POSSESSIVE.search(plain)):
        known, ending = BY_HEART.get(plain[: owned.start()]), owned[0]
    if known:
        return [*known[:-1], known[-1] + len(ending)]
    if plain.startswith(EVERY):
        rest = _lengths(word[len(EVERY) :]) if len(word) > len(EVERY) else []
        return [2, 3, *rest]
    if re.search(rf"{C}n't$", plain):
        return [*_lengths(word[:-3]), 3]
    spelled = _masked(plain)
    nuclei = _nuclei(spelled)
    cuts = [_cut(spelled, end, start) for (_, end), (start, _) in pairwise(nuclei)]
    return [end - start for start, end in pairwise([0, *cuts, len(word)])]


def _plain(character: str) -> str:
    """The lower case letter without its accent; always one character."""
    letter = unicodedata.normalize("NFD", character)[0].lower()[0]
    return "'" if letter == "’" else letter


def _masked(plain: str) -> str:
    """The word with consonants where a vowel letter stands for one, and a mark where an "e" is mute."""
    spelled = GLIDE.sub(lambda match: "j" if match[0] == "y" else "w", plain)
    spoken = [match.start() for match in SPOKEN_LE.finditer(spelled)]
    mute = [match.start() for match in MUTE_E.finditer(spelled)]
    mute += [match.end() - 1 for match in STEM.finditer(spelled)]
    for place in mute:
        if place not in spoken and NUCLEUS.search(spelled, 0, place):
            spelled = spelled[:place] + MUTE + spelled[place + 1 :]
    return spelled


def _nuclei(spelled: str) -> list[tuple[int, int]]:
    """Where the vowels of each syllable are."""
    breaks = {match.start() for match in HIATUS.finditer(spelled)}
    return [
        part
        for match in NUCLEUS.finditer(spelled)
        for part in pairwise([match.start(), *_inside(match, breaks), match.end()])
    ]


def _inside(match: re.Match[str], places: Set[int]) -> Iterator[int]:
    return (place for place in range(match.start() + 1, match.end()) if place in places)


def _cut(spelled: str, end: int, start: int) -> int:
    """Where the consonants between two vowels are divided: as many begin the second syllable as can."""
    between = spelled[end:start]
    if MUTE in between:
        return end + between.rindex(MUTE) + 1
    if len(between) > 1 and SPOKEN_LE.match(spelled, start):
        return start - (1 if between.endswith("ckl") else 2)
    if between.endswith(("ck", "x")) or (between == "ng" and spelled.startswith("ing", start)):
        return start
    for first in range(len(between) - 1):
        if between[first:] in ONSETS:
            return end + first
    return start - min(1, len(between))
