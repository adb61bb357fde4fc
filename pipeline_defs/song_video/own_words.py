"""The words of a song that a customer gives: how long they may be, and their tidy form. Pure."""

import re

from pipeline_defs.fields import is_visible, normalize_text
from resources.contract.written_text import is_longer_than
from studio.words import list_sung_lines, read_spoken_line

LONGEST_LYRIC = 3000
"""Characters: the smallest limit of Suno's models (docs/vendors/suno.md)."""
MOST_LINES = 120
LONGEST_LINE = 100
"""Characters: what captions can show at once."""
_GAP = re.compile(r"\n{3,}")


def tidy_lyric(text: str) -> str:
    """The lyric with single blanks in a line, at most one blank line between two, and none at its ends.

    Raises ValueError for what is no plain text, has nothing to sing, or has too many or too long lines.
    """
    lines = [_visible(line) for line in normalize_text(text).splitlines()]
    lyric = _GAP.sub("\n\n", "\n".join(lines)).strip("\n")
    sung = list_sung_lines(lyric)
    if text.strip() and not sung:
        raise ValueError("expected at least 1 line to sing")
    if len(sung) > MOST_LINES:
        raise ValueError(f"expected at most {MOST_LINES} lines to sing, got {len(sung)}")
    _refuse_too_long(max(sung, key=len, default=""), "a line")
    _refuse_too_long(read_spoken_line(lyric), "the spoken line")
    return lyric


def _refuse_too_long(line: str, called: str) -> None:
    if is_longer_than(line, LONGEST_LINE):
        raise ValueError(
            f"expected at most {LONGEST_LINE} characters in {called}, got one of {len(line)}"
        )


def _visible(line: str) -> str:
    """The line with single blanks; empty where nothing of it is seen."""
    return " ".join(line.split()) if is_visible(line) else ""
