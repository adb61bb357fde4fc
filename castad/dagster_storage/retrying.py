"""Storages whose calls are repeated while their database is away."""

import inspect
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

from resources.ledger.db.retry import retry_for

_NOT_RETRIED = frozenset(
    {
        "dispose",
        "end_watch",
        "optimize_for_webserver",
        "register_instance",
        # A worker's events go through a buffer, which writes them by `store_event_batch`.
        "store_event",
        "watch",
    }
)
_retrying = threading.local()


class RetryingStorage:
    """A storage that repeats the calls of Dagster's `interface` after transient database errors.

    A call whose reply was lost is repeated: Dagster's event log may then hold an event twice, and its readers
    tolerate that; it never lacks one.
    """

    retry_seconds = 0.0
    """How long a call is repeated; 0 for not at all."""

    def __init_subclass__(cls, *, interface: type, **known: Any) -> None:
        super().__init_subclass__(**known)
        for name, _ in inspect.getmembers(interface, inspect.isfunction):
            if not name.startswith("_") and name not in _NOT_RETRIED:
                setattr(cls, name, _with_retries(getattr(cls, name)))


def _with_retries(call: Callable[..., Any]) -> Callable[..., Any]:
    """The call with retries; calls that a storage makes of itself inside one are not retried separately."""

    @wraps(call)
    def retried(self: RetryingStorage, *args: Any, **kwargs: Any) -> Any:
        if not self.retry_seconds or getattr(_retrying, "is_active", False):
            return call(self, *args, **kwargs)
        _retrying.is_active = True
        try:
            return retry_for(lambda: call(self, *args, **kwargs), self.retry_seconds)
        finally:
            _retrying.is_active = False

    return retried
