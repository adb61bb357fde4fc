"""Change keys, sessions, share links, shared access and profiles."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Table, delete, func, insert, literal, select, update

from resources.contract.written_text import list_normal_forms
from resources.ledger.db.database import Database
from resources.ledger.db.retry import AdvisoryLock, retry_transient
from resources.ledger.ledger_errors import (
    IllegalTransitionError,
    NotCompletedError,
    SecretExistsError,
    UnknownKeyError,
    UnknownLoginLinkError,
    UnknownProfileError,
    UnknownShareLinkError,
)
from resources.ledger.queries.access import (
    DRAFT,
    DRAFT_SECONDS,
    ApiKey,
    Scope,
    Secret,
    ShareLink,
    is_key_active,
)
from resources.ledger.queries.status import list_columns
from resources.ledger.request import Request, Token, format_payload
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
from resources.ledger.transitions.core import build_upsert, lock_request

SESSION_SECONDS = 30 * 86_400
"""The life of a session from the log-in on; use does not extend it."""
LOGIN_LINK_SECONDS = 15 * 60
MOST_DAYS = 90
USUAL_DAYS = 7
MOST_PROFILES = 100
_MOST_PER_KEY = 100
_MOST_PER_REQUEST = 100
_DAY = 86_400


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
    """Create an API key with these scopes for this owner's orders; do nothing if it exists.

    `rate_per_minute` limits the key's API calls; None for no limit.
    """
    with db.writing() as tx:
        key = build_upsert(tx, api_keys).values(
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
    """Revoke the API key; a second revocation changes nothing. Raises UnknownKeyError."""
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
    """Set the secret that signs the webhooks of the key's owner; for a while the former secret signs too.

    Raises UnknownKeyError if the key was revoked, and SecretExistsError if it has a secret and `rotate` is
    False.
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


@retry_transient
def begin_session(db: Database, token: Token, key_id: str) -> None:
    """Store a session of the API key, which this token opens. Raises UnknownKeyError if the key is not valid."""
    with db.writing() as tx:
        _insert_session(tx, token, key_id)


@retry_transient
def end_session(db: Database, session_hash: str) -> None:
    """Delete the session whose token has this hash; do nothing if there is none."""
    with db.writing() as tx:
        tx.execute(delete(sessions).where(sessions.c.token_hash == session_hash))


@retry_transient
def end_sessions(db: Database, key_id: str) -> None:
    """End all sessions of the key and delete its login links."""
    with db.writing() as tx:
        tx.execute(delete(login_links).where(login_links.c.key_id == key_id))
        tx.execute(delete(sessions).where(sessions.c.key_id == key_id))


@retry_transient
def make_login_link(db: Database, token: Token, key: ApiKey) -> None:
    """Store a login link of the API key: this token can begin one session within 15 minutes."""
    with db.writing() as tx:
        tx.execute(delete(login_links).where(login_links.c.expires_at <= now()))
        _insert_token(tx, login_links, token, key.id, LOGIN_LINK_SECONDS)


@retry_transient
def use_login_link(db: Database, link: Token, session: Token) -> str:
    """Delete the login link, begin a session of its key with the token `session`, and return the key's id.

    Both happen or neither, and only one caller succeeds. Raises UnknownLoginLinkError if the link was used,
    has expired or never existed, or if its key was revoked.
    """
    used = delete(login_links).where(
        login_links.c.token_hash == link.hash, login_links.c.expires_at > now()
    )
    # The session exists if the reply to an earlier COMMIT of this call was lost.
    begun = select(sessions.c.key_id).where(sessions.c.token_hash == session.hash)
    with db.writing() as tx:
        key_id = tx.execute(used.returning(login_links.c.key_id)).scalar_one_or_none()
        if key_id is None:
            key_id = tx.execute(begun).scalar_one_or_none()
            if key_id is None:
                raise UnknownLoginLinkError
        try:
            _insert_session(tx, session, key_id)
        except UnknownKeyError:
            raise UnknownLoginLinkError from None
    return str(key_id)


def _insert_session(tx: Connection, token: Token, key_id: str) -> None:
    """Insert a session of the key; delete expired sessions, and the key's oldest ones above a limit.

    Raises UnknownKeyError if the key was revoked or does not exist.
    """
    valid = select(api_keys.c.id).where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
    if tx.execute(valid).one_or_none() is None:
        raise UnknownKeyError(key_id)
    tx.execute(delete(sessions).where(sessions.c.expires_at <= now()))
    of_others = (sessions.c.key_id == key_id, sessions.c.token_hash != token.hash)
    newest = select(sessions.c.token_hash).where(*of_others).order_by(sessions.c.created_at.desc())
    kept = newest.limit(_MOST_PER_KEY - 1)
    tx.execute(delete(sessions).where(*of_others, sessions.c.token_hash.not_in(kept)))
    _insert_token(tx, sessions, token, key_id, SESSION_SECONDS)


def _insert_token(tx: Connection, table: Table, token: Token, key_id: str, seconds: int) -> None:
    """Insert the token's hash into a table, valid for this many seconds; do nothing if it is there.

    It is there if an earlier COMMIT of this call succeeded, but its reply was lost.
    """
    row = build_upsert(tx, table).values(
        token_hash=token.hash, key_id=key_id, created_at=now(), expires_at=after(seconds)
    )
    tx.execute(row.on_conflict_do_nothing())


@retry_transient
def share_request(
    db: Database, task_id: str, token: Token, *, days: int, created_by: str
) -> ShareLink:
    """Create a link that shows the request's result to anyone with the token, for this number of days.

    `created_by` is the person who shares it. Raises UnknownRequestError, NotCompletedError, and
    IllegalTransitionError if the request has too many links.
    """
    # The same in each repetition of this call, and of no use without the token.
    link_id = token.hash[:12]
    with db.writing() as tx:
        request, _ = lock_request(tx, task_id)
        if request.status != Status.COMPLETED:
            raise NotCompletedError(task_id, request.status)
        tx.execute(delete(share_links).where(share_links.c.expires_at <= now()))
        links = select(func.count()).where(share_links.c.request_id == request.id)
        if tx.execute(links).scalar_one() >= _MOST_PER_REQUEST:
            raise IllegalTransitionError(
                f"task_id: {task_id!r} has {_MOST_PER_REQUEST} share links, revoked ones too; "
                "expected fewer: one that expires makes room",
                code="many_share_links",
            )
        row = build_upsert(tx, share_links).values(
            id=link_id,
            token_hash=token.hash,
            request_id=request.id,
            created_by=created_by,
            created_at=now(),
            expires_at=after(days * _DAY),
        )
        tx.execute(row.on_conflict_do_nothing())
        made = select(*list_columns(share_links, ShareLink)).where(share_links.c.id == link_id)
        return ShareLink(*tx.execute(made).one())


@retry_transient
def revoke_share_link(db: Database, request_id: int, link_id: str) -> ShareLink:
    """Revoke the share link of this request, and return it; a second revocation changes nothing.

    Raises UnknownShareLinkError if the request has no such link.
    """
    revoked = (
        update(share_links)
        .where(share_links.c.id == link_id, share_links.c.request_id == request_id)
        .values(revoked_at=func.coalesce(share_links.c.revoked_at, now()))
        .returning(*list_columns(share_links, ShareLink))
    )
    with db.writing() as tx:
        row = tx.execute(revoked).one_or_none()
    if row is None:
        raise UnknownShareLinkError
    return ShareLink(*row)


def grant_shared_access(tx: Connection, request: Request, owner: str | None) -> None:
    """Allow another owner to read the request, because it serves that owner's order too.

    Does nothing for None and for the request's own owner.
    """
    if owner is not None and owner != request.owner:
        access = {"request_id": request.id, "owner": owner}
        tx.execute(build_upsert(tx, shared_access).values(access).on_conflict_do_nothing())


def copy_shared_access(tx: Connection, request_id: int, others: Collection[int]) -> None:
    """Allow every owner who may read one of the requests with the ids `others` to read the request."""
    owners = (
        select(requests.c.owner)
        .where(requests.c.id.in_(others), requests.c.owner.is_not(None))
        .union(select(shared_access.c.owner).where(shared_access.c.request_id.in_(others)))
        .subquery()
    )
    known = select(shared_access.c.owner).where(shared_access.c.request_id == request_id)
    new = select(literal(request_id), owners.c.owner).where(owners.c.owner.not_in(known))
    tx.execute(insert(shared_access).from_select(["request_id", "owner"], new))


@retry_transient
def save_profile(
    db: Database, owner: str, pipeline: str, name: str, fields: Mapping[str, Any]
) -> None:
    """Save these order fields as the owner's profile of this name for the pipeline; replace an existing one.

    Raises IllegalTransitionError if the owner has too many profiles.
    """
    of_owner = (profiles.c.owner == owner, profiles.c.pipeline == pipeline)
    with db.writing() as tx:
        AdvisoryLock.PROFILES.take(tx, f"{owner} {pipeline}")
        # An older profile may have the same name in a decomposed spelling.
        tx.execute(delete(profiles).where(*of_owner, profiles.c.name.in_(list_normal_forms(name))))
        count = select(func.count()).where(*of_owner, profiles.c.name != DRAFT)
        if tx.execute(count).scalar_one() >= MOST_PROFILES:
            raise IllegalTransitionError(
                f"name: there are {MOST_PROFILES} profiles already; remove one first",
                code="many_profiles",
            )
        kept = {"fields": format_payload(fields), "updated_at": now()}
        tx.execute(insert(profiles).values(owner=owner, pipeline=pipeline, name=name, **kept))


@retry_transient
def save_draft(db: Database, owner: str, pipeline: str, form: Mapping[str, Any]) -> None:
    """Save the owner's unsent form of the pipeline in place of an earlier one; delete all that are too old."""
    drafts = (profiles.c.name == DRAFT,)
    with db.writing() as tx:
        AdvisoryLock.PROFILES.take(tx, f"{owner} {pipeline}")
        tx.execute(delete(profiles).where(*drafts, profiles.c.updated_at < after(-DRAFT_SECONDS)))
        _delete_draft(tx, owner, pipeline)
        kept = {"fields": format_payload(form), "updated_at": now()}
        tx.execute(insert(profiles).values(owner=owner, pipeline=pipeline, name=DRAFT, **kept))


@retry_transient
def delete_draft(db: Database, owner: str, pipeline: str) -> None:
    """Delete the owner's unsent form of the pipeline."""
    with db.writing() as tx:
        _delete_draft(tx, owner, pipeline)


def _delete_draft(tx: Connection, owner: str, pipeline: str) -> None:
    of_owner = (profiles.c.owner == owner, profiles.c.pipeline == pipeline)
    tx.execute(delete(profiles).where(*of_owner, profiles.c.name == DRAFT))


@retry_transient
def delete_profile(db: Database, owner: str, pipeline: str, name: str) -> None:
    """Delete the owner's profile of this name for the pipeline; raise UnknownProfileError if there is none."""
    of_owner = (profiles.c.owner == owner, profiles.c.pipeline == pipeline)
    named = profiles.c.name.in_(list_normal_forms(name))
    with db.writing() as tx:
        if tx.execute(delete(profiles).where(*of_owner, named)).rowcount == 0:
            raise UnknownProfileError(name)
