"""In which order a song wants its lines, and which of them it takes. Pure."""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain

from studio.lyricist.singable import count_syllables
from studio.lyricist.template import count_ways, draw, fill, split_couplet

# Of so many songs one is led by a line that can be drawn in one way only, and three by one of three ways.
SONGS_PER_LINE = 400
SONGS_PER_HOOK = 170
# Lines that lean on the one before: "It is softer than…", "대신에 한 번 더…"; and Korean ones that do not end.
LEANING = re.compile(
    r"^(?:And|But|Or|So|Until|It|It's|They|Them|This|That|Then|Share|Hand it|Color it|Finds|Is|Are|Was)\b"
    r"|^(?:그(?:게|런|래서|러면|만큼|보다|대로|걸| )|대신|하지만|저마다|세 번째|두 모금|나머지|이만큼)|그보다"
    r"|(?:고|서|며|도|면|니까|으니|게|도록|채|[을를])$"
)
# So many syllables too few or too many per line are less harm than a line that says nothing of the trade.
GOOD_ENOUGH = 1.5
# A line that leans on another is worse alone than one that is too long.
ALONE = 10.0


@dataclass(frozen=True)
class Meter:
    """The syllables a line should have, and how many more or fewer do no harm."""

    target: float
    slack: float

    def choose(self, lines: Sequence[str]) -> str:
        """Return the line whose length is nearest to the target; there must be one."""
        return min(lines, key=lambda line: abs(count_syllables(line) - self.target))

    def measure_misfit(self, line: str) -> float:
        """Return how many syllables are too many or too few; 0 where the line fits."""
        return max(0.0, abs(count_syllables(line) - self.target) - self.slack)


class Drawing:
    """Draws the lines of one song by its chance.

    How one template falls depends on the song and on that template only, so a line that is added or changed
    leaves the draw of all others as it was.
    """

    def __init__(self, chance: random.Random) -> None:
        self._song = chance.randbytes(16)

    def shuffle(self, templates: Sequence[str]) -> list[str]:
        """Draw all of the templates; what can be drawn in many ways is more often near the front."""
        keys = {
            template: self._lot("place", template).random() ** (1 / min(count_ways(template)))
            for template in templates
        }
        return [self._draw(template) for template in sorted(keys, key=keys.__getitem__)[::-1]]

    def order_couplets(self, *piles: Sequence[str]) -> list[str]:
        """Draw all couplets: those of the first pile lead, then the second's, as often as they may."""
        return self._order(piles, (SONGS_PER_LINE, SONGS_PER_LINE))

    def order_hooks(self, *piles: Sequence[str]) -> list[str]:
        """Draw all hooks, as `order_couplets`; a hook may be in more songs than its answer."""
        return self._order(piles, (SONGS_PER_HOOK, SONGS_PER_LINE))

    def _order(self, piles: Sequence[Sequence[str]], songs: tuple[int, int]) -> list[str]:
        leading = [list(self._find_leaders(pile, songs)) for pile in piles]
        others = [
            template
            for pile, leaders in zip(piles, leading, strict=True)
            for template in pile
            if template not in leaders
        ]
        front = [self._draw(template) for template in chain(*map(self._mix, leading))]
        return front + self.shuffle(others)

    def _find_leaders(self, pile: Sequence[str], songs: tuple[int, int]) -> Iterator[str]:
        for template in pile:
            ways = count_ways(template)
            if self._lot("lead", template).random() < min(
                way / number for way, number in zip(ways, songs, strict=False)
            ):
                yield template

    def _mix(self, templates: Sequence[str]) -> list[str]:
        return sorted(templates, key=lambda template: self._lot("place", template).random())

    def _draw(self, template: str) -> str:
        return draw(template, self._lot("words", template).choice)

    def _lot(self, use: str, template: str) -> "_Lot":
        return _Lot(blake2b(f"{use} {template}".encode(), key=self._song).digest())


class _Lot:
    """What chance has for one template."""

    def __init__(self, digest: bytes) -> None:
        self._left = int.from_bytes(digest)

    def random(self) -> float:
        """Return a number from 0 up to 1."""
        return self._draw_below(2**53) / 2**53

    def choice(self, choices: Sequence[str]) -> str:
        """Return one of the choices."""
        return choices[self._draw_below(len(choices))]

    def _draw_below(self, count: int) -> int:
        self._left, number = divmod(self._left, count)
        return number


class Couplets:
    """The couplets that a song may still sing, as wanted; each, or single line, is taken at most once."""

    def __init__(self, couplets: Sequence[str], values: Mapping[str, str], polite: bool) -> None:
        self._pile = list(couplets)
        self._values = values
        self._polite = polite

    def take(self, meter: Meter, lines: int) -> tuple[str, ...]:
        """Take the first couplet that about fits the meter, else the one that fits it best.

        Of a couplet where only one line is wanted it is the second, if that says something without the first.
        """
        best: tuple[float, int, tuple[str, ...]] | None = None
        for number, couplet in enumerate(self._pile):
            wanted = split_couplet(couplet)[-lines:]
            sung = self._fill(wanted, meter)
            misfit = sum(map(meter.measure_misfit, sung))
            if sung and len(wanted) < len(split_couplet(couplet)) and LEANING.search(sung[0]):
                misfit += ALONE
            if sung and (best is None or misfit < best[0]):
                best = misfit, number, sung
            if best and best[0] <= GOOD_ENOUGH * lines:
                break
        if best is None:
            raise LookupError("no couplet is left that can be sung")
        del self._pile[best[1]]
        return best[2]

    def _fill(self, templates: Iterable[str], meter: Meter) -> tuple[str, ...]:
        """Return the templates' best fillings; nothing where one of them cannot be filled."""
        filled = [fill(template, self._values, self._polite) for template in templates]
        return tuple(map(meter.choose, filled)) if all(filled) else ()
