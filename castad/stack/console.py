"""The output of a stack's parts as lines of one form: time, part, text. Tracebacks go to a log file.

The time is UTC with milliseconds: the line's own if it has one, else when it was read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from resources.process.configure_logging import append_traceback, escape_to_one_line, format_utc

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_OWN_FORMAT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (.*)")
_DAGSTER_FORMAT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} - (\S+) - ([A-Z]+) - (.*)")
_TRACE_BEGINS = ("Traceback (most recent call last):", "Stack Trace:")
_MAX_TRACE_LINES = 500


@dataclass(frozen=True)
class LogLine:
    """One line for the console."""

    at: str
    text: str


@dataclass
class PartLogReader:
    """Parses the output of the part `name`, line by line."""

    name: str
    _trace: list[str] = field(default_factory=list)

    def feed(self, raw: bytes, now: datetime) -> Iterator[LogLine]:
        """The lines that the console shows for one line of output."""
        text = escape_to_one_line(_ESCAPES.sub("", raw.decode(errors="replace")).rstrip())
        entry = _entry(text, now)
        if entry is None and (self._trace or text.startswith(_TRACE_BEGINS)):
            self._trace.append(text)
            if len(self._trace) >= _MAX_TRACE_LINES:
                yield from self.flush(now)
            return
        yield from self.flush(now)
        if entry is not None or text:
            yield entry or LogLine(format_utc(now), text)

    def flush(self, now: datetime) -> Iterator[LogLine]:
        """A collected traceback is in the log file; the line yielded names its error."""
        if self._trace:
            trace, self._trace = self._trace, []
            log = append_traceback("\n".join(trace), f"castad.{self.name}")
            yield LogLine(format_utc(now), f"error {_last_error(trace)}; the trace is in {log}")


def _entry(text: str, now: datetime) -> LogLine | None:
    """The log line in the text; None where the text has no known log format."""
    if own := _OWN_FORMAT.fullmatch(text):
        return LogLine(own[1], own[2])
    if dagster := _DAGSTER_FORMAT.fullmatch(text):
        return LogLine(format_utc(now), f"{dagster[2].lower()} {dagster[1]} {dagster[3]}")
    return None


def _last_error(trace: list[str]) -> str:
    unindented = [line for line in trace if line and not line[0].isspace()]
    messages = [line for line in unindented if not line.startswith(_TRACE_BEGINS) and ":" in line]
    return (messages or ["unexpected"])[0]
