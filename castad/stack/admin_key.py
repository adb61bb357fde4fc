"""The first API key of a castad, in a file of its state folder."""

import os
from pathlib import Path

from resources.ledger.db.database import Database
from resources.ledger.queries.access import Scope, Secret, find_active_key, list_keys
from resources.ledger.transitions.access import create_key
from resources.process.file_locks import exclusive_file_lock

_NAME = "admin"


def ensure_admin_key(db: Database, home: Path) -> Path | None:
    """The file with an active admin key; None where the ledger has an admin whose key is not in this folder.

    A revoked key is replaced only if no admin is left.
    """
    path = home / "admin.key"
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Without the lock, two parts that start at once would each make a key, and one of them would be lost.
    with exclusive_file_lock(path.with_suffix(".lock")):
        return _ensured(db, path)


def _ensured(db: Database, path: Path) -> Path | None:
    if _is_live_key(db, path):
        return path
    if any(key.is_admin and not key.revoked_at for key in list_keys(db)):
        return None
    secret = Secret.new()
    create_key(db, secret, name=_NAME, owner=_NAME, scopes=[Scope.ADMIN])
    _write(path, secret.text)
    return path


def _is_live_key(db: Database, path: Path) -> bool:
    secret = Secret.read(path.read_text().strip()) if path.is_file() else None
    return secret is not None and find_active_key(db, secret) is not None


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(f"{text}\n")
    draft.replace(path)
