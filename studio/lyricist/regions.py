"""The region of an order, short enough to be sung. Pure."""

import re

from studio.lyricist.meter import syllables_in
from studio.lyricist.singable import singable, without_end_marks
from studio.lyricist.template import HANGUL

MOST_SYLLABLES = 10
KOREAN_NUMBER = re.compile(r"(?<=\s)(?:산\s?)?\d+(?:-\d+)*(?:번지|호|층|(?<=\d{3})동)?,?(?=\s|$)")
ENGLISH_NUMBER = re.compile(
    r"^\d+[a-z]?\s+(?=(?:\w+\s+){1,3}(?:st|street|ave|avenue|rd|road|lane|drive|blvd)\b)", re.I
)


def region_in(text: str) -> str:
    """The region without a house number; of a long one the nearest part, which Korean names last, others first."""
    numbered = singable(text)
    number = KOREAN_NUMBER if HANGUL.search(numbered) else ENGLISH_NUMBER
    region = without_end_marks(" ".join(number.sub("", numbered).split()))
    if syllables_in(region) <= MOST_SYLLABLES:
        return region
    korean = HANGUL.search(region)
    words = region.split() if korean else region.split(",")[0].split()
    while len(words) > 1 and syllables_in(" ".join(words)) > MOST_SYLLABLES:
        words = words[1:] if korean else words[:-1]
    return without_end_marks(" ".join(words))
