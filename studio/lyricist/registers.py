"""How each trade is sung of: calmly, merrily, gently or plainly. Pure."""

from enum import Enum

from studio.lyricist.stock import LIVELY, TENDER
from studio.trades import GROUPS


class Register(Enum):
    """How a trade is sung of.

    Calm songs are polite and tender and never shout or joke, whatever the music; in the others the music
    decides, and where it leaves the mood open merry trades are lively and gentle ones tender.
    """

    CALM = "calm"
    MERRY = "merry"
    GENTLE = "gentle"
    PLAIN = "plain"


TRADES = {
    Register.CALM: (
        "law tax insurance realty clinic dental pharmacy obgyn nursing counseling funeral faith"
    ),
    Register.MERRY: (
        "gym dance martial karaoke pcbang snack chicken seafood grill bar car carwash bike academy pet "
        "kindergarten swim golf moving"
    ),
    Register.GENTLE: (
        "books flower stay yoga beauty cafe soup photo art jewelry studycafe bathhouse wedding optician"
    ),
}
REGISTERS = {trade: register for register, trades in TRADES.items() for trade in trades.split()}
MOODS = {Register.CALM: TENDER, Register.GENTLE: TENDER, Register.MERRY: LIVELY}


def register_of(trade: str | None) -> Register:
    """How a trade is sung of; an unknown one plainly."""
    return REGISTERS.get(trade or "", Register.PLAIN)


def mood_of(trade: str | None) -> str | None:
    """The mood that suits a trade, where the music leaves it open; None where any does."""
    return MOODS.get(register_of(trade))


def is_calm(trade_or_group: str) -> bool:
    """Whether the trade, or every trade of the group, is sung of calmly."""
    members = [trade for trade, group in GROUPS.items() if group == trade_or_group]
    return all(register_of(trade) is Register.CALM for trade in members or [trade_or_group])
