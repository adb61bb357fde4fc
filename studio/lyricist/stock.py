"""The shapes in which the lyricist's stock of lines is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

from studio.trades import GROUPS

LIVELY, TENDER = "lively", "tender"
GROUP = "group_"


@dataclass(frozen=True)
class Lines:
    """Couplets for verses and for choruses. See `template` for how they are written."""

    verses: tuple[str, ...]
    choruses: tuple[str, ...]


@dataclass(frozen=True)
class Trade(Lines):
    """The lines of one trade, or of a group of them. Every hook names the business in its first line."""

    hooks: tuple[str, ...]
    titles: tuple[str, ...]


NO_LINES = Trade(verses=(), choruses=(), hooks=(), titles=())


@dataclass(frozen=True)
class Frames:
    """Lines that wait for a fact of an order.

    `plain` has those for any phrase, `goods` for what one is glad of, `service` for what is done for one, `grave`
    for troubles. `quotes` wait for a sentence, `pairs` for two phrases, the second of which is `{more}`.
    """

    plain: tuple[str, ...]
    goods: tuple[str, ...]
    service: tuple[str, ...]
    grave: tuple[str, ...]
    quotes: tuple[str, ...]
    pairs: tuple[str, ...]


@dataclass(frozen=True)
class Stock:
    """All lines of one language.

    Every opening names the region in its only line. `moods` has lines for lively and for tender songs only,
    `common` for all.
    """

    nameless: str
    placeless: str
    pace: float
    seconds_for_two: float
    titles: tuple[str, ...]
    openings: tuple[str, ...]
    frames: Frames
    hooks: tuple[str, ...]
    common: Lines
    moods: Mapping[str, Lines]
    trades: Mapping[str, Trade]
    groups: Mapping[str, Trade]

    def own_lines(self, trade: str | None) -> tuple[Trade, Trade]:
        """The lines of a trade, and those of its group."""
        group = GROUPS.get(trade or "", "")
        return self.trades.get(trade or "", NO_LINES), self.groups.get(group, NO_LINES)


@dataclass(frozen=True)
class Pace:
    """How fast a language is sung, in syllables per second, and from how many seconds on a line is made of two."""

    syllables: float
    seconds_for_two: float


def stock_of(lines: ModuleType, own: Mapping[str, Trade], frames: Frames, pace: Pace) -> Stock:
    """The lines of a module, with those of trades and groups by the names that `lines_in` gives them."""
    groups = {name: trade for name, trade in own.items() if name.startswith(GROUP)}
    return Stock(
        nameless=lines.NAMELESS,
        placeless=lines.PLACELESS,
        pace=pace.syllables,
        seconds_for_two=pace.seconds_for_two,
        titles=lines.TITLES,
        openings=lines.OPENINGS,
        frames=frames,
        hooks=lines.HOOKS,
        common=lines.COMMON,
        moods=lines.MOODS,
        trades={name: trade for name, trade in own.items() if name not in groups},
        groups={name[len(GROUP) :]: trade for name, trade in groups.items()},
    )


def lines_in(modules: Sequence[ModuleType]) -> dict[str, Trade]:
    """Every `Trade` in modules by its name in small letters, as `cafe`, or `group_drink` for that of a group."""
    return {
        name.lower(): lines
        for module in modules
        for name, lines in vars(module).items()
        if isinstance(lines, Trade)
    }
