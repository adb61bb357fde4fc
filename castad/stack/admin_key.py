"""The first key of a castad: in a file of its state folder, for whoever may read that."""

import os
from pathlib import Path

from resources.ledger.db.database import Database
from resources.ledger.moves.keys import create_key
from resources.ledger.queries.api_keys import Scope, Secret, find_active_key, list_keys
from resources.process.file_locks import exclusive_file_lock

_NAME = "admin"


def ensure_admin_key(db: Database, home: Path) -> Path | None:
    """The file that holds an admin's key; None where the ledger has another admin and this folder no such file.

    A key that was revoked is made anew only where no admin is left.
    """
    path = home / "admin.key"
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Two parts that start at the same moment would make a key each, one of them known to nobody.
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
