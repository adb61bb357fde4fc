"""A lyric from lines in files: the same seed and facts always give the same words. Pure."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from studio.genres import choose_genre
from studio.lyricist.facts import Kind, choose_kind, find_facts, get_mood, is_calm
from studio.lyricist.stock import FOLDERS, NO_LINES, TENDER, Lines, Stock, get_stock
from studio.lyricist.telling import Couplets, Drawing, Meter, Telling
from studio.lyricist.template import (
    fill,
    join_lines,
    keep_singable,
    shorten_region,
    strip_end_marks,
)
from studio.timeline import Grid, plan_grid
from studio.trades import find_trade, get_trade
from studio.words import SHORTEST_LYRIC

# From this length on the sung lines have so many characters without the marks.
LONG_SONG_SECONDS = 15
PACE_SLACK = 0.6
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
    facts = replace(facts, trade=trade)
    calm = is_calm(facts.customer_name, facts.detail_region_info, trade)
    stock = get_stock(facts.language, calm)
    polite, mood = (True, TENDER) if calm else (genre.polite, genre.mood)
    for haste in HASTE:
        chance = random.Random("\n".join((seed, facts.customer_name, facts.region)))  # noqa: S311
        writer = Writer(stock, polite, mood or get_mood(trade), facts, haste, chance)
        stanzas = _write_stanzas(writer, grid)
        title, text = writer.write_title(), _join_stanzas(stanzas, writer.name)
        sung = "\n".join(line for _, lines in stanzas for line in lines)
        if len(sung if facts.duration_seconds >= LONG_SONG_SECONDS else text) >= SHORTEST_LYRIC:
            break
    return Lyric(title, text)


def _write_stanzas(writer: "Writer", grid: Grid) -> list[Stanza]:
    """Write what is sung in each section of the song, if anything."""
    stanzas: list[Stanza] = []
    for section in grid.sections:
        seconds = section.bars * grid.bar / max(section.lines, 1)
        lines = writer.write_stanza(section.kind, section.lines, seconds) if section.lines else []
        stanzas.append((section.kind, lines))
    return stanzas


def _join_stanzas(stanzas: Sequence[Stanza], name: str) -> str:
    """Return the sections as a text, of whose marks only those of verses are numbered, and the name to be said."""
    verses, sections = 0, []
    for kind, lines in stanzas:
        verses += kind == "verse"
        mark = f"[{kind.title()} {verses}]" if kind == "verse" else f"[{kind.title()}]"
        sections.append("\n".join([mark, *lines]))
    return "\n\n".join([*sections, f"[Spoken]\n{name}"])


class Writer:
    """Writes the stanzas of one song in their order; the same arguments give the same stanzas.

    With a `haste` above 1 the lines have more syllables than is usual in their language.
    """

    def __init__(
        self,
        stock: Stock,
        polite: bool,
        mood: str | None,
        facts: Facts,
        haste: float,
        chance: random.Random,
    ) -> None:
        trade = get_trade(facts.trade)
        own, group = stock.read_own_lines(trade)
        first, mixed = (NO_LINES, own) if trade and trade.mixed else (own, NO_LINES)
        self._mood, self._polite, self._drawing = mood, polite, Drawing(chance)
        self._korean = stock.folder == FOLDERS["Korean"]
        self._values = {
            "name": strip_end_marks(keep_singable(facts.customer_name)) or stock.nameless,
            "region": shorten_region(facts.region) or stock.placeless,
        }
        self._openings = self._pile(self._drawing.shuffle(stock.common["openings"]))
        self._pace, self._seconds_for_two = haste * stock.pace, stock.seconds_for_two
        self._titles = self._drawing.shuffle(first["titles"])
        self._titles += self._drawing.shuffle(
            [*mixed["titles"], *group["titles"], *stock.common["titles"]]
        )
        hooks = self._drawing.order_hooks(first["hooks"])
        hooks += self._drawing.order_hooks(mixed["hooks"], group["hooks"], stock.common["hooks"])
        self._hooks = self._pile(hooks)
        self._verses, self._choruses = (
            self._order_couplets(stock, (first, mixed, group), kind)
            for kind in ("verses", "choruses")
        )
        self._telling = self._prepare_facts(facts, stock.frames, stock.calm)
        self._hook: tuple[str, ...] = ()
        self._is_opened = self._is_facts_turn = self._is_hook_doubled = False

    @property
    def name(self) -> str:
        """The business as it is sung."""
        return self._values["name"]

    def write_title(self) -> str:
        """Return one of the titles that can be filled with this business."""
        filled = (fill(title, self._values, self._polite) for title in self._titles)
        return next(lines[0] for lines in filled if lines)

    def write_stanza(self, kind: str, lines: int, seconds: float) -> list[str]:
        """Write the next stanza, of lines that last so many seconds each.

        A chorus begins with the hook, the first other stanza with the region. Where a line has time for it, it
        is made of two that belong together; in all choruses or in none, so that the hook stays the same.
        """
        doubled = seconds >= self._seconds_for_two
        if kind == "chorus":
            doubled = self._is_hook_doubled = self._is_hook_doubled if self._hook else doubled
        write = self._write_chorus if kind == "chorus" else self._write_verse
        if not doubled:
            return write(lines, self._measure(seconds))
        parts = write(2 * lines, self._measure(seconds / 2))
        return [join_lines(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]

    def _measure(self, seconds: float) -> Meter:
        return Meter(self._pace * seconds, PACE_SLACK * seconds)

    def _write_verse(self, room: int, meter: Meter) -> list[str]:
        """Write facts and couplets by turns, two lines at a time."""
        lines = [] if self._is_opened else [*self._openings.take(meter, 1)]
        self._is_opened = True
        while room > len(lines):
            left = min(room - len(lines), 2 - len(lines) % 2)
            lines += self._write_verse_lines(left, meter)
        return lines

    def _write_verse_lines(self, room: int, meter: Meter) -> list[str]:
        """Write one line, which tells a fact if there is one, or two: a couplet, or what goes with a fact."""
        facts_turn = self._is_facts_turn or room == 1
        self._is_facts_turn = not facts_turn
        lines = [*self._telling.tell_next(meter, room)] if facts_turn else []
        if not lines:
            return [*self._verses.take(meter, room)]
        return lines + (self._write_verse_lines(1, meter) if len(lines) < room else [])

    def _write_chorus(self, room: int, meter: Meter) -> list[str]:
        """Write the hook and its answer, couplets, and in a long chorus the hook again where one line is left.

        Three lines are the hook and a couplet, so that none stands without what it belongs to.
        """
        self._hook = self._hook or self._hooks.take(meter, 2)
        hook, answer = self._hook
        if room == 2 and not self._is_hook_doubled and self._telling.unused:
            told = self._telling.tell_next(meter, 1)
            if told:
                return [hook, *told]
        lines = [hook] if room in (1, 3) else [hook, answer]
        while room > len(lines):
            left = room - len(lines)
            lines += [hook] if left == 1 and room > 3 else self._choruses.take(meter, min(left, 2))
        return lines

    def _order_couplets(self, stock: Stock, lines: Sequence[Lines], kind: str) -> Couplets:
        """Order the first couplets, then those of trade, group, mood and any business; last other moods'."""
        first, *own = (each[kind] for each in lines)
        moods = {mood: lines[kind] for mood, lines in stock.moods.items()}
        others = [
            couplet for name, lines in moods.items() if name != self._mood for couplet in lines
        ]
        wanted = self._drawing.order_couplets(
            *own, moods.get(self._mood or "", ()), stock.common[kind]
        )
        leading = self._drawing.order_couplets(first)
        return self._pile(leading + wanted + self._drawing.shuffle(others))

    def _prepare_facts(self, facts: Facts, frames: Lines, calm: bool) -> Telling:
        """Return what can be said of the business with tact, and the lines in which it may be."""
        said = set(self._values.values())
        waiting = [
            replace(fact, kind=kind)
            for fact in find_facts(
                facts.detail_region_info, self._values["region"], korean=self._korean
            )
            if fact.text not in said and (kind := choose_kind(fact, facts.trade, calm))
        ]
        phrases = {
            Kind.PLAIN: frames["plain"],
            Kind.GOODS: frames["plain"] + frames["goods"],
            Kind.SERVICE: frames["plain"] + frames["service"],
            Kind.TREAT: frames["plain"] + frames["goods"] + frames["service"],
            Kind.TROUBLE: frames["service"],
            Kind.GRAVE: frames["grave"],
        }
        return Telling(
            waiting,
            {kind: self._drawing.shuffle(lines) for kind, lines in phrases.items()},
            self._drawing.shuffle(frames["quotes"]),
            self._drawing.shuffle(frames["pairs"]),
            self._polite,
        )

    def _pile(self, couplets: list[str]) -> Couplets:
        return Couplets(couplets, self._values, self._polite)
