"""Dangers that a text in Korean or English names: what may burn, burst, poison or cut.

The table is castad's own. Of several dangers the one of the earlier row counts. A danger counts wherever it stands
in a text: a container, a material or a state beside it changes nothing.
"""

from collections.abc import Sequence
from pathlib import Path

from studio.word_table import Found, WordTable

_TABLE = WordTable(Path(__file__).with_name("danger_words.csv"))


def dangers_in(text: str, ordinary: frozenset[str] = frozenset()) -> Sequence[Found]:
    """Return the dangers that the text names, the gravest first; `ordinary` words are no typing errors."""
    return _TABLE.found_in(text, ordinary)


def danger_names() -> Sequence[str]:
    """Return the names of all dangers, the gravest first."""
    return _TABLE.names()
