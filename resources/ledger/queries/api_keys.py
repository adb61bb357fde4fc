"""API keys and their scopes. A key's text is shown once, when it is created; the ledger stores a hash of it."""

import hashlib
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hmac import compare_digest
from typing import Any

from sqlalchemy import bindparam, select

from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import SeveralKeysError, UnknownKeyError
from resources.ledger.schema.tables import api_keys

_KEY = re.compile(r"castad_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,99}")
MOST_PER_MINUTE = 1_000_000


class Scope(StrEnum):
    """What a key allows."""

    ORDER = "order"
    """Submit orders, and cancel, retry or redo one's own."""
    READ = "read"
    """Read one's own orders and fetch their artifacts."""
    ADMIN = "admin"
    """Both for the orders of all owners, and all operations that are not limited to one owner."""


@dataclass(frozen=True)
class ApiKey:
    """A stored key; without `rate_per_minute` its rate is not limited."""

    id: str
    name: str
    owner: str
    scopes: frozenset[Scope]
    rate_per_minute: int | None
    created_at: datetime
    revoked_at: datetime | None

    @property
    def is_admin(self) -> bool:
        """Whether the key gives access to the orders of all owners."""
        return Scope.ADMIN in self.scopes

    def allows(self, scope: Scope) -> bool:
        """Whether the key has this scope."""
        return scope in self.scopes or self.is_admin


@dataclass(frozen=True)
class Secret:
    """A key with its secret: `text` is the whole key."""

    id: str
    text: str

    @classmethod
    def new(cls) -> "Secret":
        """A key with 256 random bits."""
        key_id = secrets.token_hex(6)
        return cls(key_id, f"castad_{key_id}_{secrets.token_urlsafe(32)}")

    @classmethod
    def read(cls, text: str) -> "Secret | None":
        """The key in a text from a client; None where it is malformed."""
        match = _KEY.fullmatch(text)
        return None if match is None else cls(match[1], text)

    @property
    def hash(self) -> str:
        """The stored hash. For a long random text SHA-256 is as safe as a slow hash."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def check_name(field: str, name: str) -> str:
    """The name as given; raises InvalidInputError where it is not valid for a key or an owner."""
    if not _NAME.fullmatch(name):
        raise InvalidInputError(
            field,
            "expected 1 to 100 letters, digits, '_', '.', '@' or '-', beginning with a letter or digit",
        )
    return name


def check_scopes(given: Iterable[str]) -> frozenset[Scope]:
    """The scopes with these names; raises InvalidInputError."""
    try:
        scopes = frozenset(Scope(name) for name in given)
    except ValueError:
        scopes = frozenset()
    if not scopes:
        raise InvalidInputError("scope", "expected order, read or admin")
    return scopes


def check_rate(rate_per_minute: int | None) -> int | None:
    """The rate limit as given; raises InvalidInputError."""
    if rate_per_minute is not None and not 1 <= rate_per_minute <= MOST_PER_MINUTE:
        raise InvalidInputError("rate", f"expected 1 to {MOST_PER_MINUTE:,} calls a minute")
    return rate_per_minute


@retry_transient
def find_active_key(db: Database, secret: Secret) -> ApiKey | None:
    """The key with this secret, None where there is none or it was revoked."""
    with db.reading() as tx:
        row = tx.execute(_BY_ID, {"key_id": secret.id}).one_or_none()
    if row is None or not compare_digest(row.secret_hash, secret.hash) or row.revoked_at:
        return None
    return key_of_row(row)


@retry_transient
def is_key_active(db: Database, key_id: str) -> bool:
    """Whether the key exists and was not revoked."""
    with db.reading() as tx:
        row = tx.execute(_BY_ID, {"key_id": key_id}).one_or_none()
    return row is not None and row.revoked_at is None


@retry_transient
def active_key(db: Database, name: str) -> ApiKey:
    """The valid key with this id, or the only one with this name; raises UnknownKeyError, SeveralKeysError."""
    valid = [key for key in list_keys(db) if key.revoked_at is None]
    found = [key for key in valid if key.id == name] or [key for key in valid if key.name == name]
    if not found:
        raise UnknownKeyError(name)
    if len(found) > 1:
        raise SeveralKeysError(name)
    return found[0]


@retry_transient
def list_keys(db: Database) -> list[ApiKey]:
    """Every key, including revoked ones, oldest first."""
    with db.reading() as tx:
        return [key_of_row(row) for row in tx.execute(_ALL)]


@retry_transient
def active_keys_by_hash(db: Database) -> dict[str, ApiKey]:
    """Every valid key, by the hash of its secret."""
    with db.reading() as tx:
        return {
            row.secret_hash: key_of_row(row) for row in tx.execute(_ALL) if row.revoked_at is None
        }


def key_of_row(row: Any) -> ApiKey:
    """The key of a row that has the columns of `api_keys`."""
    scopes = frozenset(Scope(name) for name in row.scopes.split() if name in set(Scope))
    return ApiKey(
        row.id,
        row.name,
        row.owner,
        scopes,
        row.rate_per_minute,
        row.created_at,
        row.revoked_at,
    )


_ALL = select(api_keys).order_by(api_keys.c.created_at, api_keys.c.id)
_BY_ID = select(api_keys).where(api_keys.c.id == bindparam("key_id"))
