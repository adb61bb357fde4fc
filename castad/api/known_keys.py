"""All valid keys of the API in memory, for calls that ask no database."""

import logging
import threading
import time

from resources.ledger.db.database import Database
from resources.ledger.queries.api_keys import ApiKey, Secret, active_keys_by_hash

_LOOK_SECONDS = 1.0
_NEW_SECONDS = 5.0

_log = logging.getLogger("castad.api")


class KnownKeys:
    """The keys as of a second ago or, in an outage, of the ledger's last answer."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._by_hash: dict[str, ApiKey] = {}
        self._ids: frozenset[str] = frozenset()
        self._noted: dict[str, float] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._look, name="castad-keys", daemon=True)

    def start(self) -> None:
        """The keys are read from now on."""
        self._thread.start()

    def stop(self) -> None:
        """They are read no more."""
        self._stopping.set()

    def key_of(self, secret: Secret) -> ApiKey | None:
        """The key of the secret; None where it has none, or one that was made since the last look."""
        return self._by_hash.get(secret.hash)

    def note(self, secret: Secret, key: ApiKey) -> None:
        """The secret's key is valid now; the ledger has just said so."""
        self._noted[key.id] = time.monotonic()
        self._by_hash = {**self._by_hash, secret.hash: key}

    def is_valid(self, key: ApiKey) -> bool:
        """Whether the key was not revoked, as of a second ago or, where it is new, of a few."""
        if key.id in self._ids:
            return True
        return time.monotonic() - self._noted.get(key.id, -_NEW_SECONDS) < _NEW_SECONDS

    def _look(self) -> None:
        while not self._stopping.is_set():
            try:
                found = active_keys_by_hash(self._db)
            except Exception as error:  # noqa: BLE001 - nothing may end the look at the keys for good
                _log.debug("keys not read: %s", type(error).__name__)
            else:
                self._by_hash = found
                self._ids = frozenset(key.id for key in found.values())
                self._noted = {
                    key: at for key, at in list(self._noted.items()) if key not in self._ids
                }
            self._stopping.wait(_LOOK_SECONDS)
