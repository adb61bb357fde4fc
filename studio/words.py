"""The words of a lyric: its stanzas, the syllables of a line, and the stress they bear. Pure.

Hangul goes by its letters, each of which is a syllable; words in Latin letters are split and stressed by the rules
of English spelling; a number is one piece; what is left is cut where it grows too long to be shown at once.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, pairwise

from studio.content import cache_content, read_words
from studio.korean import find_numerals, spell_number

SHORTEST_LYRIC = 50
"""Characters."""
SECTION_MARK = re.compile(r"\[[^\[\]]*\]")
SPOKEN = "spoken"
SPOKEN_MARK = re.compile(r"\[\s*(?:spoken|narration|내레이션|나레이션)\b", re.IGNORECASE)
# The first kind that is named wins: a pre-chorus leads to the chorus and is none.
KINDS = {
    "verse": ("pre-chorus", "pre chorus", "prechorus", "프리"),
    "chorus": ("chorus", "hook", "refrain", "drop", "후렴", "코러스"),
    "bridge": ("bridge", "브릿지", "브리지"),
}
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
ONSETS = re.compile(
    r"bl|br|chl?|chr|[cgp][lr]|kr|dr|dw|f[lr]|gh|ph|phr|qw|sch?|scr|shr?|s[klmn]|sp[lr]?|sqw|str?|sw|thr?|tr|tw|wh|wr"
)
EVERY = "every"
POSSESSIVE = re.compile(r"'?s$")
"""Of a plural too."""
STRESSED, LESSER, EVEN, WEAK = 1.0, 0.6, 0.5, 0.0
LATIN_LETTER = re.compile(r"[A-Za-z\u00c0-\u024f]")
NOT_LETTERS = re.compile(r"[^a-z\u00df-\u024f']")
LAST_ENDINGS = re.compile(r"(?:ee|eer|ette|oon|ese|esque|ique|self|selves|teen)$")
BEFORE_ENDING = re.compile(
    r"(?:tions?|sions?|cians?|cial|tial|cious|tious|ics?|ical|ically|ity|ities|ify|ology|ography|graphy|eous|ious"
    r"|ian|ians|ient|ience)$"
)
LONG_ENDINGS = re.compile(
    r"(?:ical|ically|ity|ities|ify|ology|ography|graphy|eous|ious|ian|ians|ient|ience)$"
)
PENULT_ENDING = re.compile(r"[aoi]$")


@dataclass(frozen=True)
class Stanza:
    """Lines that belong together. `kind` is verse, chorus or bridge; "" where the lyric does not say."""

    kind: str
    lines: tuple[str, ...]


def list_sung_lines(lyric: str) -> list[str]:
    """Return the lines of any lyric that are sung, without blank ones and marks such as "[Verse]"."""
    return [line for stanza in read_stanzas(lyric) for line in stanza.lines]


def read_spoken_line(lyric: str) -> str:
    """Return what is said over the song's end: the lines below the first mark such as "[Spoken]", or ""."""
    said = (lines for kind, lines in _split_stanzas(lyric) if kind == SPOKEN and lines)
    return " ".join(next(said, []))


def read_stanzas(lyric: str) -> tuple[Stanza, ...]:
    """Return the stanzas of any lyric that are sung; a mark such as "[Chorus 2]" or a blank line begins one."""
    return tuple(
        Stanza(kind, tuple(lines))
        for kind, lines in _split_stanzas(lyric)
        if lines and kind != SPOKEN
    )


def _split_stanzas(lyric: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each stanza's kind and lines. After a spoken one the kind before it holds again."""
    sung = kind = ""
    lines: list[str] = []
    for line in (line.strip() for line in unicodedata.normalize("NFC", lyric).splitlines()):
        if line and not SECTION_MARK.fullmatch(line):
            lines.append(line)
            continue
        if lines:
            yield kind, lines
            lines, kind = [], sung
        if line:
            kind = _read_kind(line)
            sung = sung if kind == SPOKEN else kind
    yield kind, lines


def _read_kind(mark: str) -> str:
    """Return the kind that a mark names; "verse" where it names none."""
    if SPOKEN_MARK.match(mark):
        return SPOKEN
    name = mark.lower()
    return next(
        (kind for kind, names in KINDS.items() if any(word in name for word in names)), "verse"
    )


@cache_content
def read_spelling() -> dict[str, frozenset[str]]:
    """Read the words that the rules of English spelling get wrong, once."""
    return {name: frozenset(words) for name, words in read_words("spelling").items()}


@cache_content
def _read_divided() -> dict[str, list[int]]:
    """Return how many letters each syllable of the words has that the rules would divide otherwise."""
    words = read_spelling()["syllables"]
    return {word.replace("-", ""): [len(part) for part in word.split("-")] for word in words}


def split_syllables(line: str) -> list[str]:
    """Split a line into the pieces that are sung on one note each; joined they are the line again.

    A piece keeps the blanks and marks after it, the first one also those before it.
    """
    cuts = [0]
    for match in CHUNK.finditer(line):
        first = match.start("core")
        cuts += [first + end for end in _find_ends(match["core"])]
        cuts[-1] = match.end()
    if len(cuts) == 1:
        return [line] if line else []
    cuts[-1] = len(line)
    return [line[start:end] for start, end in pairwise(cuts)]


def count_each(pieces: Sequence[str]) -> list[int]:
    """Count the syllables spoken on each piece of a line."""
    counts = list(map(count_spoken, pieces))
    for at, numeral in find_numerals(pieces).items():
        counts[at] = len(numeral)
    return counts


@lru_cache(maxsize=4096)
def count_spoken(piece: str) -> int:
    """Count the syllables spoken on a piece: one, but for numbers and the letter W."""
    numbers = re.findall(NUMBER, piece)
    if numbers:
        return sum(len(spell_number(number)) for number in numbers)
    letters = [character for character in piece if character.isalpha()]
    return 3 if letters == ["W"] else 1


@lru_cache(maxsize=4096)
def _find_ends(core: str) -> tuple[int, ...]:
    """Return where the pieces of a word end; cached, for a lyric tries the same words over and over."""
    lengths = _measure_syllables(core) if LATIN.fullmatch(core) else [len(core)]
    return tuple(accumulate(chain.from_iterable(map(_split_length, lengths))))


def _split_length(length: int) -> Iterator[int]:
    """Split a length into parts that can be shown."""
    yield from [LONGEST_PIECE] * ((length - 1) // LONGEST_PIECE)
    yield (length - 1) % LONGEST_PIECE + 1


def _measure_syllables(word: str) -> list[int]:
    """Return how many letters each syllable of a word in Latin letters has."""
    plain = "".join(_strip_accent(character) for character in word)
    if word.isupper() and 1 < len(word) <= LONGEST_SPELLED and not NUCLEUS.search(plain):
        return [1] * len(word)
    by_heart = _read_divided()
    known, ending = by_heart.get(plain), ""
    if known is None and (owned := POSSESSIVE.search(plain)):
        known, ending = by_heart.get(plain[: owned.start()]), owned[0]
    if known:
        return [*known[:-1], known[-1] + len(ending)]
    if plain.startswith(EVERY):
        rest = _measure_syllables(word[len(EVERY) :]) if len(word) > len(EVERY) else []
        return [2, 3, *rest]
    if re.search(rf"{C}n't$", plain):
        return [*_measure_syllables(word[:-3]), 3]
    spelled = _mask_spelling(plain)
    nuclei = _find_nuclei(spelled)
    cuts = [_divide_consonants(spelled, end, start) for (_, end), (start, _) in pairwise(nuclei)]
    return [end - start for start, end in pairwise([0, *cuts, len(word)])]


def _strip_accent(character: str) -> str:
    """Return the lower case letter without its accent; always one character."""
    letter = unicodedata.normalize("NFD", character)[0].lower()[0]
    return "'" if letter == "’" else letter


def _mask_spelling(plain: str) -> str:
    """Write consonants where a vowel letter stands for one, and a mark where an "e" is mute."""
    spelled = GLIDE.sub(lambda match: "j" if match[0] == "y" else "w", plain)
    spoken = [match.start() for match in SPOKEN_LE.finditer(spelled)]
    mute = [match.start() for match in MUTE_E.finditer(spelled)]
    mute += [match.end() - 1 for match in STEM.finditer(spelled)]
    for place in mute:
        if place not in spoken and NUCLEUS.search(spelled, 0, place):
            spelled = spelled[:place] + MUTE + spelled[place + 1 :]
    return spelled


def _find_nuclei(spelled: str) -> list[tuple[int, int]]:
    """Return where the vowels of each syllable are."""
    breaks = {match.start() for match in HIATUS.finditer(spelled)}
    return [
        part
        for match in NUCLEUS.finditer(spelled)
        for part in pairwise(
            [match.start(), *sorted(breaks & {*range(match.start() + 1, match.end())}), match.end()]
        )
    ]


def _divide_consonants(spelled: str, end: int, start: int) -> int:
    """Return where the consonants between two vowels divide: as many begin the second syllable as can."""
    between = spelled[end:start]
    if MUTE in between:
        return end + between.rindex(MUTE) + 1
    if len(between) > 1 and SPOKEN_LE.match(spelled, start):
        return start - (1 if between.endswith("ckl") else 2)
    if between.endswith(("ck", "x")) or (between == "ng" and spelled.startswith("ing", start)):
        return start
    for first in range(len(between) - 1):
        if ONSETS.fullmatch(between, first):
            return end + first
    return start - min(1, len(between))


def find_stresses(pieces: Sequence[str], name: str = "") -> list[float]:
    """Return how much stress each piece of a line bears, in [0, 1]; `EVEN` where the language has none.

    Every syllable of the `name`, where the line has it, bears some, so that it gets notes that carry it.
    """
    stresses = [stress for word in _group_words(pieces) for stress in _stress_word(word)]
    first, end = _find_name(pieces, name)
    raised = [STRESSED if stress == EVEN else max(stress, LESSER) for stress in stresses[first:end]]
    return [*stresses[:first], *raised, *stresses[end:]]


def _find_name(pieces: Sequence[str], name: str) -> tuple[int, int]:
    """Return the first piece of the name in the line and the one after it; (0, 0) where it is not there."""
    line, wanted = "".join(pieces).casefold(), name.casefold()
    place = line.find(wanted) if wanted else -1
    if place < 0:
        return 0, 0
    starts = [*accumulate((len(piece.casefold()) for piece in pieces), initial=0)]
    covered = [at for at in range(len(pieces)) if place <= starts[at] < place + len(wanted)]
    return (covered[0], covered[-1] + 1) if covered else (0, 0)


def _group_words(pieces: Sequence[str]) -> Iterator[list[str]]:
    """Yield the pieces of each word; a piece with a blank or a hyphen at its end is the last of one."""
    word: list[str] = []
    for piece in pieces:
        word.append(piece)
        if piece[-1:].isspace() or piece.rstrip()[-1:] in "-–—":
            yield word
            word = []
    if word:
        yield word


def _stress_word(pieces: Sequence[str]) -> list[float]:
    """Return the stress of each piece of one word."""
    text = NOT_LETTERS.sub("", "".join(pieces).lower().replace("’", "'"))
    if not text or not LATIN_LETTER.search(text):
        return [EVEN] * len(pieces)
    if len(pieces) == 1:
        return [WEAK if text in read_spelling()["unstressed"] else STRESSED]
    main = _find_stressed(text.removesuffix("'s"), len(pieces))
    return [
        STRESSED if place == main else LESSER if (place - main) % 2 == 0 else WEAK
        for place in range(len(pieces))
    ]


def _find_stressed(text: str, count: int) -> int:
    """Return the number of the syllable that bears the word's stress."""
    last = count - 1
    if text in read_spelling()["stressed_last"] or (
        LAST_ENDINGS.search(text) and text not in ("coffee", "toffee")
    ):
        return last
    if text in read_spelling()["stressed_second"]:
        return min(1, last)
    if BEFORE_ENDING.search(text) and count > 2:
        return max(0, last - 2 if LONG_ENDINGS.search(text) and count > 3 else last - 1)
    if count > 2 and PENULT_ENDING.search(text):
        return last - 1
    return 0
