"""This process' cache of the API's keys."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.db.database import Database
from resources.ledger.queries.access import (
    ApiKey,
    Secret,
    SessionKey,
    find_active_key,
    find_session_key,
    is_key_active,
)
from resources.ledger.request import Token

_CACHED_SECONDS = 1.0
_VALID_SECONDS = 2.0
_MAX_CACHED = 10_000


KeyT = TypeVar("KeyT", bound=ApiKey)


class _RecentAnswers(Generic[KeyT]):
    """The ledger's answers of the last second, by hash."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, KeyT | None]] = {}
        self._lock = threading.Lock()

    async def get(self, name: str, find: Callable[[], KeyT | None]) -> KeyT | None:
        until, key = self._known.get(name, (0.0, None))
        if until <= time.monotonic():
            key = await run_in_threadpool(self._ask, name, find)
        return key

    def forget(self, name: str) -> None:
        self._known.pop(name, None)

    def clear(self) -> None:
        self._known.clear()

    def _ask(self, name: str, find: Callable[[], KeyT | None]) -> KeyT | None:
        key = find()
        with self._lock:
            if len(self._known) >= _MAX_CACHED:
                self._known.clear()
            self._known[name] = (time.monotonic() + _CACHED_SECONDS, key)
        return key


class ApiKeyCache:
    """The keys and sessions that were used lately. A revoked or ended one is refused after a second at most."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._keys = _RecentAnswers[ApiKey]()
        self._sessions = _RecentAnswers[SessionKey]()
        self._seen: dict[str, tuple[float, bool]] = {}

    async def key_of(self, secret: Secret) -> ApiKey | None:
        """The key of the secret, as of a second ago at most; None where it has none."""
        return await self._keys.get(secret.hash, partial(find_active_key, self._db, secret))

    async def session_key_of(self, token: Token) -> SessionKey | None:
        """The key of the session, as of a second ago at most; None where it has ended or its key was revoked."""
        find = partial(find_session_key, self._db, token.hash)
        return await self._sessions.get(token.hash, find)

    def forget_session(self, token: Token) -> None:
        """The session is asked for again."""
        self._sessions.forget(token.hash)

    def forget_sessions(self) -> None:
        """All sessions are asked for again."""
        self._sessions.clear()

    async def is_valid(self, key: ApiKey) -> bool:
        """Whether the key, or the session that uses it, is active.

        As of two seconds ago or, in an outage, of the ledger's last answer.
        """
        name = key.session_hash if isinstance(key, SessionKey) else key.id
        asked, is_good = self._seen.get(name, (-_VALID_SECONDS, True))
        if time.monotonic() - asked >= _VALID_SECONDS:
            if len(self._seen) >= _MAX_CACHED:
                self._seen.clear()
            # Concurrent callers use the previous answer meanwhile.
            self._seen[name] = (time.monotonic(), is_good)
            with suppress(SQLAlchemyError):
                is_good = await run_in_threadpool(self._is_active, key)
            self._seen[name] = (time.monotonic(), is_good)
        return is_good

    def _is_active(self, key: ApiKey) -> bool:
        if isinstance(key, SessionKey):
            return find_session_key(self._db, key.session_hash) is not None
        return is_key_active(self._db, key.id)
