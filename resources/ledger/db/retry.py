"""Retries for transient database errors."""

import logging
import random
import time
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.db.file_errors import DatabaseFileError
from resources.ledger.db.transient import is_transient_db_error

_log = logging.getLogger("castad.ledger")


class RetriedDatabase(Protocol):
    """What a decorated function takes first: it says for how long it is to be repeated."""

    @property
    def retry_budget(self) -> float:
        """Seconds from the first transient error."""


D = TypeVar("D", bound=RetriedDatabase)
T = TypeVar("T")
P = ParamSpec("P")

_FIRST_DELAY = 0.1
# No longer: once the database answers again, work resumes at once.
_MAX_DELAY = 1.0


def retry_transient(work: Callable[Concatenate[D, P], T]) -> Callable[Concatenate[D, P], T]:
    """Decorate a transition or a read: it is repeated from the start within its database's retry budget.

    For functions of one transaction, or of several that may each be repeated. A transaction that failed
    transiently was rolled back, or made no transition and may be written twice (see `Database.writing`).
    """

    @wraps(work)
    def retrying(db: D, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return retry_for(lambda: work(db, *args, **kwargs), db.retry_budget)

    return retrying


def retry_for(work: Callable[[], T], seconds: float) -> T:
    """The result of `work`, called again after each transient error, within `seconds` of the first one.

    Raises the last transient error when the time is over, and any other error at once.
    """
    deadline: float | None = None
    delays = _backoff_delays()
    while True:
        try:
            return work()
        except SQLAlchemyError as error:
            if not is_transient_db_error(error):
                raise
            if deadline is None:
                deadline = time.monotonic() + seconds
                _log_retry(error, seconds)
            pause = next(delays)
            if time.monotonic() + pause > deadline:
                raise
        time.sleep(pause)


def _backoff_delays() -> Iterator[float]:
    """Seconds between one try and the next: exponential with full jitter, without end.

    After https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    """
    longest = _FIRST_DELAY
    while True:
        yield random.uniform(0, longest)  # noqa: S311 - jitter needs no secrecy
        longest = min(2 * longest, _MAX_DELAY)


def _log_retry(error: SQLAlchemyError, seconds: float) -> None:
    if seconds:
        why = describe_db_error(error)
        _log.warning("database unavailable, retrying: error=%s retry_seconds=%g", why, seconds)


def describe_db_error(error: BaseException) -> str:
    """The cause of a database error for logs: its type only, because messages may hold parameters."""
    if isinstance(error, DatabaseFileError):
        return error.sentence
    return type(getattr(error, "orig", None) or error).__name__
