"""Change keys, sessions, share links, profiles and shared access."""

import secrets
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Table, delete, func, insert, literal, select, update

from resources.contract.written_text import spellings
from resources.ledger.db.database import Database
from resources.ledger.db.retry import AdvisoryLock, retry_transient
from resources.ledger.ledger_errors import (
    ManyProfilesError,
    ManyShareLinksError,
    NotCompletedError,
    SecretExistsError,
    UnknownKeyError,
    UnknownLoginLinkError,
    UnknownProfileError,
    UnknownShareLinkError,
)
from resources.ledger.queries.access import ApiKey, Scope, Secret, ShareLink, is_key_active
from resources.ledger.queries.status import columns_of
from resources.ledger.request import Request, Token, payload_text
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    Status,
    api_keys,
    login_links,
    profiles,
    requests,
    sessions,
    share_links,
    shared_access,
)
from resources.ledger.transitions.core import lock_task, upsert


@retry_transient
def create_key(
    db: Database,
    secret: Secret,
    *,
    name: str,
    owner: str,
    scopes: Iterable[Scope],
    rate_per_minute: int | None = None,
) -> None:
    """The key is valid for the API within these scopes, for this owner's orders, however often it is created."""
    with db.writing() as tx:
        key = upsert(tx, api_keys).values(
            id=secret.id,
            name=name,
            owner=owner,
            scopes=" ".join(sorted(scopes)),
            secret_hash=secret.hash,
            rate_per_minute=rate_per_minute,
            created_at=now(),
        )
        tx.execute(key.on_conflict_do_nothing())


@retry_transient
def revoke_key(db: Database, key_id: str) -> None:
    """The key is no longer valid; a second revocation changes nothing. Raises UnknownKeyError."""
    revoked = (
        update(api_keys)
        .where(api_keys.c.id == key_id)
        .values(revoked_at=func.coalesce(api_keys.c.revoked_at, now()))
        .returning(api_keys.c.id)
    )
    with db.writing() as tx:
        if tx.execute(revoked).one_or_none() is None:
            raise UnknownKeyError(key_id)


@retry_transient
def set_webhook_secret(db: Database, key: ApiKey, secret: str, *, rotate: bool) -> None:
    """The secret signs the webhooks of the key's owner; the one before it signs beside it for a while.

    Raises UnknownKeyError where the key was revoked, and SecretExistsError where it has a secret and is not to
    `rotate`.
    """
    changed = (
        update(api_keys)
        .where(api_keys.c.id == key.id, api_keys.c.revoked_at.is_(None))
        .values(
            webhook_secret=secret,
            webhook_secret_before=api_keys.c.webhook_secret,
            webhook_rotated_at=now(),
        )
        .returning(api_keys.c.id)
    )
    if not rotate:
        changed = changed.where(api_keys.c.webhook_secret.is_(None))
    with db.writing() as tx:
        if tx.execute(changed).one_or_none() is not None:
            return
    if is_key_active(db, key.id):
        raise SecretExistsError(key.name)
    raise UnknownKeyError(key.id)


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


MOST_DAYS = 90
USUAL_DAYS = 7
_MOST_PER_REQUEST = 100
_DAY = 86_400


def share_request(
    db: Database, task_id: str, token: Token, *, days: int, created_by: str
) -> ShareLink:
    """Whoever has the token sees the request's result for so many days.

    Raises UnknownRequestError, NotCompletedError and ManyShareLinksError.
    """
    return _share(db, task_id, token, secrets.token_hex(6), days, created_by)


@retry_transient
def _share(
    db: Database, task_id: str, token: Token, link_id: str, days: int, created_by: str
) -> ShareLink:
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        if request.status != Status.COMPLETED:
            raise NotCompletedError(task_id, request.status)
        tx.execute(delete(share_links).where(share_links.c.expires_at <= now()))
        links = select(func.count()).where(share_links.c.request_id == request.id)
        if tx.execute(links).scalar_one() >= _MOST_PER_REQUEST:
            raise ManyShareLinksError(task_id, _MOST_PER_REQUEST)
        row = upsert(tx, share_links).values(
            id=link_id,
            token_hash=token.hash,
            request_id=request.id,
            created_by=created_by,
            created_at=now(),
            expires_at=after(days * _DAY),
        )
        tx.execute(row.on_conflict_do_nothing())
        made = select(*columns_of(share_links, ShareLink)).where(share_links.c.id == link_id)
        return ShareLink(*tx.execute(made).one())


@retry_transient
def revoke_share_link(db: Database, request_id: int, link_id: str) -> ShareLink:
    """The link of this request shows nothing any more; a second revocation changes nothing.

    Raises UnknownShareLinkError.
    """
    revoked = (
        update(share_links)
        .where(share_links.c.id == link_id, share_links.c.request_id == request_id)
        .values(revoked_at=func.coalesce(share_links.c.revoked_at, now()))
        .returning(*columns_of(share_links, ShareLink))
    )
    with db.writing() as tx:
        row = tx.execute(revoked).one_or_none()
    if row is None:
        raise UnknownShareLinkError
    return ShareLink(*row)


def grant_shared_access(tx: Connection, request: Request, owner: str | None) -> None:
    """Let the owner of an order that the request serves read it; its own owner does already."""
    if owner is not None and owner != request.owner:
        access = {"request_id": request.id, "owner": owner}
        tx.execute(upsert(tx, shared_access).values(access).on_conflict_do_nothing())


def copy_shared_access(tx: Connection, request_id: int, others: Collection[int]) -> None:
    """Whoever may read one of these other requests may read the request."""
    owners = (
        select(requests.c.owner)
        .where(requests.c.id.in_(others), requests.c.owner.is_not(None))
        .union(select(shared_access.c.owner).where(shared_access.c.request_id.in_(others)))
        .subquery()
    )
    known = select(shared_access.c.owner).where(shared_access.c.request_id == request_id)
    new = select(literal(request_id), owners.c.owner).where(owners.c.owner.not_in(known))
    tx.execute(insert(shared_access).from_select(["request_id", "owner"], new))


MOST_PROFILES = 100


@retry_transient
def keep_profile(
    db: Database, owner: str, pipeline: str, name: str, fields: Mapping[str, Any]
) -> None:
    """The owner's profile of this name has these fields; raises ManyProfilesError."""
    of_owner = (profiles.c.owner == owner, profiles.c.pipeline == pipeline)
    with db.writing() as tx:
        AdvisoryLock.PROFILES.take(tx, f"{owner} {pipeline}")
        # One that was kept before may have the same name decomposed.
        tx.execute(delete(profiles).where(*of_owner, profiles.c.name.in_(spellings(name))))
        if tx.execute(select(func.count()).where(*of_owner)).scalar_one() >= MOST_PROFILES:
            raise ManyProfilesError(MOST_PROFILES)
        kept = {"fields": payload_text(fields), "updated_at": now()}
        tx.execute(insert(profiles).values(owner=owner, pipeline=pipeline, name=name, **kept))


@retry_transient
def remove_profile(db: Database, owner: str, pipeline: str, name: str) -> None:
    """The owner has no profile of this name; raises UnknownProfileError where there was none."""
    of_owner = (profiles.c.owner == owner, profiles.c.pipeline == pipeline)
    named = profiles.c.name.in_(spellings(name))
    with db.writing() as tx:
        if tx.execute(delete(profiles).where(*of_owner, named)).rowcount == 0:
            raise UnknownProfileError(name)
