"""Where a line of words is best broken into rows: at punctuation, not in names, not after "the" or 한. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from studio.camera.typesetting import Measure, ends_well

ENDS_A_ROW_WELL = tuple(",.?!:;…、。，？！：；")
# What a break costs beside the squares of the rows' shares of the width, of which even rows have the smallest sum.
AT_MARK, IN_PHRASE, ENDS_BADLY = -0.3, 4.0, 1.0
# A Korean word of one syllable belongs to the next one: 한 시간, 귀 기울여.
ONE_SYLLABLE = re.compile(r"[가-힣]")


def best_rows(
    words: Sequence[str], rows: int, measure: Measure, width: float, phrases: Sequence[str]
) -> list[tuple[int, int]] | None:
    """The first word and the end of every one of so many rows; None where the words do not fit into so many.

    `words` have the blanks between them. `phrases` are better not broken.
    """
    inside = {*breaks_inside(words, phrases)}
    reached: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, (0,))}
    for _ in range(rows):
        following: dict[int, tuple[float, tuple[int, ...]]] = {}
        for first, (cost, ends) in reached.items():
            for end, share in _shares(words, first, measure, width):
                total = cost + share * share + _cost(words, end, end in inside)
                if end not in following or total < following[end][0]:
                    following[end] = (total, (*ends, end))
        reached = following
    if len(words) not in reached:
        return None
    return list(pairwise(reached[len(words)][1]))


def breaks_inside(words: Sequence[str], phrases: Sequence[str]) -> Iterator[int]:
    """The numbers of the words before which a break would tear a phrase."""
    text = "".join(words)
    spans = [
        match.span()
        for phrase in phrases
        if phrase
        for match in re.finditer(re.escape(phrase), text, re.IGNORECASE)
    ]
    for number, offset in enumerate(accumulate(map(len, words), initial=0)):
        if any(first < offset < last for first, last in spans):
            yield number


def _shares(
    words: Sequence[str], first: int, measure: Measure, width: float
) -> Iterator[tuple[int, float]]:
    """For every row that could begin with a word: where it ends, and how much of the width it fills."""
    for end in range(first + 1, len(words) + 1):
        wide = measure("".join(words[first:end]).strip())
        if wide > width:
            return
        yield end, wide / width


def _cost(words: Sequence[str], end: int, torn: bool) -> float:
    if end == len(words):
        return 0.0
    last = words[end - 1].rstrip()
    at_mark = AT_MARK * last.endswith(ENDS_A_ROW_WELL)
    badly = not ends_well(last) or bool(ONE_SYLLABLE.fullmatch(last))
    return at_mark + IN_PHRASE * torn + ENDS_BADLY * badly
