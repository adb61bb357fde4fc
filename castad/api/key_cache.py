"""This process' cache of the API's keys."""

import threading
import time
from contextlib import suppress

from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.db.database import Database
from resources.ledger.queries.api_keys import ApiKey, Secret, find_active_key, is_key_active

_CACHED_SECONDS = 1.0
_VALID_SECONDS = 2.0
_MAX_CACHED = 10_000


class ApiKeyCache:
    """The keys that were used lately. A revoked key is refused after a second at most."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, tuple[float, ApiKey | None]] = {}
        self._seen: dict[str, tuple[float, bool]] = {}
        self._lock = threading.Lock()

    async def key_of(self, secret: Secret) -> ApiKey | None:
        """The key of the secret, as of a second ago at most; None where it has none."""
        until, key = self._known.get(secret.hash, (0.0, None))
        if until <= time.monotonic():
            key = await run_in_threadpool(self._fetch, secret)
        return key

    def _fetch(self, secret: Secret) -> ApiKey | None:
        key = find_active_key(self._db, secret)
        with self._lock:
            if len(self._known) >= _MAX_CACHED:
                self._known.clear()
            self._known[secret.hash] = (time.monotonic() + _CACHED_SECONDS, key)
        return key

    async def is_valid(self, key: ApiKey) -> bool:
        """Whether the key is active, as of two seconds ago or, in an outage, of the ledger's last answer."""
        asked, is_good = self._seen.get(key.id, (-_VALID_SECONDS, True))
        if time.monotonic() - asked >= _VALID_SECONDS:
            # Concurrent callers use the previous answer meanwhile.
            self._seen[key.id] = (time.monotonic(), is_good)
            with suppress(SQLAlchemyError):
                is_good = await run_in_threadpool(is_key_active, self._db, key.id)
            self._seen[key.id] = (time.monotonic(), is_good)
        return is_good
