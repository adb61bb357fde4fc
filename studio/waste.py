"""Household waste in Korea: its classes, the thing that a note names, what it tells, and advice by a rule.

The tables below `data/words` are castad's own: things, situations (those of pipeline_defs/scan/disposal_rules.py),
dangers (what may burn, burst, poison or cut), and words that name too little ("cup" alone does not say what it is
made of). A danger counts wherever it stands in a text: a container, a material or a state beside it changes
nothing. A word is a thing's name or another name for it; each stands in one row only. Words that are not
understood may mean another thing: a jar of what is not known may hold anything.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from studio.content import WORDS, read_rows, read_text, read_words
from studio.korean import add_particle
from studio.word_table import Found, Squeezed, WordTable, squeeze

RECYCLABLE = "재활용폐기물"
UNKNOWN = "미분류"
MAJORS = (
    RECYCLABLE,
    "일반종량제폐기물",
    "불연성종량제폐기물",
    "음식물류폐기물",
    "대형폐기물",
    "공사장생활폐기물",
    "생활계유해폐기물",
    UNKNOWN,
)
"""All major classes, UNKNOWN among them: each says which stream a thing goes to."""

MIDDLES = (
    "종이",
    "종이팩",
    "무색페트병",
    "플라스틱류",
    "비닐류",
    "발포합성수지",
    "유리병",
    "금속류",
    "의류및원단",
    "전지",
    "조명제품",
    "전기전자제품",
)
"""The middle classes of RECYCLABLE; that of any other major class has the name of the major one."""

_TAGS = WordTable(WORDS / "waste_tags.csv")
_DANGERS = WordTable(WORDS / "danger_words.csv")
_UNCLEAR = WordTable(WORDS / "unclear_words.csv")

_KEYS = {"Korean": "ko", "English": "en"}
_LONGEST_REPLY_STEPS = 2

TABLE = WORDS / "waste_words.csv"

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

_WHEN_BROKEN = {"유리병": "깨진유리", "조명제품": "깨진전등"}
"""What no longer belongs to its middle class once it is broken."""

_WORD = re.compile(r"[가-힣]+|[^\W_가-힣ㄱ-ㆎ]+")
_ENDINGS = re.compile(
    "(?:이에요|예요|이요|입니다|이랑|하고|으로|에서|인데|이나|까지|처럼|같은|들[이은도을]?"
    "|[은는이가을를도만과와의에로랑요나용째난한된])$"
)
_LONGEST_KNOWN = 12
_LEAST_SYLLABLES, _LEAST_LETTERS = 3, 7
"""So long a name of other words is a thing's own."""
_TOUCHED = re.compile(
    r"묻|젖|배인|밴|쏟|나온|나오는|든|들어|뿌린|뿌려|흘린|붙은|감염|담갔|담근|먹인|바른|발린|칠한|오염|노출|쓰던|쓴"
    r"|불에 탄|그을"
    r"|\b(?:soaked|stained|covered|contaminated|infested|infected|treated|dipped|with|full|of|coated|from|used|in|exposed"
    r"|burnt|burned|charred|scorched|melted)\b"
)
"""These say that something is in or on a thing, which then counts."""


def find_tags(note: str) -> Sequence[str]:
    """Return the situations that the note tells of."""
    return [each.name for each in _TAGS.find_in(note)]


def find_dangers(text: str, ordinary: frozenset[str] = frozenset()) -> Sequence[Found]:
    """Return the dangers that the text names, the gravest first, which is that of the earliest row.

    `ordinary` words, and common ones that look like a danger's name, are no typing errors.
    """
    return _DANGERS.find_in(text, ordinary | _read_list("common_words"))


@cache
def _read_list(name: str) -> frozenset[str]:
    """Return a file's words: `general_words` say what is in a thing, or what it is made of."""
    return frozenset(read_text(WORDS / f"{name}.txt").split())


def list_dangers() -> Sequence[str]:
    """Return the names of all dangers, the gravest first."""
    return _DANGERS.names


def find_question(note: str, language: str) -> str | None:
    """Return what to ask or say about a note that names too little, in "Korean" or "English"; else None."""
    found = _UNCLEAR.find_in(note)
    return _read_questions()[found[0].name][_KEYS[language]] if found else None


@cache
def _read_questions() -> Mapping[str, Mapping[str, str]]:
    return {row["name"]: row for row in read_rows(WORDS / "unclear_words.csv")}


@dataclass(frozen=True)
class Advice:
    """The steps in order, what has to be done first, and a reply of at most three sentences."""

    steps: Sequence[str]
    insufficiencies: Sequence[str]
    reply: str


def advise(
    rule: Mapping[str, Any],
    thing: str | None,
    tags: Sequence[str],
    language: str,
    elsewhere: Sequence[int] = (),
) -> Advice:
    """Return the rule's advice for the thing, in "Korean" or "English".

    `elsewhere` are the places of those of the rule's `not_here` that the thing is.
    """
    key = _KEYS[language]
    name = str(rule["name"][key])
    steps = [str(step) for step in rule["steps"][key]]
    not_here = [rule["not_here"][place] for place in elsewhere]
    first = [f"{each[key]}: {each[f'to_{key}']}" for each in not_here]
    first += [str(each[key]) for each in rule.get("only_if", ()) if each.get("tag") in tags]
    if language == "English":
        opening = f"This is sorted as {name}"
    else:
        # Latin letters are spelled out: PET is said as 페트.
        called = name[:-1] + add_particle(name[-1:], "으로/로")
        opening = f"{f'{thing} 품목은 ' if thing else ''}{called} 분류됩니다"
    sentences = [opening, *(first or steps)[:_LONGEST_REPLY_STEPS]]
    return Advice(steps, first, " ".join(map(_end_sentence, sentences)))


def _end_sentence(text: str) -> str:
    ended = text.strip()
    return ended if ended.endswith((".", "!", "?")) else f"{ended}."


@dataclass(frozen=True, slots=True)
class NamedThing:
    """The class of a thing, its usual name, and the word of the table that named it."""

    major: str
    middle: str
    minor: str
    word: str


class _Match(NamedTuple):
    is_head: bool
    length: int
    end: int
    thing: NamedThing


class _Words(NamedTuple):
    """The table by the words as they are compared; `lengths` are the Korean ones, longest first."""

    korean: Mapping[str, NamedThing]
    english: Mapping[str, NamedThing]
    lengths: Sequence[int]
    most_tokens: int


def find_thing(note: str) -> NamedThing | None:
    """Return the thing that the note names. Of several the longest word counts, then the last.

    What is in or on another thing, or says what it is for, counts only where nothing else is named: "음식물 묻은
    비닐" is film, "노트북 가방" a bag. Broken glass and lamps are no recyclables.
    """
    text = fold(note)
    matches = [*_match_korean(text), *_match_english(text)]
    if not matches:
        return None
    found = max(matches, key=lambda match: match[:3]).thing
    broken = _WHEN_BROKEN.get(found.middle)
    if broken is None or not _BROKEN.search(text):
        return found
    instead = _read_table().korean[broken]
    return NamedThing(instead.major, instead.middle, instead.minor, found.word)


def fold(text: str) -> str:
    """Return the text without the differences of upper case and of how its letters are composed."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def list_words() -> Iterator[NamedThing]:
    """Yield every word of the table."""
    for row in read_rows(TABLE):
        for word in row["words"].split("|"):
            yield NamedThing(row["major"], row["middle"], row["minor"], word)


@cache
def _read_sets() -> Mapping[str, frozenset[str]]:
    """Return the words of `words/waste.toml`, which says what each of them means."""
    return {name: frozenset(words) for name, words in read_words("waste").items()}


@cache
def _read_table() -> _Words:
    korean: dict[str, NamedThing] = {}
    english: dict[str, NamedThing] = {}
    for each in list_words():
        key = fold(each.word)
        if _HANGUL.search(key):
            korean[key.replace(" ", "")] = each
        else:
            english[" ".join(_TOKEN.findall(key))] = each
    lengths = sorted({len(key) for key in korean}, reverse=True)
    return _Words(korean, english, lengths, max(len(key.split()) for key in english))


def _is_seen(letter: str) -> bool:
    return not letter.isspace()


def _match_korean(text: str) -> Iterator[_Match]:
    """Yield the longest word that begins at each letter."""
    squeezed = squeeze(text, _is_seen)
    letters = squeezed.letters
    found = dict(_find_korean(squeezed))
    for start, (end, thing) in found.items():
        is_before = end in found and letters[start:end] not in _read_sets()["materials"]
        is_head = not is_before and not _IN_OR_ON.match(letters, end)
        yield _Match(is_head, end - start, squeezed.places[end - 1] + 1, thing)


def _find_korean(squeezed: Squeezed) -> Iterator[tuple[int, tuple[int, NamedThing]]]:
    """Yield the beginning of each word, its end and the thing."""
    table, letters = _read_table(), squeezed.letters
    for start in range(len(letters)):
        for length in table.lengths:
            word = letters[start : start + length]
            found, end = table.korean.get(word), start + len(word)
            if found is not None and _is_word(squeezed, start, end):
                yield start, (end, found)
                break


def _is_word(squeezed: Squeezed, start: int, end: int) -> bool:
    """Return whether the letters stand for a word: no end of one word with the beginning of the next."""
    letters, _, begins = squeezed
    word = letters[start:end]
    if not begins[start] and any(begins[start + 1 : end]):
        return False
    if word in _read_sets()["last"] and not _AFTER_HEAD.match(letters, end):
        return False
    if len(word) > 1 and word not in _read_sets()["whole"]:
        return True
    return begins[start] and _AFTER_WHOLE.match(_read_rest(squeezed, end)) is not None


def _read_rest(squeezed: Squeezed, end: int) -> str:
    """Return the first letters of what is left of the word, enough to tell a particle."""
    for stop in range(end, end + 4):
        if squeezed.begins[stop]:
            return squeezed.letters[end:stop]
    return squeezed.letters[end : end + 4]


def _match_english(text: str) -> Iterator[_Match]:
    """Yield the longest words that begin at each word."""
    tokens = list(_TOKEN.finditer(text))
    plain = [each.group() for each in tokens]
    found = dict(_find_english(plain))
    for start, (stop, thing) in found.items():
        phrase = plain[start:stop]
        is_before = stop in found and phrase[-1] not in _read_sets()["materials"]
        is_head = not is_before and _is_head(plain, start)
        yield _Match(is_head, len("".join(phrase)), tokens[stop - 1].end(), thing)


def _find_english(tokens: Sequence[str]) -> Iterator[tuple[int, tuple[int, NamedThing]]]:
    table = _read_table()
    for start in range(len(tokens)):
        for stop in range(min(start + table.most_tokens, len(tokens)), start, -1):
            phrase = " ".join(tokens[start:stop])
            found = _look_up(phrase, table.english)
            if found is not None and (phrase not in _read_sets()["last"] or stop == len(tokens)):
                yield start, (stop, found)
                break


def _look_up(phrase: str, english: Mapping[str, NamedThing]) -> NamedThing | None:
    one = phrase.removesuffix("s")
    return english.get(phrase) or english.get(one) or english.get(one.removesuffix("e"))


def _is_head(tokens: Sequence[str], start: int) -> bool:
    """Return whether the words name the thing itself, and not what is in or on it."""
    before = tokens[max(start - 2, 0) : start]
    nearest = next((each for each in reversed(before) if each not in _read_sets()["articles"]), "")
    return nearest not in _read_sets()["with"]


class _Known(NamedTuple):
    """The words that are understood; a stem has any ending."""

    whole: frozenset[str]
    stems: tuple[str, ...]


def find_unknown_words(note: str, thing: NamedThing) -> Sequence[str]:
    """Return the words of the note that are not understood and may say that it is about another thing."""
    if thing.middle in _read_sets()["dangerous"]:
        return []
    text = fold(note)
    written = _WORD.findall(text)
    unknown = [place for place, word in enumerate(written) if not _is_plain(word)]
    if _is_certain(thing) and not _TOUCHED.search(text):
        last = _WORD.findall(fold(thing.word))[-1]
        named_at = max((place for place, word in enumerate(written) if last in word), default=0)
        unknown = [place for place in unknown if place > named_at]
    return [written[place] for place in unknown]


def _is_certain(thing: NamedThing) -> bool:
    """Return whether the thing's name tells what it is, whatever word stands before it."""
    parts = _WORD.findall(fold(thing.word))
    if (
        all(_is_covered(each, _read_list("general_words")) for each in parts)
        or thing.middle in _read_sets()["uncertain"]
    ):
        return False
    if thing.middle in _read_sets()["certain"] or thing.minor in _read_sets()["of-their-own"]:
        return True
    letters = "".join(parts)
    return len(letters) >= (_LEAST_SYLLABLES if _HANGUL.search(letters) else _LEAST_LETTERS)


def _is_plain(word: str) -> bool:
    known = _read_known()
    if not _HANGUL.search(word):
        return word.isdigit() or any(each in known.whole for each in _list_singulars(word))
    return _is_covered(word, known.whole, known.stems)


def _list_singulars(word: str) -> Iterator[str]:
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
        if (start and _ENDINGS.match(word, start)) or word.startswith(stems, start):
            return True
        stops = range(start + 1, min(start + _LONGEST_KNOWN, len(word)) + 1)
        ends.update(stop for stop in stops if word[start:stop] in known)
    return len(word) in ends


@cache
def _read_known() -> _Known:
    plain = fold(read_text(WORDS / "plain_words.txt")).split()
    whole = {each for each in plain if not each.endswith("*")}
    whole.update(part for each in list_words() for part in _WORD.findall(fold(each.word)))
    whole.update(part for each in _read_harmless() for part in _WORD.findall(fold(each)))
    stems = tuple(each[:-1] for each in plain if each.endswith("*"))
    return _Known(frozenset(whole), stems)


def _read_harmless() -> Iterator[str]:
    """Yield what is no danger though it holds one's name, and the words for situations."""
    for name in ("danger_words.csv", "waste_tags.csv"):
        for row in read_rows(WORDS / name):
            if row["name"] == "-" or name == "waste_tags.csv":
                yield from row["words"].split("|")
