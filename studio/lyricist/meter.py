"""How long a sung line is, and how long it should be. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from studio.syllables import syllables_of, weight


def syllables_in(line: str) -> int:
    """How many syllables are sung in a line."""
    return sum(weight(piece) for piece in syllables_of(line))


@dataclass(frozen=True)
class Meter:
    """The syllables a line should have, and how many more or fewer do no harm."""

    target: float
    slack: float

    def best(self, fillings: Sequence[str]) -> str:
        """The filling whose length is nearest to the target; there must be one."""
        return min(fillings, key=lambda line: abs(syllables_in(line) - self.target))

    def misfit(self, line: str) -> float:
        """How many syllables too many or too few; 0 where the line fits."""
        return max(0.0, abs(syllables_in(line) - self.target) - self.slack)
