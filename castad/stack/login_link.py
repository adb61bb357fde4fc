"""One-time links to the page, which log a person in without a key."""

from pathlib import Path

from resources.ledger.db.database import Database
from resources.ledger.queries.access import ApiKey, list_keys
from resources.ledger.request import Token
from resources.ledger.transitions.access import make_login_link

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
