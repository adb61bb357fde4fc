"""A lyric from a small grammar: the same seed and facts always give the same words. Pure."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from resources.studio.form import grid_for
from resources.studio.genres import choose_genre
from resources.studio.lyricist.particles import Particle, with_particle
from resources.studio.lyricist.verses import ENGLISH, WORDS, Words

SHORTEST_LYRIC = 50
LONGEST_FACT = 24
MOST_FACTS = 4
CHORUS_LENGTH = 4
PLACE = re.compile(r"\{(name|region|fact)(?:\|([^}]+))?\}")


@dataclass(frozen=True)
class Facts:
    """What an order tells of a business. Every text is somebody's own and may hold any character."""

    customer_name: str
    region: str
    detail_region_info: str
    language: str
    genre: str
    duration_seconds: float


@dataclass(frozen=True)
class Lyric:
    """A title and sung lines, one per line of `text`, without blank lines."""

    title: str
    text: str


def write_lyric(seed: str, facts: Facts) -> Lyric:
    """A lyric with one line per sung bar of a song of this genre and length.

    The business is named in every chorus, the region in the first line, and the text has at least
    `SHORTEST_LYRIC` characters.
    """
    words = WORDS.get(facts.language, ENGLISH)
    chance = random.Random("\n".join((seed, facts.customer_name, facts.region)))  # noqa: S311
    values = {
        "name": _one_line(facts.customer_name) or words.nameless,
        "region": _one_line(facts.region) or words.placeless,
    }
    chorus = _chorus(words, values, chance)
    verse = _verse(words, values, facts_in(facts.detail_region_info), chance)
    lines: list[str] = []
    genre, _ = choose_genre(facts.genre)
    for section in grid_for(genre, facts.duration_seconds).sections:
        if section.kind == "verse":
            lines += islice(verse, section.bars)
        elif section.kind == "chorus":
            lines += islice(cycle(chorus), section.bars)
    extra = cycle(chorus[2:] + chorus[:2])
    while len("\n".join(lines)) < SHORTEST_LYRIC:
        lines.append(next(extra))
    return Lyric(_filled(chance.choice(words.titles), values), "\n".join(lines))


def facts_in(detail: str) -> list[str]:
    """The first few phrases of a free description, each short enough to be sung as part of a line."""
    phrases = (_one_line(phrase) for phrase in re.split(r"[,.;!?·|/\n]+", detail))
    return [_shortened(phrase) for phrase in phrases if phrase][:MOST_FACTS]


def _chorus(words: Words, values: Mapping[str, str], chance: random.Random) -> list[str]:
    hooks = chance.sample(words.hooks, CHORUS_LENGTH // 2)
    answers = chance.sample(words.choruses, CHORUS_LENGTH // 2)
    return [_filled(line, values) for pair in zip(hooks, answers, strict=True) for line in pair]


def _verse(
    words: Words, values: Mapping[str, str], facts: Sequence[str], chance: random.Random
) -> Iterator[str]:
    """Endless verse lines: the region, then the facts with plain lines between them."""
    openings = chance.sample(words.openings, len(words.openings))
    frames = cycle(chance.sample(words.facts, len(words.facts)))
    told = iter([_filled(next(frames), {**values, "fact": fact}) for fact in facts])
    plain = cycle(chance.sample(words.verses, len(words.verses)))
    yield _filled(openings[0], values)
    while True:
        yield next(told, None) or next(plain)
        yield next(plain)


def _filled(template: str, values: Mapping[str, str]) -> str:
    """`template` with its places filled; the values themselves are never read as a template."""

    def value_of(place: re.Match[str]) -> str:
        value = values[place[1]]
        particle: Particle | None = place[2]  # type: ignore[assignment]
        return with_particle(value, particle) if particle else value

    return PLACE.sub(value_of, template)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _shortened(phrase: str) -> str:
    """`phrase` cut after the last whole word that fits, or hard where its first word does not."""
    if len(phrase) <= LONGEST_FACT:
        return phrase
    cut = phrase[: LONGEST_FACT + 1].rsplit(" ", 1)[0]
    return cut[:LONGEST_FACT]
