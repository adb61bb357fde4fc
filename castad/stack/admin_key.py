"""The first API key of a castad, and one-time links to the page."""

import os
from pathlib import Path

from resources.ledger.db.database import Database
from resources.ledger.queries.access import ApiKey, Scope, Secret, find_active_key, list_keys
from resources.ledger.request import Token
from resources.ledger.transitions.access import create_key, make_login_link
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


_ADDRESS_FILE = "api.url"


def new_login_link(db: Database, key: ApiKey, base_url: str) -> str:
    """The address of a new link at this site: it begins one session of the key, within 15 minutes."""
    token = Token.new()
    make_login_link(db, token, key)
    return f"{base_url.rstrip('/')}/login/{token.text}"


def note_address(home: Path, url: str) -> None:
    """Keep where this state folder's API answers, for the links that are printed later."""
    (home / _ADDRESS_FILE).write_text(url, "utf-8")


def forget_address(home: Path) -> None:
    """Forget it: the stack has stopped."""
    (home / _ADDRESS_FILE).unlink(missing_ok=True)


def running_address(home: Path) -> str | None:
    """Return where the API that `castad up` has started answers; None where none was."""
    try:
        return (home / _ADDRESS_FILE).read_text("utf-8").strip() or None
    except OSError:
        return None


def first_admin_key(db: Database) -> ApiKey | None:
    """The oldest valid key with the scope admin; None where there is none."""
    return next((key for key in list_keys(db) if key.is_admin and not key.revoked_at), None)
