"""A lyric from lines in files: the same seed and facts always give the same words. Pure."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from studio.genres import choose_genre
from studio.lyricist.stock import TENDER, get_stock
from studio.lyricist.tact import get_mood, is_calm
from studio.lyricist.writer import Business, Writer
from studio.timeline import Grid, plan_grid
from studio.trades import find_trade
from studio.words import SHORTEST_LYRIC

# From this length on the sung lines have so many characters without the marks.
LONG_SONG_SECONDS = 15
# How much fuller the lines are made, step by step, where the text comes out too short.
HASTE = (1.0, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.6, 1.8)

Stanza = tuple[str, list[str]]
"""A kind of section, and the lines sung in it."""


@dataclass(frozen=True)
class Facts:
    """What an order says of a business. Every text is the customer's own and may hold any character.

    Its trade is found by them, unless `trade` names one.
    """

    customer_name: str
    region: str
    detail_region_info: str
    language: str
    genre: str
    duration_seconds: float
    trade: str | None = None


@dataclass(frozen=True)
class Lyric:
    """A title, and a text: every section's mark, such as "[Intro]" and "[Verse 1]", over what is sung in it."""

    title: str
    text: str


def write_lyric(seed: str, facts: Facts) -> Lyric:
    """Write a lyric with as many lines as the form of a song of this genre and length wants.

    Every chorus begins with the same line, which names the business; nothing else is sung twice but the
    answer to it. The first line names the region; the name is said once more at the end. The text has at least
    `SHORTEST_LYRIC` characters.
    """
    genre, _ = choose_genre(facts.genre)
    grid = plan_grid(genre, facts.duration_seconds)
    trade = facts.trade or find_trade(facts.customer_name, facts.detail_region_info)
    calm = is_calm(facts.customer_name, facts.detail_region_info, trade)
    stock = get_stock(facts.language, calm)
    polite, mood = (True, TENDER) if calm else (genre.polite, genre.mood)
    business = Business(facts.customer_name, facts.region, facts.detail_region_info, trade)
    for haste in HASTE:
        chance = random.Random("\n".join((seed, facts.customer_name, facts.region)))  # noqa: S311
        writer = Writer(stock, polite, mood or get_mood(trade), business, haste, chance)
        stanzas = _write_stanzas(writer, grid)
        title, text = writer.write_title(), _join_stanzas(stanzas, writer.name)
        sung = "\n".join(line for _, lines in stanzas for line in lines)
        if len(sung if facts.duration_seconds >= LONG_SONG_SECONDS else text) >= SHORTEST_LYRIC:
            break
    return Lyric(title, text)


def _write_stanzas(writer: Writer, grid: Grid) -> list[Stanza]:
    """Write what is sung in each section of the song, if anything."""
    stanzas: list[Stanza] = []
    for section in grid.sections:
        seconds = section.bars * grid.bar / max(section.lines, 1)
        lines = writer.write_stanza(section.kind, section.lines, seconds) if section.lines else []
        stanzas.append((section.kind, lines))
    return stanzas


def _join_stanzas(stanzas: Sequence[Stanza], name: str) -> str:
    """Return the sections as a text, and the name to be said at the end."""
    marks = _mark_sections([kind for kind, _ in stanzas])
    sections = ["\n".join([mark, *lines]) for mark, (_, lines) in zip(marks, stanzas, strict=True)]
    return "\n\n".join([*sections, f"[Spoken]\n{name}"])


def _mark_sections(kinds: Sequence[str]) -> Iterator[str]:
    """Yield the mark of each section, such as "[Verse 1]" and "[Chorus]": only verses are numbered."""
    verses = 0
    for kind in kinds:
        verses += kind == "verse"
        yield f"[{kind.title()} {verses}]" if kind == "verse" else f"[{kind.title()}]"
