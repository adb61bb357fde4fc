"""How much of each measure every system gets: small counts for the slow ones. Half an hour in all on 2 cores."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Counts:
    """What one system is asked to do."""

    arrivals: int
    """Requests that come one after the other at random moments."""
    gap: float
    """Seconds between them in the mean, exponentially distributed."""
    burst: int
    """Requests that come at once."""
    rounds: int = 1
    """How many bursts."""
    warming: int = 2
    """Requests before all others, which count for nothing."""
    overlap: bool = False
    """Whether the next one comes while the last is still worked on."""
    asleep: int = 0
    """Requests that wait for the provider together while memory is read."""
    crashing: int = 3
    """Requests that are in `song` when the workers are killed."""
    sharing: int = 0
    """Where none are asleep: memory is read before the kill, and divided by so many slots at the provider."""
    history: tuple[int, ...] = (1_000, 10_000, 100_000)
    """Sizes of the ledgers in which requests are looked up."""

    def shrink(self) -> "Counts":
        """Return counts that are just enough to see that everything works."""
        return replace(
            self,
            arrivals=min(self.arrivals, 3),
            burst=min(self.burst, 10),
            rounds=1,
            asleep=min(self.asleep, 20),
            history=(100, 1_000),
        )


COUNTS = {
    "castad-postgres": Counts(arrivals=40, gap=1.5, burst=200, rounds=3, asleep=1000),
    "castad-sqlite": Counts(arrivals=25, gap=1.5, burst=200, asleep=200),
    "chain": Counts(arrivals=40, gap=0.3, burst=200, rounds=3, asleep=200),
    "source-1s": Counts(arrivals=12, gap=5, burst=60, overlap=True, crashing=2, sharing=5),
    "source-10s": Counts(arrivals=12, gap=5, burst=20, overlap=True, crashing=0, warming=1),
    "dagster": Counts(arrivals=4, gap=4, burst=6, sharing=3, warming=1),
}
