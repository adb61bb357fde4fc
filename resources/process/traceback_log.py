"""The log file of tracebacks: unexpected errors, for the developer."""

import fcntl
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from resources.contract.errors import CastadError
from resources.process.settings import PROJECT_ROOT, settings

_LARGEST = 5_000_000
_KEPT = 3


def utc_text(at: datetime) -> str:
    """A timestamp as log lines show it: UTC, milliseconds, `Z`."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def traceback_log_path() -> Path:
    """`logs/castad.log` in the state folder."""
    return _log_folder() / "castad.log"


def log_traceback(error: BaseException, about: str = "") -> Path:
    """The traceback is in the log; returns the log's path."""
    return append_traceback("".join(traceback.format_exception(error)), about)


def append_traceback(text: str, about: str = "") -> Path:
    """The text is in the log, after a line with the time and `about`; returns the log's path.

    A log of more than 5 MB is rotated to `castad.log.1`; three such files are kept. Where the state folder cannot
    be written, the log is in the system's folder for temporary files.
    """
    entry = f"{utc_text(datetime.now(UTC))} {about}".rstrip() + f"\n{text.rstrip()}\n\n"
    for log in (traceback_log_path(), Path(tempfile.gettempdir()) / "castad.log"):
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            _append(log, entry)
        except OSError:
            continue
        break
    return log


def open_log(log: Path) -> BinaryIO:
    """The log, opened for appending. One of more than 5 MB was rotated; three such are kept. Raises OSError."""
    if log.exists() and log.stat().st_size > _LARGEST:
        for number in range(_KEPT, 1, -1):
            older = log.with_name(f"{log.name}.{number - 1}")
            if older.exists():
                older.replace(log.with_name(f"{log.name}.{number}"))
        log.replace(log.with_name(f"{log.name}.1"))
    return log.open("ab")


def _append(log: Path, entry: str) -> None:
    with log.with_suffix(".lock").open("w") as lock:
        # Many processes write to the log: one at a time, so that none writes to a file that another has rotated.
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open_log(log) as stream:
            stream.write(entry.encode(errors="backslashreplace"))


def _log_folder() -> Path:
    try:
        return settings().home / "logs"
    except CastadError:
        return PROJECT_ROOT / ".castad" / "logs"
