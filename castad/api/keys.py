"""The API's keys in memory: a cache for calls that ask the database, and a copy for those that do not.

The copy has all valid keys, and their hashes are in a file for a process that starts while the ledger is
unavailable. Both are valid for `CASTAD_KEYS_OFFLINE` seconds after the ledger's last answer.
"""

import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.db.database import Database
from resources.ledger.queries.access import (
    ApiKey,
    Scope,
    Secret,
    SessionKey,
    find_active_key,
    find_session_key,
    is_key_active,
    read_active_keys_by_hash,
)
from resources.ledger.request import Token
from resources.process.settings import Settings

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

    async def find_key(self, secret: Secret) -> ApiKey | None:
        """Find the key of the secret, as of a second ago at most; None if it has none."""
        return await self._keys.get(secret.hash, partial(find_active_key, self._db, secret))

    async def find_key_of_session(self, token: Token) -> SessionKey | None:
        """Find the session's key, as of a second ago at most; None if it ended or the key was revoked."""
        find = partial(find_session_key, self._db, token.hash)
        return await self._sessions.get(token.hash, find)

    def forget_session(self, token: Token) -> None:
        """Drop the session from the cache."""
        self._sessions.forget(token.hash)

    def forget_sessions(self) -> None:
        """Drop all sessions from the cache."""
        self._sessions.clear()

    async def is_valid(self, key: ApiKey) -> bool:
        """Return whether the key, or the session that uses it, is active.

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


_LOOK_SECONDS = 0.5
_NEW_SECONDS = 5.0
_WRITE_SECONDS = 60.0
_FILE = "keys.json"

_log = logging.getLogger("castad.api")


@dataclass(frozen=True)
class _Copy:
    """The valid keys by the hashes of their secrets, as of `read_at` (seconds since the epoch)."""

    read_at: float
    keys: Mapping[str, ApiKey] = field(default_factory=dict)

    def serves(self, seconds: float) -> bool:
        """Return whether the copy is not older than this; a clock that was set back makes it old."""
        return 0 <= time.time() - self.read_at <= seconds


_NONE = _Copy(float("-inf"))


class KnownKeys:
    """The keys as of half a second ago or, in an outage, of the ledger's last answer."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self._db = db
        self._settings = settings
        self._copy = _NONE
        self._written = _NONE
        self._ids: frozenset[str] = frozenset()
        self._noted: dict[str, float] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._look, name="castad-keys", daemon=True)

    def start(self) -> None:
        """Use this machine's copy until the ledger answers, and begin to read the ledger's keys."""
        self._take(self._written, read_copy(self._settings))
        self._thread.start()

    def stop(self) -> None:
        """Stop reading the ledger's keys."""
        self._stopping.set()

    @property
    def serves(self) -> bool:
        """Whether there are keys, and they are new enough to be trusted."""
        return bool(self._copy.keys) and self._copy.serves(self._settings.keys_offline)

    def find_key(self, secret: Secret) -> ApiKey | None:
        """Find the key of the secret; None if the ledger has to be asked."""
        return self._copy.keys.get(secret.hash) if self.serves else None

    def note(self, secret: Secret, key: ApiKey) -> None:
        """Keep the secret's key as valid; the ledger has just said so."""
        self._noted[key.id] = time.monotonic()
        self._copy = replace(self._copy, keys={**self._copy.keys, secret.hash: key})

    def is_valid(self, key: ApiKey) -> bool:
        """Return whether the key was not revoked, as of half a second ago; a new key's, as of a few."""
        if key.id in self._ids and self.serves:
            return True
        return time.monotonic() - self._noted.get(key.id, -_NEW_SECONDS) < _NEW_SECONDS

    def _take(self, written: _Copy, found: _Copy) -> None:
        self._written, self._copy = written, found
        self._ids = frozenset(key.id for key in found.keys.values())
        self._noted = {key: at for key, at in list(self._noted.items()) if key not in self._ids}

    def _look(self) -> None:
        while not self._stopping.is_set():
            began = time.time()
            try:
                found = read_active_keys_by_hash(self._db)
            except Exception as error:  # noqa: BLE001 - nothing may end the look at the keys for good
                _log.debug("keys not read: %s", type(error).__name__)
            else:
                self._take(self._write_if_new(_Copy(began, found)), _Copy(began, found))
            self._stopping.wait(_LOOK_SECONDS)

    def _write_if_new(self, copy: _Copy) -> _Copy:
        """Write the copy if it says something new; return the file's copy."""
        is_new = copy.keys != self._written.keys
        if not is_new and copy.read_at - self._written.read_at < _WRITE_SECONDS:
            return self._written
        with suppress(OSError):
            _write_copy(self._settings, copy)
            return copy
        return self._written


def read_copy(settings: Settings) -> _Copy:
    """Read the keys that this machine has kept of this ledger; none without a readable file."""
    try:
        kept = json.loads((settings.home / _FILE).read_text())
        if kept["ledger"] != _hash_ledger_url(settings):
            return _NONE
        keys = {name: _load_key(stored) for name, stored in kept["keys"].items()}
        return _Copy(float(kept["read_at"]), keys)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return _NONE


def has_known_keys(settings: Settings) -> bool:
    """Return whether this machine has kept keys that may still be trusted."""
    copy = read_copy(settings)
    return bool(copy.keys) and copy.serves(settings.keys_offline)


def _write_copy(settings: Settings, copy: _Copy) -> None:
    keys = {name: _dump_key(key) for name, key in copy.keys.items()}
    body = {"ledger": _hash_ledger_url(settings), "read_at": copy.read_at, "keys": keys}
    path: Path = settings.home / _FILE
    draft = path.with_name(f"{_FILE}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(body))
    draft.replace(path)


def _dump_key(key: ApiKey) -> dict[str, Any]:
    stored = {**asdict(key), "scopes": sorted(key.scopes), "created_at": key.created_at.isoformat()}
    return {name: value for name, value in stored.items() if name != "revoked_at"}


def _load_key(stored: Mapping[str, Any]) -> ApiKey:
    scopes = frozenset(Scope(name) for name in stored["scopes"])
    created_at = datetime.fromisoformat(stored["created_at"])
    return ApiKey(**{**stored, "scopes": scopes, "created_at": created_at, "revoked_at": None})


def _hash_ledger_url(settings: Settings) -> str:
    """Hash the ledger's address: the file must not show it, nor serve another ledger."""
    return hashlib.sha256(settings.ledger_url.encode()).hexdigest()
