"""In which order a song wants its lines, so that many songs of one trade share few of them. Pure."""

import random
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import chain

from studio.lyricist.template import drawn, ways_of_lines

# Of so many songs one is led by a line that can be drawn in one way only, and three by one of three ways.
SONGS_PER_LINE = 400
SONGS_PER_HOOK = 170


class Drawing:
    """Draws the lines of one song by its chance.

    How one template falls depends on the song and on that template only, so a line that is added or changed
    leaves the draw of all others as it was.
    """

    def __init__(self, chance: random.Random) -> None:
        self._song = chance.randbytes(16)

    def shuffled(self, templates: Sequence[str]) -> list[str]:
        """All of the templates, drawn; what can be drawn in many ways is more often near the front."""
        keys = {
            template: self._lot("place", template).random() ** (1 / min(ways_of_lines(template)))
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
        for template in pile:
            ways = ways_of_lines(template)
            if self._lot("lead", template).random() < min(
                way / number for way, number in zip(ways, songs, strict=False)
            ):
                yield template

    def _mixed(self, templates: Sequence[str]) -> list[str]:
        return sorted(templates, key=lambda template: self._lot("place", template).random())

    def _drawn(self, template: str) -> str:
        return drawn(template, self._lot("words", template))

    def _lot(self, use: str, template: str) -> "_Lot":
        return _Lot(blake2b(f"{use} {template}".encode(), key=self._song).digest())


class _Lot:
    """What chance has for one template."""

    def __init__(self, digest: bytes) -> None:
        self._left = int.from_bytes(digest)

    def random(self) -> float:
        """A number from 0 up to 1."""
        return self._below(2**53) / 2**53

    def choice(self, choices: Sequence[str]) -> str:
        """One of the choices."""
        return choices[self._below(len(choices))]

    def _below(self, count: int) -> int:
        self._left, number = divmod(self._left, count)
        return number
