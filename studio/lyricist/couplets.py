"""The couplets that a song may still sing, in the order in which they are wanted."""

import re
from collections.abc import Iterable, Mapping, Sequence

from studio.lyricist.meter import Meter
from studio.lyricist.template import fillings, lines_of

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


class Couplets:
    """A pile from which each couplet, or single line, is taken at most once."""

    def __init__(self, couplets: Sequence[str], values: Mapping[str, str], polite: bool) -> None:
        self._pile = list(couplets)
        self._values = values
        self._polite = polite

    def take(self, meter: Meter, lines: int) -> tuple[str, ...]:
        """The first couplet that about fits the meter, else the one that fits it best.

        Of a couplet where only one line is wanted it is the second, if that says something without the first.
        """
        best: tuple[float, int, tuple[str, ...]] | None = None
        for number, couplet in enumerate(self._pile):
            wanted = lines_of(couplet)[-lines:]
            sung = self._sung(wanted, meter)
            misfit = sum(map(meter.misfit, sung))
            if sung and len(wanted) < len(lines_of(couplet)) and LEANING.search(sung[0]):
                misfit += ALONE
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
