"""The pieces of a line that are sung on one note each. Pure."""

import re
from itertools import pairwise

LONGEST_WORD = 12
SYLLABIC = "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7a3"
WORD = rf"(?:[^\W{SYLLABIC}]|['’](?=\w)){{1,{LONGEST_WORD}}}"
CHUNK = re.compile(rf"\W*(?:[{SYLLABIC}]|{WORD})[^\w\s]*\s*")
VOWELS = re.compile(r"[aeiouyAEIOUY]+")


def syllables_of(line: str) -> list[str]:
    """The pieces of a line that are sung on one note each; joined they are the line again."""
    ends = [match.end() for match in CHUNK.finditer(line)] or [0]
    ends[-1] = len(line)
    return [line[start:end] for start, end in pairwise([0, *ends]) if end > start]


def weight(piece: str) -> int:
    """How many syllables a piece has, about; at least one."""
    return max(1, len(VOWELS.findall(piece)))
