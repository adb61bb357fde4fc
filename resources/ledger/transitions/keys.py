"""Transitions of API keys: created, revoked, given a webhook secret."""

from collections.abc import Iterable

from sqlalchemy import func, update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import SecretExistsError, UnknownKeyError
from resources.ledger.queries.api_keys import ApiKey, Scope, Secret, is_key_active
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import api_keys
from resources.ledger.transitions.upsert import upsert


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
