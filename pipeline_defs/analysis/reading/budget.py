"""What one reading of a repository has used of its limits."""

import time
from collections.abc import Callable

from pipeline_defs.analysis.reading.reading_errors import Code, refusal, timed_out
from pipeline_defs.analysis.reading.reading_limits import MEGABYTE, Limits

Clock = Callable[[], float]


class Deadline:
    """The moment at which an analysis has to be over."""

    def __init__(self, seconds: float, clock: Clock = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._end = clock() + seconds

    def check(self) -> None:
        """There is time left; else raises PermanentError `analysis_timed_out`."""
        if self._clock() > self._end:
            raise timed_out(self._seconds)


class ReadingBudget:
    """Counts what is read; each method raises the PermanentError of the limit that is passed."""

    def __init__(self, limits: Limits, clock: Clock = time.monotonic) -> None:
        self.limits = limits
        self._deadline = Deadline(limits.seconds, clock)
        self._members = self._compressed = self._unpacked = 0

    def add_member(self) -> None:
        """One more entry was read."""
        self._deadline.check()
        self._members += 1
        if self._members > self.limits.members:
            raise refusal(
                Code.TOO_MANY_FILES,
                f"repository: expected at most {self.limits.members} files and folders",
            )

    def add_compressed(self, size: int) -> None:
        """So many more bytes of the archive were read."""
        self._compressed += size
        if self._compressed > self.limits.compressed_bytes:
            raise refusal(
                Code.ARCHIVE_TOO_LARGE,
                f"archive: expected at most {_megabytes(self.limits.compressed_bytes)} MB",
            )

    def add_unpacked(self, size: int) -> None:
        """So many more bytes came out of the archive or the repository."""
        self._deadline.check()
        self._unpacked += size
        if self._unpacked > self.limits.unpacked_bytes:
            raise refusal(
                Code.REPOSITORY_TOO_LARGE,
                f"repository: expected at most {_megabytes(self.limits.unpacked_bytes)} MB of files",
            )

    def check_ratio(self) -> None:
        """What came out is in proportion to what went in."""
        allowed = max(self.limits.ratio_from, self._compressed * self.limits.ratio)
        if self._unpacked > allowed:
            raise refusal(
                Code.ARCHIVE_BOMB,
                f"archive: expected at most {self.limits.ratio} bytes of files per packed byte",
            )


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:g}"
