"""One song's words, stanza by stanza: what has been sung, and what comes next."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from studio.lyricist.facts import find_facts
from studio.lyricist.piles import Couplets, Drawing, Meter
from studio.lyricist.singable import keep_singable, shorten_region, strip_end_marks
from studio.lyricist.stock import FOLDERS, Frames, Lines, Stock
from studio.lyricist.tact import Kind, choose_kind
from studio.lyricist.telling import Telling, Waiting
from studio.lyricist.template import fill, join_lines
from studio.trades import get_trade

PACE_SLACK = 0.6


@dataclass(frozen=True)
class Business:
    """What an order says of a business, in the customer's own words, and which trade it is in."""

    name: str
    region: str
    detail: str
    trade: str | None


class Writer:
    """Writes the stanzas of one song in their order; the same arguments give the same stanzas.

    With a `haste` above 1 the lines have more syllables than is usual in their language.
    """

    def __init__(
        self,
        stock: Stock,
        polite: bool,
        mood: str | None,
        business: Business,
        haste: float,
        chance: random.Random,
    ) -> None:
        trade = get_trade(business.trade)
        own, group = stock.read_own_lines(trade)
        first, mixed = (Lines(), own) if trade and trade.mixed else (own, Lines())
        self._mood, self._polite, self._drawing = mood, polite, Drawing(chance)
        self._korean = stock.folder == FOLDERS["Korean"]
        self._values = {
            "name": strip_end_marks(keep_singable(business.name)) or stock.nameless,
            "region": shorten_region(business.region) or stock.placeless,
        }
        self._openings = self._pile(self._drawing.shuffle(stock.common.openings))
        self._pace, self._seconds_for_two = haste * stock.pace, stock.seconds_for_two
        self._titles = self._drawing.shuffle(first.titles)
        self._titles += self._drawing.shuffle([*mixed.titles, *group.titles, *stock.common.titles])
        hooks = self._drawing.order_hooks(first.hooks)
        hooks += self._drawing.order_hooks(mixed.hooks, group.hooks, stock.common.hooks)
        self._hooks = self._pile(hooks)
        self._verses, self._choruses = (
            self._order_couplets(stock, (first, mixed, group), attrgetter(kind))
            for kind in ("verses", "choruses")
        )
        self._telling = self._prepare_facts(business, stock.frames, stock.calm)
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

    def _order_couplets(
        self, stock: Stock, lines: Sequence[Lines], kind: Callable[[Lines], tuple[str, ...]]
    ) -> Couplets:
        """Order the first couplets, then those of trade, group, mood and any business; last other moods'."""
        first, *own = map(kind, lines)
        moods = {mood: kind(lines) for mood, lines in stock.moods.items()}
        others = [
            couplet for name, lines in moods.items() if name != self._mood for couplet in lines
        ]
        wanted = self._drawing.order_couplets(
            *own, moods.get(self._mood or "", ()), kind(stock.common)
        )
        leading = self._drawing.order_couplets(first)
        return self._pile(leading + wanted + self._drawing.shuffle(others))

    def _prepare_facts(self, business: Business, frames: Frames, calm: bool) -> Telling:
        """Return what can be said of the business with tact, and the lines in which it may be."""
        said = set(self._values.values())
        waiting = [
            Waiting(fact, kind)
            for fact in find_facts(business.detail, self._values["region"], korean=self._korean)
            if fact.text not in said and (kind := choose_kind(fact, business.trade, calm))
        ]
        phrases = {
            Kind.PLAIN: frames.plain,
            Kind.GOODS: frames.plain + frames.goods,
            Kind.SERVICE: frames.plain + frames.service,
            Kind.TREAT: frames.plain + frames.goods + frames.service,
            Kind.TROUBLE: frames.service,
            Kind.GRAVE: frames.grave,
        }
        return Telling(
            waiting,
            {kind: self._drawing.shuffle(lines) for kind, lines in phrases.items()},
            self._drawing.shuffle(frames.quotes),
            self._drawing.shuffle(frames.pairs),
            self._polite,
        )

    def _pile(self, couplets: list[str]) -> Couplets:
        return Couplets(couplets, self._values, self._polite)
