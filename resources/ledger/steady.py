"""Patience with a database: in bad weather, wait and ask again."""

import logging
import random
import time
from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.file_trouble import FileTroubleError
from resources.ledger.weather import is_weather

if TYPE_CHECKING:
    from resources.ledger.database import Database

_log = logging.getLogger("castad.ledger")

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0

T = TypeVar("T")
P = ParamSpec("P")


def steady(
    work: "Callable[Concatenate[Database, P], T]",
) -> "Callable[Concatenate[Database, P], T]":
    """The same move or read, done again from its beginning while its database's patience lasts.

    For functions of one transaction, or of several that may each be repeated: what met bad weather was
    rolled back, and a commit whose reply was lost is no error (see `Database.writing`).
    """

    @wraps(work)
    def persistent(db: "Database", *args: P.args, **kwargs: P.kwargs) -> T:
        return patiently(lambda: work(db, *args, **kwargs), db.patience)

    return persistent


def patiently(work: Callable[[], T], seconds: float) -> T:
    """What `work` returns, however often it has to be called within `seconds` of its first bad weather.

    Raises the weather's own last error when that time is over, and any other error at once.
    """
    deadline: float | None = None
    waits = pauses()
    while True:
        try:
            return work()
        except SQLAlchemyError as error:
            if not is_weather(error):
                raise
            if deadline is None:
                deadline = time.monotonic() + seconds
                _tell(error, seconds)
            pause = next(waits)
            if time.monotonic() + pause > deadline:
                raise
        time.sleep(pause)


def _tell(error: SQLAlchemyError, seconds: float) -> None:
    if seconds:
        why = silence(error)
        _log.warning("the database does not answer (%s); waiting up to %g s", why, seconds)


def silence(error: BaseException) -> str:
    """Why the database did not answer, for a log: what else an error says may hold parameters."""
    if isinstance(error, FileTroubleError):
        return error.sentence
    return type(getattr(error, "orig", None) or error).__name__


def pauses() -> Iterator[float]:
    """Seconds between one attempt and the next: doubled each time, with full jitter, for ever.

    After https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    """
    longest = _FIRST_PAUSE
    while True:
        yield random.uniform(0, longest)  # noqa: S311 - jitter needs no secrecy
        longest = min(2 * longest, _LONGEST_PAUSE)
