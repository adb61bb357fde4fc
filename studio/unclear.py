"""Questions back for words that name too little: "cup" alone does not say what it is made of.

The table is castad's own.
"""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from studio.word_table import WordTable

_FILE = Path(__file__).with_name("unclear_words.csv")
_TABLE = WordTable(_FILE)
_KEYS = {"Korean": "ko", "English": "en"}


def question_for(note: str, language: str) -> str | None:
    """Return what to ask or say about a note that names too little, in "Korean" or "English"; else None."""
    found = _TABLE.found_in(note)
    return _texts()[found[0].name][_KEYS[language]] if found else None


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    with _FILE.open(encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}
