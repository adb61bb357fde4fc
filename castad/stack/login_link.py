"""One-time links to the page, which log a person in without a key."""

from resources.ledger.db.database import Database
from resources.ledger.moves.sessions import make_login_link
from resources.ledger.queries.api_keys import ApiKey, list_keys
from resources.ledger.tokens import Token


def new_login_link(db: Database, key: ApiKey, base_url: str) -> str:
    """The address of a new link at this site: it begins one session of the key, within 15 minutes."""
    token = Token.new()
    make_login_link(db, token, key)
    return f"{base_url.rstrip('/')}/login/{token.text}"


def first_admin_key(db: Database) -> ApiKey | None:
    """The oldest valid key with the scope admin; None where there is none."""
    return next((key for key in list_keys(db) if key.is_admin and not key.revoked_at), None)
