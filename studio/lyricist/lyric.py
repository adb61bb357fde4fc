"""A lyric from a stock of lines: the same seed and facts always give the same words. Pure."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from studio.form import Grid, grid_for
from studio.genres import Genre, choose_genre
from studio.lyricist.english import CALM_ENGLISH, ENGLISH
from studio.lyricist.korean import CALM_KOREAN, KOREAN
from studio.lyricist.stock import LIVELY, TENDER, Stock
from studio.lyricist.tact import is_to_be_calm
from studio.lyricist.writer import Business, Style, Writer
from studio.words import SHORTEST_LYRIC

# From this length on the sung lines have so many characters without the marks.
LONG_SONG_SECONDS = 15
STOCKS = {"Korean": (KOREAN, CALM_KOREAN), "English": (ENGLISH, CALM_ENGLISH)}
# Friendly and quiet songs are polite to the listener; those that shout are not.
STYLES = {
    "pop": Style(polite=True),
    "ballad": Style(polite=True, mood=TENDER),
    "ambient": Style(polite=True, mood=TENDER),
    "edm": Style(polite=False, mood=LIVELY),
    "rock": Style(polite=False, mood=LIVELY),
    "trot": Style(polite=True, mood=LIVELY),
    "jazz": Style(polite=True, mood=TENDER),
    "hiphop": Style(polite=False, mood=LIVELY),
    "bossa": Style(polite=True, mood=TENDER),
    "acoustic": Style(polite=True, mood=TENDER),
}
CALM_STYLE = Style(polite=True, mood=TENDER, calm=True)
# How much fuller the lines are made, step by step, where the text comes out too short.
HASTE = (1.0, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.6, 1.8)

Stanza = tuple[str, list[str]]
"""A kind of section, and the lines sung in it."""


@dataclass(frozen=True)
class Facts:
    """What an order says of a business. Every text is the customer's own and may hold any character."""

    customer_name: str
    region: str
    detail_region_info: str
    language: str
    genre: str
    duration_seconds: float


@dataclass(frozen=True)
class Lyric:
    """A title, and a text: every section's mark, such as "[Intro]" and "[Verse 1]", over what is sung in it."""

    title: str
    text: str


def write_lyric(seed: str, facts: Facts) -> Lyric:
    """A lyric with as many lines as the form of a song of this genre and length wants.

    Every chorus begins with the same line, which names the business; nothing else is sung twice but the
    answer to it. The first line names the region; the name is said once more at the end. The text has at least
    `SHORTEST_LYRIC` characters.
    """
    genre, _ = choose_genre(facts.genre)
    grid = grid_for(genre, facts.duration_seconds)
    for haste in HASTE:
        writer = _writer(seed, facts, genre, haste)
        stanzas = _stanzas(writer, grid)
        title, text = writer.title(), _text(stanzas, writer.name)
        sung = "\n".join(line for _, lines in stanzas for line in lines)
        if len(sung if facts.duration_seconds >= LONG_SONG_SECONDS else text) >= SHORTEST_LYRIC:
            break
    return Lyric(title, text)


def _writer(seed: str, facts: Facts, genre: Genre, haste: float) -> Writer:
    chance = random.Random("\n".join((seed, facts.customer_name, facts.region)))  # noqa: S311
    business = Business(facts.customer_name, facts.region, facts.detail_region_info)
    stock, style = _manner(facts, genre)
    return Writer(stock, style, business, haste, chance)


def _manner(facts: Facts, genre: Genre) -> tuple[Stock, Style]:
    """In which lines and how to speak: as the genre does, unless the business asks for calm."""
    usual, calm = STOCKS.get(facts.language, STOCKS["English"])
    if is_to_be_calm(facts.customer_name, facts.detail_region_info):
        return calm, CALM_STYLE
    return usual, STYLES[genre.name]


def _stanzas(writer: Writer, grid: Grid) -> list[Stanza]:
    """The sections of the song with what is sung in them, if anything."""
    return [
        (
            section.kind,
            writer.stanza(section.kind, section.lines, section.bars * grid.bar / section.lines),
        )
        if section.lines
        else (section.kind, [])
        for section in grid.sections
    ]


def _text(stanzas: Sequence[Stanza], name: str) -> str:
    """The sections, and the name to be said at the end."""
    marks = _marks([kind for kind, _ in stanzas])
    sections = ["\n".join([mark, *lines]) for mark, (_, lines) in zip(marks, stanzas, strict=True)]
    return "\n\n".join([*sections, f"[Spoken]\n{name}"])


def _marks(kinds: Sequence[str]) -> Iterator[str]:
    """The mark of each section, such as "[Verse 1]" and "[Chorus]": only verses are numbered."""
    verses = 0
    for kind in kinds:
        verses += kind == "verse"
        yield f"[{kind.title()} {verses}]" if kind == "verse" else f"[{kind.title()}]"
