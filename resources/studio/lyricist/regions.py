"""The region of an order, short enough to be sung. Pure."""

from resources.studio.lyricist.meter import syllables_in
from resources.studio.lyricist.singable import singable
from resources.studio.lyricist.template import HANGUL

MOST_SYLLABLES = 10


def region_in(text: str) -> str:
    """The region; of a long one the nearest part, which Korean names last and others name first."""
    region = singable(text)
    if syllables_in(region) <= MOST_SYLLABLES:
        return region
    korean = HANGUL.search(region)
    words = region.split() if korean else region.split(",")[0].split()
    while len(words) > 1 and syllables_in(" ".join(words)) > MOST_SYLLABLES:
        words = words[1:] if korean else words[:-1]
    return " ".join(words)
