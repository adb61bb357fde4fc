"""The mood that a trade is sung in where the music leaves it open. Pure."""

from studio.lyricist.stock import LIVELY, TENDER

QUIET = frozenset(
    (
        "books",
        "clinic",
        "dental",
        "pharmacy",
        "flower",
        "stay",
        "yoga",
        "beauty",
        "cafe",
        "soup",
        "photo",
    )
)
LOUD = frozenset(("gym", "chicken", "grill", "bar", "snack", "seafood", "car", "academy", "pet"))


def mood_of(trade: str | None) -> str | None:
    """The mood that suits a trade: quiet trades are sung of tenderly, some others are lively by nature."""
    return TENDER if trade in QUIET else LIVELY if trade in LOUD else None
