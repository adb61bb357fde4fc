"""Household waste in Korea: its classes, what a note tells of a thing, and advice by a rule.

The tables below `data/words` are castad's own: situations (those of pipeline_defs/scan/tags.py), dangers (what may
burn, burst, poison or cut), and words that name too little ("cup" alone does not say what it is made of). A danger
counts wherever it stands in a text: a container, a material or a state beside it changes nothing.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from studio.lyricist.particles import add_particle
from studio.word_table import Found, WordTable

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

_WORDS = Path(__file__).parent / "data" / "words"
_TAGS = WordTable(_WORDS / "waste_tags.csv")
_DANGERS = WordTable(_WORDS / "danger_words.csv")
_UNCLEAR = WordTable(_WORDS / "unclear_words.csv")

_KEYS = {"Korean": "ko", "English": "en"}
_LONGEST_REPLY_STEPS = 2


def find_tags(note: str) -> Sequence[str]:
    """Return the situations that the note tells of."""
    return [each.name for each in _TAGS.find_in(note)]


def list_tags() -> Sequence[str]:
    """Return every situation that a note can tell."""
    return _TAGS.names


def find_dangers(text: str, ordinary: frozenset[str] = frozenset()) -> Sequence[Found]:
    """Return the dangers that the text names, the gravest first, which is that of the earliest row.

    `ordinary` words, and common ones that look like a danger's name, are no typing errors.
    """
    return _DANGERS.find_in(text, ordinary | _read_common_words())


@cache
def _read_common_words() -> frozenset[str]:
    return frozenset((_WORDS / "common_words.txt").read_text("utf-8").split())


def list_dangers() -> Sequence[str]:
    """Return the names of all dangers, the gravest first."""
    return _DANGERS.names


def find_question(note: str, language: str) -> str | None:
    """Return what to ask or say about a note that names too little, in "Korean" or "English"; else None."""
    found = _UNCLEAR.find_in(note)
    return _read_questions()[found[0].name][_KEYS[language]] if found else None


@cache
def _read_questions() -> Mapping[str, Mapping[str, str]]:
    with (_WORDS / "unclear_words.csv").open(encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


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
