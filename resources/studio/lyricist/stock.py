"""The shapes in which the lyricist's stock of lines is kept."""

from collections.abc import Mapping
from dataclasses import dataclass

LIVELY, TENDER = "lively", "tender"


@dataclass(frozen=True)
class Lines:
    """Couplets for verses and for choruses. See `template` for how they are written."""

    verses: tuple[str, ...]
    choruses: tuple[str, ...]


@dataclass(frozen=True)
class Trade(Lines):
    """The lines of one trade. Every hook names the business in its first line."""

    hooks: tuple[str, ...]
    titles: tuple[str, ...]


@dataclass(frozen=True)
class Stock:
    """All lines of one language.

    Every opening names the region in its only line, every frame tells a fact that is a phrase, every
    quote one that is a sentence; `moods` has lines for lively
    and for tender songs only, `common` for all.
    """

    nameless: str
    placeless: str
    pace: float
    seconds_for_two: float
    titles: tuple[str, ...]
    openings: tuple[str, ...]
    frames: tuple[str, ...]
    quotes: tuple[str, ...]
    hooks: tuple[str, ...]
    common: Lines
    moods: Mapping[str, Lines]
    trades: Mapping[str, Trade]
