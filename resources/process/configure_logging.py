"""Log lines: one event a line, with what it is about, whatever text it holds."""

import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from resources.process.traceback_log import log_traceback, utc_text

_LONGEST = 2000
LOG_FIELDS = "facts"
"""The attribute of a record whose pairs end its line."""


class OneLineFormatter(logging.Formatter):
    """`time level logger message name=value …`; `facts` of the record become the pairs, those of None left out."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; what would break it is escaped."""
        at = utc_text(datetime.fromtimestamp(record.created, UTC))
        fields: Mapping[str, object] = getattr(record, LOG_FIELDS, {})
        pairs = [f"{name}={value}" for name, value in fields.items() if value is not None]
        if record.exc_info:
            pairs.append(f"error={type(record.exc_info[1]).__name__}")
        line = " ".join([record.getMessage(), *pairs])
        return f"{at} {record.levelname.lower()} {record.name} {escape_to_one_line(line)}"


class TracebackHandler(logging.Handler):
    """Traces of records that have one are in the log file of traces."""

    def emit(self, record: logging.LogRecord) -> None:
        """The trace, if there is one, is in the log."""
        if record.exc_info and record.exc_info[1] is not None:
            log_traceback(
                record.exc_info[1], f"{record.name} {escape_to_one_line(record.getMessage())}"
            )


def escape_to_one_line(text: str) -> str:
    """The text on one line, what cannot be seen escaped, cut where it is very long."""
    kept = text if text.isprintable() else "".join(map(_visible, text))
    return kept[:_LONGEST]


def _visible(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]


def configure_logging(level: int = logging.INFO) -> None:
    """This process' log goes to standard error, castad's own from `level` on, others' warnings."""
    root = logging.getLogger()
    root.handlers[:] = _handlers()
    root.setLevel(logging.WARNING)
    logging.getLogger("castad").setLevel(level)


def configure_castad_logging() -> None:
    """Castad's own lines look the same in processes that are not castad's own: Dagster's code servers."""
    own = logging.getLogger("castad")
    if not own.hasHandlers():
        own.handlers[:] = _handlers()
        own.setLevel(logging.INFO)


def _handlers() -> list[logging.Handler]:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLineFormatter())
    return [handler, TracebackHandler()]
