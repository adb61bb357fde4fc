"""When what happened to a request, told alike for every system. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

STAGES = ("lyric", "song", "video")


@dataclass(frozen=True)
class Span:
    """One stage of a request, as the database has it; seconds since 1970."""

    began: float
    ended: float | None = None


@dataclass(frozen=True)
class Timeline:
    """A request from its row to its end; what has not happened yet is None. Seconds since 1970.

    `first_op` is when the code of the first stage began to run.
    """

    inserted: float
    first_op: float | None
    stages: Sequence[Span]
    done: float | None

    @property
    def to_first_op(self) -> float | None:
        """Seconds from the row to the first stage's code."""
        return None if self.first_op is None else self.first_op - self.inserted

    @property
    def handovers(self) -> list[float]:
        """Seconds from each stage's end to the next one's begin."""
        pairs = zip(self.stages, self.stages[1:], strict=False)
        return [after.began - before.ended for before, after in pairs if before.ended is not None]

    def compute_overhead(self, working_seconds: float) -> float | None:
        """Return the seconds from the row to the end, less `working_seconds`; None before the end."""
        return None if self.done is None else self.done - self.inserted - working_seconds

    def find_begin_since(self, moment: float) -> float | None:
        """Return when a stage was first begun after the moment; None if none was."""
        return min((span.began for span in self.stages if span.began > moment), default=None)


def compute_rate(timelines: Sequence[Timeline]) -> float:
    """Return the requests a second from the first row to the last end; raise ValueError if one has not ended."""
    ends = [line.done for line in timelines if line.done is not None]
    if not timelines or len(ends) < len(timelines):
        raise ValueError(
            f"expected every request to have ended, {len(ends)} of {len(timelines)} have"
        )
    return len(timelines) / (max(ends) - min(line.inserted for line in timelines))
