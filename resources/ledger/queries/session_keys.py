"""Sessions: an API key as a person uses it at the page. Read-only."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.api_keys import ApiKey, key_of_row
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import api_keys, login_links, sessions


@dataclass(frozen=True)
class SessionKey(ApiKey):
    """A key as one session uses it: valid while both are."""

    session_hash: str
    session_expires_at: datetime


@retry_transient
def find_session_key(db: Database, session_hash: str) -> SessionKey | None:
    """The key of the session; None where the session has ended or the key was revoked."""
    with db.reading() as tx:
        row = tx.execute(_BY_HASH, {"session_hash": session_hash}).one_or_none()
    if row is None:
        return None
    return SessionKey(
        **vars(key_of_row(row)), session_hash=session_hash, session_expires_at=row.ends
    )


@retry_transient
def is_open_login_link(db: Database, link_hash: str) -> bool:
    """Return whether the login link with this hash may still be used."""
    query = select(login_links.c.token_hash).where(
        login_links.c.token_hash == link_hash, login_links.c.expires_at > now()
    )
    with db.reading() as tx:
        return tx.execute(query).one_or_none() is not None


_BY_HASH = (
    select(api_keys, sessions.c.expires_at.label("ends"))
    .join(sessions, sessions.c.key_id == api_keys.c.id)
    .where(
        sessions.c.token_hash == bindparam("session_hash"),
        sessions.c.expires_at > now(),
        api_keys.c.revoked_at.is_(None),
    )
)
