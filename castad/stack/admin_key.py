"""The first API key of an installation, and one-time links to the page."""

import os
from pathlib import Path

from resources.ledger.db.database import Database
from resources.ledger.queries.access import ApiKey, Scope, Secret, find_active_key, list_keys
from resources.ledger.request import Token
from resources.ledger.transitions.access import create_key, make_login_link
from resources.process.file_locks import exclusive_file_lock

_NAME = "admin"


def ensure_admin_key(db: Database, home: Path) -> Path | None:
    """Return the file with an active admin key, which is created if the ledger has no admin.

    Return None if the ledger has an admin whose key is not in this folder. A revoked key is replaced only if no
    admin is left.
    """
    path = home / "admin.key"
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Without the lock, two parts that start at once would each make a key, and one of them would be lost.
    with exclusive_file_lock(path.with_suffix(".lock")):
        kept = Secret.read(path.read_text().strip()) if path.is_file() else None
        if kept is not None and find_active_key(db, kept) is not None:
            return path
        if find_admin_key(db) is not None:
            return None
        secret = Secret.new()
        create_key(db, secret, name=_NAME, owner=_NAME, scopes=[Scope.ADMIN])
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(f"{secret.text}\n")
        draft.replace(path)
        return path


_ADDRESS_FILE = "api.url"


def create_login_link(db: Database, key: ApiKey, base_url: str) -> str:
    """Create a link to this site that begins one session of the key, within 15 minutes."""
    token = Token.new()
    make_login_link(db, token, key)
    return f"{base_url.rstrip('/')}/login/{token.text}"


def save_address(home: Path, url: str) -> None:
    """Save the address of the API of this state folder, for links that are printed later."""
    (home / _ADDRESS_FILE).write_text(url, "utf-8")


def remove_address(home: Path) -> None:
    """Remove the saved address once the stack has stopped."""
    (home / _ADDRESS_FILE).unlink(missing_ok=True)


def read_address(home: Path) -> str | None:
    """Read the address of the API that `castad up` started; return None if none is saved."""
    try:
        return (home / _ADDRESS_FILE).read_text("utf-8").strip() or None
    except OSError:
        return None


def find_admin_key(db: Database) -> ApiKey | None:
    """Find the oldest valid key with the scope admin; return None if there is none."""
    return next((key for key in list_keys(db) if key.is_admin and not key.revoked_at), None)
