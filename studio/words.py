"""The words of a lyric: which lines are sung, and the stanzas they stand in. Pure."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

SHORTEST_LYRIC = 50
"""Characters."""
SECTION_MARK = re.compile(r"\[[^\[\]]*\]")
SPOKEN = "spoken"
SPOKEN_MARK = re.compile(r"\[\s*(?:spoken|narration|내레이션|나레이션)\b", re.IGNORECASE)
# The first kind that is named wins: a pre-chorus leads to the chorus and is none.
KINDS = {
    "verse": ("pre-chorus", "pre chorus", "prechorus", "프리"),
    "chorus": ("chorus", "hook", "refrain", "drop", "후렴", "코러스"),
    "bridge": ("bridge", "브릿지", "브리지"),
}


@dataclass(frozen=True)
class Stanza:
    """Lines that belong together. `kind` is verse, chorus or bridge; "" where the lyric does not say."""

    kind: str
    lines: tuple[str, ...]


def sung_lines(lyric: str) -> list[str]:
    """The lines of any lyric that are sung: without blank ones and marks such as "[Verse]"."""
    return [line for stanza in stanzas_of(lyric) for line in stanza.lines]


def spoken_line(lyric: str) -> str:
    """What is said over the end of the song: the lines below the first mark such as "[Spoken]", or ""."""
    said = (lines for kind, lines in _stanzas(lyric) if kind == SPOKEN and lines)
    return " ".join(next(said, []))


def stanzas_of(lyric: str) -> tuple[Stanza, ...]:
    """The stanzas of any lyric that are sung; a mark such as "[Chorus 2]" or a blank line begins a new one."""
    return tuple(
        Stanza(kind, tuple(lines)) for kind, lines in _stanzas(lyric) if lines and kind != SPOKEN
    )


def _stanzas(lyric: str) -> Iterator[tuple[str, list[str]]]:
    """The lines of each stanza with its kind. After a spoken one the kind before it holds again."""
    sung = kind = ""
    lines: list[str] = []
    for line in (line.strip() for line in unicodedata.normalize("NFC", lyric).splitlines()):
        if line and not SECTION_MARK.fullmatch(line):
            lines.append(line)
            continue
        if lines:
            yield kind, lines
            lines, kind = [], sung
        if line:
            kind = _kind_of(line)
            sung = sung if kind == SPOKEN else kind
    yield kind, lines


def _kind_of(mark: str) -> str:
    if SPOKEN_MARK.match(mark):
        return SPOKEN
    name = mark.lower()
    return next(
        (kind for kind, names in KINDS.items() if any(word in name for word in names)), "verse"
    )
