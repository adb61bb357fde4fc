"""Dangers that a text in Korean or English names: what may burn, burst, poison or cut.

The table is castad's own. Of several dangers the one of the earlier row counts. A danger counts wherever it stands
in a text: a container, a material or a state beside it changes nothing.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from studio.word_table import Found, WordTable

_COMMON = Path(__file__).with_name("common_words.txt")
_TABLE = WordTable(Path(__file__).with_name("danger_words.csv"))


def dangers_in(text: str, ordinary: frozenset[str] = frozenset()) -> Sequence[Found]:
    """Return the dangers that the text names, the gravest first.

    `ordinary` words, and common ones that look like a danger's name, are no typing errors.
    """
    return _TABLE.found_in(text, ordinary | _common_words())


@cache
def _common_words() -> frozenset[str]:
    return frozenset(_COMMON.read_text("utf-8").split())


def danger_names() -> Sequence[str]:
    """Return the names of all dangers, the gravest first."""
    return _TABLE.names()
