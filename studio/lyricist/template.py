"""The little language in which the stock of lines is written. Pure.

`{name}`, `{region}`, `{fact}` and `{more}`, a second fact, are places for an order's own words; `{name|은/는}`
adds the particle that fits them. `<words>` may be left out, to fit the line's time. `(요)` is sung in the
polite register only, `(예요|야)` is the polite and the plain form. ` / ` parts the two lines of a couplet.
`[one|two]` stands for one of its choices, which is drawn once for a song; a choice may hold all of the other
marks, even ` / `.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import Protocol

from studio.lyricist.capitals import NAMES
from studio.lyricist.particles import final_sound, with_particle

CHOICES = re.compile(r"\[([^\[\]]*)\]")
# Between two choices, not inside of `(예요|야)` or `{name|은/는}`.
BETWEEN_CHOICES = re.compile(r"\|(?![^({]*[)}])")
PLACE = re.compile(r"\{(name|region|fact|more)(?:\|([^}]+))?\}")
OPTION = re.compile(r"<([^<>]*)>")
REGISTER = re.compile(r"\(([^()|]*)(?:\|([^()]*))?\)")
FIRST_WORD = re.compile(r"[^\W\d_]+")
HANGUL = re.compile(r"[가-힣]")
# How a line begins that keeps its capital inside of another, besides the words in `NAMES`.
CAPITAL = re.compile(r"I\b|Monday|Grandma|[A-Z]{2}|[A-Z]\S*\s[A-Z]")
# How a Korean line ends that the next one continues: with a particle, as a condition, before its noun.
LEANING = re.compile(
    r"(?:[고면서게듯도은는이가을를에로와과며만니때땐엔의던한운처럼란인린든진난간온갠된될할갈볼컷]|(?<!햇)살|까지|부터|마다|대로|다가|자마자|으러|"
    r"려고|하나|지만|니까|쯤|[가-힣]{2}히)$"
)
PLAIN_PARTICLES = {"이에요/예요": "이야/야"}


class Chance(Protocol):
    """What draws one of some choices, as `random.Random` does."""

    def choice(self, choices: Sequence[str], /) -> str:
        """One of the choices."""
        ...


def drawn(template: str, chance: Chance) -> str:
    """The template with one of the choices of each bracket."""
    return CHOICES.sub(lambda bracket: chance.choice(BETWEEN_CHOICES.split(bracket[1])), template)


@lru_cache(maxsize=4096)
def ways_of_lines(couplet: str) -> tuple[int, ...]:
    """How many different texts can be drawn of each of its lines."""
    spanning = prod(_choices(bracket) for bracket in CHOICES.findall(couplet) if " / " in bracket)
    apart = CHOICES.sub(lambda bracket: " / " if " / " in bracket[1] else bracket[0], couplet)
    return tuple(spanning * prod(map(_choices, CHOICES.findall(line))) for line in lines_of(apart))


def lines_of(couplet: str) -> tuple[str, ...]:
    """The templates of a couplet's lines."""
    return tuple(couplet.split(" / "))


def fillings(template: str, values: Mapping[str, str], polite: bool) -> list[str]:
    """Every way to sing a template with these values, which are themselves never read as a template.

    None where it wants a particle behind a value whose end has no known reading.
    """
    wanted = {place[1] for place in PLACE.finditer(template) if place[2]}
    if any(final_sound(values[place]) is None for place in wanted):
        return []
    return [_filled(variant, values, polite) for variant in _variants(template, polite)]


def joined(first: str, second: str) -> str:
    """Two lines as one, with a comma where the first is no beginning of the second."""
    if HANGUL.search(second):
        leans = LEANING.search(first) or not HANGUL.search(first[-1])
        return f"{first}{'' if leans else ','} {second}"
    named = FIRST_WORD.match(second)
    kept = CAPITAL.match(second) or (named and named[0] in NAMES)
    lowered = second if kept else second[0].lower() + second[1:]
    return f"{first}{'' if first[-1] in ',.!?' else ','} {lowered}"


def _choices(bracket: str) -> int:
    return len(set(BETWEEN_CHOICES.split(bracket)))


def _filled(variant: str, values: Mapping[str, str], polite: bool) -> str:
    def value_of(place: re.Match[str]) -> str:
        value, particle = values[place[1]], place[2]
        if not particle:
            return value
        return with_particle(value, particle if polite else PLAIN_PARTICLES.get(particle, particle))

    return PLACE.sub(value_of, variant)


@lru_cache(maxsize=4096)
def _variants(template: str, polite: bool) -> tuple[str, ...]:
    """The template in one register, with and without each of its optional parts."""
    spoken = REGISTER.sub(lambda form: form[1] if polite else form[2] or "", template)
    pieces = OPTION.split(spoken)
    choices = [("", piece) if number % 2 else (piece,) for number, piece in enumerate(pieces)]
    return tuple(_tidy("".join(choice)) for choice in product(*choices))


def _tidy(line: str) -> str:
    close = re.sub(r"\s+([,!?.:])", r"\1", " ".join(line.split())).replace(",,", ",").rstrip(",")
    return close[:1].upper() + close[1:]
