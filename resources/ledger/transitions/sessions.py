"""Sessions begin and end; login links are made and used. Each stores a hash and no secret."""

from sqlalchemy import Connection, Table, delete, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import UnknownKeyError, UnknownLoginLinkError
from resources.ledger.queries.api_keys import ApiKey
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import api_keys, login_links, sessions
from resources.ledger.tokens import Token
from resources.ledger.transitions.upsert import upsert

SESSION_SECONDS = 30 * 86_400
"""From the log-in on, however much it is used."""
LOGIN_LINK_SECONDS = 15 * 60
_MOST_PER_KEY = 100


@retry_transient
def begin_session(db: Database, token: Token, key_id: str) -> None:
    """The token is a session of the key. Raises UnknownKeyError where the key is not valid."""
    with db.writing() as tx:
        _begin(tx, token, key_id)


@retry_transient
def end_session(db: Database, session_hash: str) -> None:
    """The session has ended; one that has ended before, or never was, changes nothing."""
    with db.writing() as tx:
        tx.execute(delete(sessions).where(sessions.c.token_hash == session_hash))


@retry_transient
def end_sessions(db: Database, key_id: str) -> None:
    """Every session of the key has ended, and none of its login links begins another."""
    with db.writing() as tx:
        tx.execute(delete(login_links).where(login_links.c.key_id == key_id))
        tx.execute(delete(sessions).where(sessions.c.key_id == key_id))


@retry_transient
def make_login_link(db: Database, token: Token, key: ApiKey) -> None:
    """The token begins one session of the key, within 15 minutes."""
    with db.writing() as tx:
        tx.execute(delete(login_links).where(login_links.c.expires_at <= now()))
        _insert(tx, login_links, token, key.id, LOGIN_LINK_SECONDS)


@retry_transient
def use_login_link(db: Database, link: Token, session: Token) -> str:
    """The link is used up, and the other token a session of its key: both or neither, by one caller only.

    Returns the key's id. Raises UnknownLoginLinkError.
    """
    used = delete(login_links).where(
        login_links.c.token_hash == link.hash, login_links.c.expires_at > now()
    )
    # There where the reply to an earlier COMMIT of this call was lost.
    begun = select(sessions.c.key_id).where(sessions.c.token_hash == session.hash)
    with db.writing() as tx:
        key_id = tx.execute(used.returning(login_links.c.key_id)).scalar_one_or_none()
        if key_id is None:
            key_id = tx.execute(begun).scalar_one_or_none()
            if key_id is None:
                raise UnknownLoginLinkError
        try:
            _begin(tx, session, key_id)
        except UnknownKeyError:
            raise UnknownLoginLinkError from None
    return str(key_id)


def _begin(tx: Connection, token: Token, key_id: str) -> None:
    """The session is there; those that have expired, and all but the newest of its key, are not."""
    valid = select(api_keys.c.id).where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
    if tx.execute(valid).one_or_none() is None:
        raise UnknownKeyError(key_id)
    tx.execute(delete(sessions).where(sessions.c.expires_at <= now()))
    of_others = (sessions.c.key_id == key_id, sessions.c.token_hash != token.hash)
    newest = select(sessions.c.token_hash).where(*of_others).order_by(sessions.c.created_at.desc())
    kept = newest.limit(_MOST_PER_KEY - 1)
    tx.execute(delete(sessions).where(*of_others, sessions.c.token_hash.not_in(kept)))
    _insert(tx, sessions, token, key_id, SESSION_SECONDS)


def _insert(tx: Connection, table: Table, token: Token, key_id: str, seconds: int) -> None:
    """The row is there, also where the reply to an earlier COMMIT of it was lost."""
    row = upsert(tx, table).values(
        token_hash=token.hash, key_id=key_id, created_at=now(), expires_at=after(seconds)
    )
    tx.execute(row.on_conflict_do_nothing())
