"""The couplets that a song may still sing, in the order in which they are wanted."""

from collections.abc import Iterable, Mapping, Sequence

from studio.lyricist.meter import Meter
from studio.lyricist.template import fillings, lines_of

# So many syllables too few or too many per line are less harm than a line that says nothing of the trade.
GOOD_ENOUGH = 1.5


class Couplets:
    """A pile from which each couplet, or single line, is taken at most once."""

    def __init__(self, couplets: Sequence[str], values: Mapping[str, str], polite: bool) -> None:
        self._pile = list(couplets)
        self._values = values
        self._polite = polite

    def take(self, meter: Meter, lines: int) -> tuple[str, ...]:
        """The first couplet that about fits the meter, else the one that fits it best.

        Of a couplet where only one line is wanted it is the second, which is always a whole sentence or image.
        """
        best: tuple[float, int, tuple[str, ...]] | None = None
        for number, couplet in enumerate(self._pile):
            sung = self._sung(lines_of(couplet)[-lines:], meter)
            misfit = sum(map(meter.misfit, sung))
            if sung and (best is None or misfit < best[0]):
                best = misfit, number, sung
            if best and best[0] <= GOOD_ENOUGH * lines:
                break
        if best is None:
            raise LookupError("no couplet is left that can be sung")
        del self._pile[best[1]]
        return best[2]

    def _sung(self, templates: Iterable[str], meter: Meter) -> tuple[str, ...]:
        """The templates' best fillings; nothing where one of them cannot be filled."""
        filled = [fillings(template, self._values, self._polite) for template in templates]
        return tuple(map(meter.best, filled)) if all(filled) else ()
