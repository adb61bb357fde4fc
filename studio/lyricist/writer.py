"""One song's words, stanza by stanza: what has been sung, and what comes next."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.lyricist.couplets import Couplets
from studio.lyricist.drawing import Drawing
from studio.lyricist.facts import facts_in
from studio.lyricist.meter import Meter
from studio.lyricist.regions import region_in
from studio.lyricist.registers import mood_of
from studio.lyricist.singable import singable, without_end_marks
from studio.lyricist.stock import Frames as FrameStock
from studio.lyricist.stock import Stock
from studio.lyricist.tact import Kind, kind_of
from studio.lyricist.telling import Frames, Telling, Waiting
from studio.lyricist.template import fillings, joined
from studio.trades import trade_of

Moods = Mapping[str | None, Sequence[str]]

PACE_SLACK = 0.6


@dataclass(frozen=True)
class Style:
    """How a song speaks: whether it is polite, in which mood, if not that of the trade, and whether it is calm."""

    polite: bool
    mood: str | None = None
    calm: bool = False


@dataclass(frozen=True)
class Business:
    """What an order says of a business; every text is the customer's own."""

    name: str
    region: str
    detail: str


class Writer:
    """Writes the stanzas of one song in their order; the same arguments give the same stanzas.

    With a `haste` above 1 the lines have more syllables than is usual in their language.
    """

    def __init__(
        self, stock: Stock, style: Style, business: Business, haste: float, chance: random.Random
    ) -> None:
        kind = trade_of(business.name, business.detail)
        trade, group = stock.own_lines(kind)
        self._mood = style.mood or mood_of(kind)
        self._polite, self._drawing = style.polite, Drawing(chance)
        self._values = {
            "name": without_end_marks(singable(business.name)) or stock.nameless,
            "region": region_in(business.region) or stock.placeless,
        }
        self._openings = self._pile(self._drawing.shuffled(stock.openings))
        self._pace, self._seconds_for_two = haste * stock.pace, stock.seconds_for_two
        self._titles = self._drawing.shuffled([*trade.titles, *group.titles, *stock.titles])
        self._verses = self._couplets(
            (trade.verses, group.verses),
            stock.common.verses,
            {mood: lines.verses for mood, lines in stock.moods.items()},
        )
        self._choruses = self._couplets(
            (trade.choruses, group.choruses),
            stock.common.choruses,
            {mood: lines.choruses for mood, lines in stock.moods.items()},
        )
        self._hooks = self._pile(self._drawing.hooks(trade.hooks, group.hooks, stock.hooks))
        self._telling = self._facts_of(business.detail, kind, stock.frames, style.calm)
        self._hook: tuple[str, ...] = ()
        self._opened = self._facts_turn = self._doubled_hook = False

    @property
    def name(self) -> str:
        """The business as it is sung."""
        return self._values["name"]

    def title(self) -> str:
        """One of the titles that can be filled with this business."""
        filled = (fillings(title, self._values, self._polite) for title in self._titles)
        return next(lines[0] for lines in filled if lines)

    def stanza(self, kind: str, lines: int, seconds: float) -> list[str]:
        """The next stanza, of lines that last so many seconds each.

        A chorus begins with the hook, the first other stanza with the region. Where a line has time for it, it
        is made of two that belong together; in all choruses or in none, so that the hook stays the same.
        """
        doubled = seconds >= self._seconds_for_two
        if kind == "chorus":
            doubled = self._doubled_hook = self._doubled_hook if self._hook else doubled
        write = self._chorus if kind == "chorus" else self._verse
        if not doubled:
            return write(lines, self._meter(seconds))
        parts = write(2 * lines, self._meter(seconds / 2))
        return [joined(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]

    def _meter(self, seconds: float) -> Meter:
        return Meter(self._pace * seconds, PACE_SLACK * seconds)

    def _verse(self, room: int, meter: Meter) -> list[str]:
        """Facts and couplets by turns, two lines at a time."""
        lines = [] if self._opened else [*self._openings.take(meter, 1)]
        self._opened = True
        while room > len(lines):
            left = min(room - len(lines), 2 - len(lines) % 2)
            lines += self._verse_lines(left, meter)
        return lines

    def _verse_lines(self, room: int, meter: Meter) -> list[str]:
        """One line, which tells a fact if there is one, or two: a couplet, or what goes with a fact."""
        facts_turn = self._facts_turn or room == 1
        self._facts_turn = not facts_turn
        if not (facts_turn and self._telling.waiting):
            return [*self._verses.take(meter, room)]
        lines = [*self._telling.next_lines(meter, room)]
        return lines + (self._verse_lines(1, meter) if len(lines) < room else [])

    def _chorus(self, room: int, meter: Meter) -> list[str]:
        """The hook and its answer, couplets, and in a long chorus the hook again where one line is left.

        Three lines are the hook and a couplet, so that none stands without what it belongs to.
        """
        self._hook = self._hook or self._hooks.take(meter, 2)
        hook, answer = self._hook
        if room == 2 and not self._doubled_hook and self._telling.waiting and self._telling.unused:
            return [hook, *self._telling.next_lines(meter, 1)]
        lines = [hook] if room in (1, 3) else [hook, answer]
        while room > len(lines):
            left = room - len(lines)
            lines += [hook] if left == 1 and room > 3 else self._choruses.take(meter, min(left, 2))
        return lines

    def _couplets(
        self, own: tuple[Sequence[str], ...], common: Sequence[str], moods: Moods
    ) -> Couplets:
        """The couplets of the trade and its group, those of the mood, the common ones; last other moods'."""
        others = [
            couplet for name, lines in moods.items() if name != self._mood for couplet in lines
        ]
        wanted = self._drawing.couplets(*own, moods.get(self._mood, ()), common)
        return self._pile(wanted + self._drawing.shuffled(others))

    def _facts_of(self, detail: str, trade: str | None, frames: FrameStock, calm: bool) -> Telling:
        """What can be said of the business with tact, and the lines in which it may be."""
        said = set(self._values.values())
        waiting = [
            Waiting(fact, kind)
            for fact in facts_in(detail, self._values["region"])
            if fact.text not in said and (kind := kind_of(fact, trade, calm))
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
            Frames(
                {kind: self._drawing.shuffled(lines) for kind, lines in phrases.items()},
                self._drawing.shuffled(frames.quotes),
                self._drawing.shuffled(frames.pairs),
            ),
            self._polite,
        )

    def _pile(self, couplets: list[str]) -> Couplets:
        return Couplets(couplets, self._values, self._polite)
