"""The picture that stands for an order, by the names of its files."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Cover:
    """How the names of an order's covers begin: `large` is of the work's full size, `small` is for lists.

    A cover of a later generation, or one that was chosen, has a number after it. The newest is the cover.
    """

    large: str
    small: str

    def large_of(self, names: Iterable[str]) -> str | None:
        """The cover among the names of an order's files, the newest last; None where it has none."""
        return _newest(self.large, names)

    def small_of(self, names: Iterable[str]) -> str | None:
        """The cover for lists among these names; None where the order has none."""
        return _newest(self.small, names)


def _newest(beginning: str, names: Iterable[str]) -> str | None:
    found = None
    for name in names:
        if re.split("[-.]", name, maxsplit=1)[0] == beginning:
            found = name
    return found
