"""The first key of a castad: in a file of its state folder, for whoever may read that."""

import os
from pathlib import Path

from resources.ledger.api_keys import Scope, Secret, holder_of, list_keys
from resources.ledger.database import Database
from resources.ledger.moves.keys import create_key

_NAME = "admin"


def ensure_admin_key(db: Database, home: Path) -> Path:
    """The file holds an admin's key, unless the ledger has another admin and this state folder has none.

    A key that was revoked is made anew only where no admin is left.
    """
    path = home / "admin.key"
    if not _opens(db, path) and not any(
        key.is_admin and not key.revoked_at for key in list_keys(db)
    ):
        secret = Secret.new()
        create_key(db, secret, name=_NAME, owner=_NAME, scopes=[Scope.ADMIN])
        _write(path, secret.text)
    return path


def _opens(db: Database, path: Path) -> bool:
    secret = Secret.read(path.read_text().strip()) if path.is_file() else None
    return secret is not None and holder_of(db, secret) is not None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(f"{text}\n")
    draft.replace(path)
