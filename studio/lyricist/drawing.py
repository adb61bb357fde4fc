"""In which order a song wants its lines, so that many songs of one trade share few of them. Pure."""

import random
from collections.abc import Iterator, Sequence
from itertools import chain

from studio.lyricist.template import drawn, ways_of_lines

# Of so many songs one is led by a line that can be drawn in one way only, and three by one of three ways.
SONGS_PER_LINE = 300
SONGS_PER_HOOK = 170


class Drawing:
    """Draws the lines of one song by its chance."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def shuffled(self, templates: Sequence[str]) -> list[str]:
        """All of the templates, drawn; what can be drawn in many ways is more often near the front."""
        keys = {
            template: self._chance.random() ** (1 / min(ways_of_lines(template)))
            for template in templates
        }
        return [self._drawn(template) for template in sorted(keys, key=keys.__getitem__)[::-1]]

    def couplets(self, *piles: Sequence[str]) -> list[str]:
        """All couplets, drawn: those of the first pile lead, then the second's, as often as they may."""
        return self._led(piles, (SONGS_PER_LINE, SONGS_PER_LINE))

    def hooks(self, *piles: Sequence[str]) -> list[str]:
        """As `couplets`; a hook may be in more songs than its answer."""
        return self._led(piles, (SONGS_PER_HOOK, SONGS_PER_LINE))

    def _led(self, piles: Sequence[Sequence[str]], songs: tuple[int, int]) -> list[str]:
        leading = [list(self._leading(pile, songs)) for pile in piles]
        others = [
            template
            for pile, leaders in zip(piles, leading, strict=True)
            for template in pile
            if template not in leaders
        ]
        front = [self._drawn(template) for template in chain(*map(self._mixed, leading))]
        return front + self.shuffled(others)

    def _leading(self, pile: Sequence[str], songs: tuple[int, int]) -> Iterator[str]:
        for couplet in pile:
            ways = ways_of_lines(couplet)
            if self._chance.random() < min(
                way / number for way, number in zip(ways, songs, strict=False)
            ):
                yield couplet

    def _mixed(self, templates: Sequence[str]) -> list[str]:
        return self._chance.sample(templates, len(templates))

    def _drawn(self, template: str) -> str:
        return drawn(template, self._chance)
