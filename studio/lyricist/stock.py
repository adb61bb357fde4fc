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
class Stock:
    """All lines of one language.

    Every opening names the region in its only line. Every frame tells a fact that is a phrase: those in `frames`
    any, even a trouble that is cured here, those in `goods_frames` what one is glad of. Every quote tells one
    that is a sentence. `moods` has lines for lively and for tender songs only, `common` for all.
    """

    nameless: str
    placeless: str
    pace: float
    seconds_for_two: float
    titles: tuple[str, ...]
    openings: tuple[str, ...]
    frames: tuple[str, ...]
    goods_frames: tuple[str, ...]
    quotes: tuple[str, ...]
    hooks: tuple[str, ...]
    common: Lines
    moods: Mapping[str, Lines]
    trades: Mapping[str, Trade]
    groups: Mapping[str, Trade]

    def own_lines(self, kind: str | None) -> tuple[Trade, Trade]:
        """The lines of a trade, and those of its group."""
        group = GROUPS.get(kind) if kind else None
        return self.trades.get(kind or "", NO_LINES), self.groups.get(group or "", NO_LINES)


def stock_of(
    lines: ModuleType, trades: Sequence[ModuleType], pace: float, seconds_for_two: float
) -> Stock:
    """The lines of a module, with those of every `Trade` in others by its name in small letters.

    A `GROUP_TABLE` has the lines of the group "table", a `CAFE` those of the trade "cafe".
    `pace` is in syllables per second; a line of `seconds_for_two` or more is made of two.
    """
    named = {
        name.lower(): own
        for module in trades
        for name, own in vars(module).items()
        if isinstance(own, Trade)
    }
    return Stock(
        nameless=lines.NAMELESS,
        placeless=lines.PLACELESS,
        pace=pace,
        seconds_for_two=seconds_for_two,
        titles=lines.TITLES,
        openings=lines.OPENINGS,
        frames=lines.FRAMES,
        goods_frames=lines.GOODS_FRAMES,
        quotes=lines.QUOTES,
        hooks=lines.HOOKS,
        common=lines.COMMON,
        moods=lines.MOODS,
        trades={name: own for name, own in named.items() if not name.startswith(GROUP)},
        groups={name[len(GROUP) :]: own for name, own in named.items() if name.startswith(GROUP)},
    )
