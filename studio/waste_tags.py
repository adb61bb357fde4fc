"""The situation of a thing of waste, as a note in Korean or English tells it.

The table is castad's own; the names of the situations are those of pipeline_defs/scan/tags.py.
"""

from collections.abc import Sequence
from pathlib import Path

from studio.word_table import WordTable

_TABLE = WordTable(Path(__file__).with_name("waste_tags.csv"))


def tags_in(note: str) -> Sequence[str]:
    """Return the situations that the note tells of."""
    return [each.name for each in _TABLE.found_in(note)]


def tag_names() -> Sequence[str]:
    """Return every situation that a note can tell."""
    return _TABLE.names()
