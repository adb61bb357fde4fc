"""What the parts of a stack say, as lines of one form: time, part, text. Traces go to a log file of their own.

The time is UTC with milliseconds, once: the line's own where it has one, else when it came.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from resources.process.configure_logging import escape_to_one_line
from resources.process.traceback_log import append_traceback, utc_text

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_OWN_FORMAT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (.*)")
_DAGSTER_FORMAT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} - (\S+) - ([A-Z]+) - (.*)")
_TRACE_BEGINS = ("Traceback (most recent call last):", "Stack Trace:")
_LONGEST_TRACE = 500


@dataclass(frozen=True)
class LogLine:
    """One line for the console."""

    at: str
    text: str


@dataclass
class PartLogReader:
    """The lines of one part, one after the other; `name` is the part's."""

    name: str
    _trace: list[str] = field(default_factory=list)

    def feed(self, raw: bytes, now: datetime) -> Iterator[LogLine]:
        """What the console shows of it, if anything."""
        text = escape_to_one_line(_ESCAPES.sub("", raw.decode(errors="replace")).rstrip())
        entry = _entry(text, now)
        if entry is None and (self._trace or text.startswith(_TRACE_BEGINS)):
            self._trace.append(text)
            if len(self._trace) >= _LONGEST_TRACE:
                yield from self.flush(now)
            return
        yield from self.flush(now)
        if entry is not None or text:
            yield entry or LogLine(utc_text(now), text)

    def flush(self, now: datetime) -> Iterator[LogLine]:
        """A trace that was being told is in the log file; its last line tells what it was."""
        if self._trace:
            trace, self._trace = self._trace, []
            log = append_traceback("\n".join(trace), f"castad.{self.name}")
            yield LogLine(utc_text(now), f"error {_last_error(trace)}; the trace is in {log}")


def _entry(text: str, now: datetime) -> LogLine | None:
    """The line of a log; None where the text is none, or goes on with what was before."""
    if ours := _OWN_FORMAT.fullmatch(text):
        return LogLine(ours[1], ours[2])
    if dagsters := _DAGSTER_FORMAT.fullmatch(text):
        return LogLine(utc_text(now), f"{dagsters[2].lower()} {dagsters[1]} {dagsters[3]}")
    return None


def _last_error(trace: list[str]) -> str:
    said = [line for line in trace if line and not line[0].isspace()]
    messages = [line for line in said if not line.startswith(_TRACE_BEGINS) and ":" in line]
    return (messages or ["unexpected"])[0]
