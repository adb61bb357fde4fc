"""Log lines: one event a line, followed by its fields; control characters are escaped."""

import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from resources.process.traceback_log import log_traceback, utc_text

_LONGEST = 2000
LOG_FIELDS = "facts"
"""The attribute of a log record that holds its fields."""


class OneLineFormatter(logging.Formatter):
    """`time level logger message name=value …`; the pairs are the record's `facts` that are not None."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        at = utc_text(datetime.fromtimestamp(record.created, UTC))
        fields: Mapping[str, object] = getattr(record, LOG_FIELDS, {})
        pairs = [f"{name}={value}" for name, value in fields.items() if value is not None]
        if record.exc_info:
            pairs.append(f"error={type(record.exc_info[1]).__name__}")
        line = " ".join([record.getMessage(), *pairs])
        return f"{at} {record.levelname.lower()} {record.name} {escape_to_one_line(line)}"


class TracebackHandler(logging.Handler):
    """Writes the tracebacks of records to the traceback log."""

    def emit(self, record: logging.LogRecord) -> None:
        """The record's traceback, if it has one, is in the traceback log."""
        if record.exc_info and record.exc_info[1] is not None:
            log_traceback(
                record.exc_info[1], f"{record.name} {escape_to_one_line(record.getMessage())}"
            )


def escape_to_one_line(text: str) -> str:
    """The text on one line, non-printable characters escaped, cut to 2000 characters."""
    kept = text if text.isprintable() else "".join(map(_visible, text))
    return kept[:_LONGEST]


def _visible(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]


def configure_logging(level: int = logging.INFO) -> None:
    """This process logs to standard error: castad's loggers from `level` on, all others from WARNING on."""
    root = logging.getLogger()
    root.handlers[:] = _handlers()
    root.setLevel(logging.WARNING)
    logging.getLogger("castad").setLevel(level)


def configure_castad_logging() -> None:
    """The loggers of castad write the same lines in processes of Dagster's, such as its code servers."""
    own = logging.getLogger("castad")
    if not own.hasHandlers():
        own.handlers[:] = _handlers()
        own.setLevel(logging.INFO)


def _handlers() -> list[logging.Handler]:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLineFormatter())
    return [handler, TracebackHandler()]
