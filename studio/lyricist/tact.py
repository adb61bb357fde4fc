"""What is not to be sung merrily, and of whom. Pure."""

import re

from studio.trades import NEARBY, trade_of

# What they tell of themselves is as often a trouble of their customers as something one would praise.
TROUBLE_TRADES = frozenset(("clinic", "dental", "pharmacy", "academy", "car", "pet"))
# Grief and quarrels. 상조 is part of other words, as in 영상조명.
SOLEMN = re.compile(
    r"장례|추모|(?<![가-힣])상조|상조(?![가-힣])|납골|봉안|수목장|화장장|장의사|영안실|호스피스|법률|법무|변호사|로펌|소송"
    r"|\b(?:funerals?|mortuary|crematori(?:um|a)|cremations?|memorials?|cemetery|burials?|undertakers?|hospice"
    r"|law|lawyers?|attorneys?|legal|solicitors?|barristers?|notary)\b",
    re.I,
)


def may_be_praised(trade: str | None) -> bool:
    """Whether any fact told of a business of this trade can be called good news."""
    return trade is not None and trade not in TROUBLE_TRADES


def is_solemn(name: str, detail: str) -> bool:
    """Whether the name tells of grief or law, or the detail where the name tells no other trade.

    What the detail says to be nearby does not count.
    """
    own = NEARBY.sub(" ", detail) if trade_of(name, "") is None else ""
    return bool(SOLEMN.search(name) or SOLEMN.search(own))
