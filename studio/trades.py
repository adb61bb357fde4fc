"""Which trade a business is in, by words in its name and in what it tells of itself.

A trade is a file in `data/lyrics/ko`, or in `data/lyrics/en`, or in both; docs/content.md says how it is written.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from studio.content import (
    ContentError,
    Line,
    Sections,
    cache_content,
    find_files,
    read_sections,
    read_words,
)

LANGUAGES = ("ko", "en")
OFFERS = ("goods", "service", "treat")
YES_OR_NO = ("taught", "solemn", "mixed")
FIELDS = ("group", "register", "offers", *YES_OR_NO)
WORDS, ENDINGS, MISLEADING = "words", "endings", "misleading"
HEADINGS = (WORDS, ENDINGS, MISLEADING, "titles", "hooks", "verses", "choruses")
COMMON_FILE = re.compile(r"common|calm|frames|(?:group|mood)-.*")
GROUP = "group-"
# What people part words with.
NO_PART_OF_WORD = re.compile(r"[,;/|·、，]")
ENGLISH = re.compile(r"[a-zé -]+")
# Compounds of so many syllables are also written apart.
COMPOUND = 4
# What may follow a word of one syllable, which would otherwise be found inside of many that mean other things.
PARTICLE = "(?:[은는이가을를과와도의만]|으로)?(?![가-힣])"
NEARBY = re.compile(
    r"[^,.;\n]*(?:근처|옆|앞|맞은편|인근|near |next to|opposite|across from)[^,.;\n]*", re.I
)
# The same in a name: a Korean neighbour stands before what the business is, an English one after it.
NEARBY_IN_NAME = re.compile(
    r"^.*(?:근처|옆|앞|맞은편|인근)(?:에|의)?\s+(?=\S)|\b(?:near|next to|opposite|across from)\s.*$",
    re.I,
)
# What a customer may get back or need not pay.
ASIDE = re.compile(
    r"\btax[ -](?:credits?|refunds?|rebates?|relief|incentives?|deductions?|deductible|exempt\w*|free|included)\b"
    r"|\btax claims?\b",
    re.I,
)
# What may follow a name's ending: a branch, or the kind of company.
BRANCH = re.compile(r"[가-힣\d]+점|\(?주\)?|ltd|inc|llc|co|company|limited")


class Register(StrEnum):
    """How a trade is sung of.

    Calm songs are polite and tender and never shout or joke, whatever the music; in the others the music
    decides, and where it leaves the mood open merry trades are lively and gentle ones tender.
    """

    CALM = "calm"
    MERRY = "merry"
    GENTLE = "gentle"
    PLAIN = "plain"


VALUES: Mapping[str, tuple[str, ...]] = {
    "register": tuple(Register),
    "offers": OFFERS,
    **dict.fromkeys(YES_OR_NO, ("yes", "no")),
}


@dataclass(frozen=True)
class Word:
    """A word that tells a trade, and its marks.

    With "?" it decides only where no other does, with "!" it counts in a name only, and with "." only where the
    Korean word ends, but for its particle.
    """

    text: str
    trade: str
    marks: str

    @cached_property
    def length(self) -> float:
        """How much it tells: two letters say as much as one of Hangul."""
        return len(self.text) / 2 if ENGLISH.fullmatch(self.text) else len(self.text)

    @cached_property
    def _bare(self) -> str:
        return self.text.replace(" ", "")

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        text = re.escape(self.text)
        if ENGLISH.fullmatch(self.text):
            return re.compile(rf"(?<![a-zé]){text}(?![a-zé])")
        if len(self.text) >= COMPOUND:
            text = r"\s?".join(map(re.escape, self.text))
        ends = len(self.text) == 1 or "." in self.marks
        return re.compile(text + PARTICLE if ends else text)

    def is_in(self, text: str, without_blanks: str) -> bool:
        """Return whether the text in small letters has it; it is also given without its blanks."""
        return self._bare in without_blanks and bool(self._pattern.search(text))

    def is_end_of(self, text: str) -> bool:
        """Return whether the text in small letters ends in it."""
        return any(found.end() == len(text) for found in self._pattern.finditer(text))


@dataclass(frozen=True)
class Trade:
    """A trade: how it is sung of, what it offers, and how it is recognised.

    An academy may be of a trade that is taught. A name of a solemn one is solemn where its words are. The lines of
    a mixed one are sung among those of its group and of any business, others before them.
    """

    name: str
    group: str
    register: Register
    offers: str
    taught: bool
    solemn: bool
    mixed: bool
    words: tuple[Word, ...]
    endings: tuple[str, ...]
    misleading: tuple[str, ...]


def is_trade_file(name: str) -> bool:
    """Return whether a file of lyrics of this name is that of a trade."""
    return not COMMON_FILE.fullmatch(name)


@cache_content
def get_trades() -> Mapping[str, Trade]:
    """Return all trades by their names, those first whose words go before."""
    order = read_words("trades")["order"]
    files: dict[str, list[Sections]] = {}
    groups: dict[str, list[str]] = {}
    for language in LANGUAGES:
        paths = find_files(f"lyrics/{language}", ".txt")
        groups[language] = [name.removeprefix(GROUP) for name in paths if name.startswith(GROUP)]
        for name, path in paths.items():
            if is_trade_file(name):
                files.setdefault(name, []).append(read_sections(path, HEADINGS, FIELDS))
    rank = {name: number for number, name in enumerate(order, 1)}
    names = sorted(files, key=lambda name: (rank.get(name, 0), name))
    return {name: _read_trade(name, files[name], groups) for name in names}


def get_trade(name: str | None) -> Trade | None:
    """Return the trade of this name, if there is one."""
    return get_trades().get(name or "")


@cache_content
def get_trade_words() -> tuple[Word, ...]:
    """Return the words of all trades."""
    return tuple(word for trade in get_trades().values() for word in trade.words)


@cache_content
def find_trade(name: str, detail: str) -> str | None:
    """Return the trade that the name tells, or else the detail; None where neither does.

    What either says to be nearby tells nothing of the business itself, nor do the taxes that a detail says one
    saves. What a name ends in tells more than what stands before it.
    """
    own = NEARBY_IN_NAME.sub(" ", name)
    named = _find_trade_of_name(own if own.strip() else name)
    if named:
        return named
    word = _find_word(ASIDE.sub(" ", NEARBY.sub(" ", detail)), "!")
    return word.trade if word else None


def _find_trade_of_name(name: str) -> str | None:
    """Return the trade of a name's ending, or else of the word that tells most.

    A longer word that a name ends in goes before, as "study cafe" does before "cafe".
    """
    word, words = _find_word(name, ""), _split_before_branch(name)
    last = f" {words[-1]}" if words else ""
    ending = next(
        (trade.name for trade in get_trades().values() if last.endswith(trade.endings)), None
    )
    if ending is None or (word and word.is_end_of(" ".join(words))):
        return word.trade if word else None
    if ending == "academy":
        return word.trade if word and get_trades()[word.trade].taught else ending
    own = _find_word(last, "")
    return own.trade if own else ending


def _split_before_branch(name: str) -> list[str]:
    """Return a name's words in small letters, but for a branch or a company at its end that tells no trade."""
    words = [word.strip(".,!") for word in name.lower().split()]
    while len(words) > 1 and BRANCH.fullmatch(words[-1]) and not _find_word(words[-1], ""):
        words.pop()
    return words


def _find_word(text: str, ignored: str) -> Word | None:
    """Return the longest word found that is no part of another, of words without an ignored mark."""
    lowered = text.lower()
    without_blanks = "".join(lowered.split())
    found = [word for word in get_trade_words() if word.is_in(lowered, without_blanks)]
    known = [word.text for word in found]
    known += [text for text in _get_misleading() if text in lowered]
    telling = [
        word
        for word in found
        if not (ignored and ignored in word.marks)
        and not any(word.text in other for other in known if other != word.text)
    ]
    ranked = [("?" not in word.marks, word.length) for word in telling]
    return telling[ranked.index(max(ranked))] if telling else None


@cache_content
def _get_misleading() -> tuple[str, ...]:
    return tuple(text for trade in get_trades().values() for text in trade.misleading)


def _read_trade(
    name: str, files: Collection[Sections], groups: Mapping[str, Collection[str]]
) -> Trade:
    values = _read_fields(files, groups)
    words = tuple(Word(text, name, marks) for text, marks in _split_words(files, WORDS))
    if not words:
        raise ContentError(next(iter(files)).path, 1, "a word below [words]", "none")
    ends = [text for text, _ in _split_words(files, ENDINGS)]
    return Trade(
        name,
        values.get("group", ""),
        Register(values.get("register", Register.PLAIN)),
        values.get("offers", OFFERS[0]),
        values.get("taught") == "yes",
        values.get("solemn") == "yes",
        values.get("mixed") == "yes",
        words,
        # An English word has to be the whole last word.
        tuple(f" {text}" if ENGLISH.fullmatch(text) else text for text in ends),
        tuple(text for text, _ in _split_words(files, MISLEADING)),
    )


def _read_fields(
    files: Collection[Sections], groups: Mapping[str, Collection[str]]
) -> dict[str, str]:
    """Return the fields of a trade's files, which have to agree."""
    values: dict[str, str] = {}
    for file in files:
        for field, line in file.fields.items():
            known = VALUES.get(field) or groups[file.path.parent.name]
            if line.text not in known:
                file.refuse(line, f"{field}: one of {', '.join(known)}")
            if values.setdefault(field, line.text) != line.text:
                file.refuse(line, f"{field}: {values[field]}, as in the other language")
    return values


def _split_words(files: Collection[Sections], heading: str) -> Iterator[tuple[str, str]]:
    """Yield the words below a heading with their marks; "_" stands for a blank."""
    for file in files:
        for line in file.lines[heading]:
            for written in line.text.split():
                word = written.rstrip("?!.")
                if not word.strip("_"):
                    file.refuse(Line(written, line.number), "a word before its marks")
                if NO_PART_OF_WORD.search(word):
                    file.refuse(Line(written, line.number), "words parted by blanks alone")
                yield word.replace("_", " ").lower(), written[len(word) :]
