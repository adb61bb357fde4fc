"""Write the logs of a process: lines on standard error, tracebacks in a file."""

import fcntl
import logging
import sys
import tempfile
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from resources.contract.errors import CastadError
from resources.process.settings import PROJECT_ROOT, settings

_LARGEST = 5_000_000
_KEPT = 3
_LONGEST = 2000
LOG_FIELDS = "facts"
"""The attribute of a log record that holds its fields."""


def configure_logging(level: int = logging.INFO) -> None:
    """Log to standard error: castad's loggers from `level` on, all others from WARNING on."""
    root = logging.getLogger()
    root.handlers[:] = _build_handlers()
    root.setLevel(logging.WARNING)
    logging.getLogger("castad").setLevel(level)


def configure_castad_logging() -> None:
    """Log castad's own messages to standard error in a process of Dagster's, such as a code server.

    Does nothing if a handler is already set.
    """
    own = logging.getLogger("castad")
    if not own.hasHandlers():
        own.handlers[:] = _build_handlers()
        own.setLevel(logging.INFO)


def _build_handlers() -> list[logging.Handler]:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLineFormatter())
    return [handler, TracebackHandler()]


class OneLineFormatter(logging.Formatter):
    """The log format `time level logger message name=value …`; the pairs are the record's `facts` but None."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the record as one line."""
        at = format_utc(datetime.fromtimestamp(record.created, UTC))
        fields: Mapping[str, object] = getattr(record, LOG_FIELDS, {})
        pairs = [f"{name}={value}" for name, value in fields.items() if value is not None]
        if record.exc_info:
            pairs.append(f"error={type(record.exc_info[1]).__name__}")
        line = " ".join([record.getMessage(), *pairs])
        return f"{at} {record.levelname.lower()} {record.name} {escape_to_one_line(line)}"


def format_utc(at: datetime) -> str:
    """Format a timestamp as log lines show it: UTC, milliseconds, `Z`."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def escape_to_one_line(text: str) -> str:
    """Escape non-printable characters of the text and cut it to 2000 characters."""
    if not text.isprintable():
        text = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
    return text[:_LONGEST]


class TracebackHandler(logging.Handler):
    """A logging handler that appends the tracebacks of records to the traceback log."""

    def emit(self, record: logging.LogRecord) -> None:
        """Append the record's traceback, if it has one, to the traceback log."""
        if record.exc_info and record.exc_info[1] is not None:
            log_traceback(
                record.exc_info[1], f"{record.name} {escape_to_one_line(record.getMessage())}"
            )


def log_traceback(error: BaseException, about: str = "") -> Path:
    """Append the error's traceback to the traceback log; return the path of the log.

    `about` follows the time in the entry's first line.
    """
    return append_traceback("".join(traceback.format_exception(error)), about)


def append_traceback(text: str, about: str = "") -> Path:
    """Append the text to the traceback log, after a line with the time and `about`; return the log's path.

    A log of more than 5 MB is rotated to `castad.log.1`; three such files are kept. If the state folder cannot be
    written, the log is in the system's folder for temporary files.
    """
    entry = f"{format_utc(datetime.now(UTC))} {about}".rstrip() + f"\n{text.rstrip()}\n\n"
    for log in (get_traceback_log_path(), Path(tempfile.gettempdir()) / "castad.log"):
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            # One process at a time, so that none writes to a file that another has rotated.
            with log.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                with open_log(log) as stream:
                    stream.write(entry.encode(errors="backslashreplace"))
        except OSError:
            continue
        break
    return log


def open_log(log: Path) -> BinaryIO:
    """Open the log for appending; rotate one of more than 5 MB and keep three. Raises OSError."""
    if log.exists() and log.stat().st_size > _LARGEST:
        for number in range(_KEPT, 1, -1):
            older = log.with_name(f"{log.name}.{number - 1}")
            if older.exists():
                older.replace(log.with_name(f"{log.name}.{number}"))
        log.replace(log.with_name(f"{log.name}.1"))
    return log.open("ab")


def get_traceback_log_path() -> Path:
    """Return the path of `logs/castad.log` in the state folder, the default one if the settings are invalid."""
    try:
        home = settings().home
    except CastadError:
        home = PROJECT_ROOT / ".castad"
    return home / "logs" / "castad.log"
