"""Read the keys, sessions and share links that give access, and the owners' profiles."""

import hashlib
import json
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from hmac import compare_digest
from typing import Any

from sqlalchemy import bindparam, select

from resources.contract.errors import InvalidInputError
from resources.contract.written_text import normalize_to_nfc
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import SeveralKeysError, UnknownKeyError, UnknownShareLinkError
from resources.ledger.queries.health import Overview, StageView, build_overview
from resources.ledger.queries.status import list_columns, parse_object
from resources.ledger.request import Token
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    StageStatus,
    Status,
    api_keys,
    login_links,
    profiles,
    requests,
    sessions,
    share_links,
    stages,
)

_KEY = re.compile(r"castad_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,99}")
MOST_PER_MINUTE = 1_000_000


class Scope(StrEnum):
    """The operations that a key allows."""

    ORDER = "order"
    """Submit orders, and cancel, retry or redo one's own."""
    READ = "read"
    """Read one's own orders and fetch their artifacts."""
    ADMIN = "admin"
    """Submit and read the orders of all owners, and all operations that are not limited to one owner."""


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
        """Check whether the key has this scope."""
        return scope in self.scopes or self.is_admin


@dataclass(frozen=True)
class Secret:
    """A key with its secret: `text` is the whole key."""

    id: str
    text: str

    @classmethod
    def new(cls) -> "Secret":
        """Make a key with 256 random bits."""
        key_id = secrets.token_hex(6)
        return cls(key_id, f"castad_{key_id}_{secrets.token_urlsafe(32)}")

    @classmethod
    def read(cls, text: str) -> "Secret | None":
        """Parse the key in a text from a client; None where it is malformed."""
        match = _KEY.fullmatch(text)
        return None if match is None else cls(match[1], text)

    @property
    def hash(self) -> str:
        """The stored hash. For a long random text SHA-256 is as safe as a slow hash."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def check_name(field: str, name: str) -> str:
    """Check a name of a key or an owner, and return it; raises InvalidInputError."""
    if not _NAME.fullmatch(name):
        raise InvalidInputError(
            field,
            "expected 1 to 100 letters, digits, '_', '.', '@' or '-', beginning with a letter or digit",
        )
    return name


def check_scopes(given: Iterable[str]) -> frozenset[Scope]:
    """Parse the scopes with these names; raises InvalidInputError."""
    try:
        scopes = frozenset(Scope(name) for name in given)
    except ValueError:
        scopes = frozenset()
    if not scopes:
        raise InvalidInputError("scope", "expected order, read or admin")
    return scopes


def check_rate(rate_per_minute: int | None) -> int | None:
    """Check a rate limit, and return it; raises InvalidInputError."""
    if rate_per_minute is not None and not 1 <= rate_per_minute <= MOST_PER_MINUTE:
        raise InvalidInputError("rate", f"expected 1 to {MOST_PER_MINUTE:,} calls a minute")
    return rate_per_minute


def find_active_key(db: Database, secret: Secret) -> ApiKey | None:
    """Find the key with this secret; None where it does not exist or was revoked."""
    row = db.fetch_one(_BY_ID, key_id=secret.id)
    if row is None or not compare_digest(row.secret_hash, secret.hash) or row.revoked_at:
        return None
    return make_key(row)


def is_key_active(db: Database, key_id: str) -> bool:
    """Check whether the key exists and was not revoked."""
    row = db.fetch_one(_BY_ID, key_id=key_id)
    return row is not None and row.revoked_at is None


@retry_transient
def get_active_key(db: Database, name: str) -> ApiKey:
    """Get the valid key with this id, or the only one with this name.

    Raises UnknownKeyError and SeveralKeysError.
    """
    valid = [key for key in list_keys(db) if key.revoked_at is None]
    found = [key for key in valid if key.id == name] or [key for key in valid if key.name == name]
    if not found:
        raise UnknownKeyError(name)
    if len(found) > 1:
        raise SeveralKeysError(name)
    return found[0]


def list_keys(db: Database) -> list[ApiKey]:
    """List all keys, including revoked ones, oldest first."""
    return [make_key(row) for row in db.fetch_all(_ALL)]


def read_active_keys_by_hash(db: Database) -> dict[str, ApiKey]:
    """Read all valid keys by the hash of their secrets."""
    return {row.secret_hash: make_key(row) for row in db.fetch_all(_ALL) if row.revoked_at is None}


def make_key(row: Any) -> ApiKey:
    """Make the key of a row that has the columns of `api_keys`."""
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


@dataclass(frozen=True)
class SessionKey(ApiKey):
    """The key of a session: valid while both are."""

    session_hash: str
    session_expires_at: datetime


def find_session_key(db: Database, session_hash: str) -> SessionKey | None:
    """Find the key of the session; None where the session has ended or the key was revoked."""
    query = (
        select(api_keys, sessions.c.expires_at.label("ends"))
        .join(sessions, sessions.c.key_id == api_keys.c.id)
        .where(
            sessions.c.token_hash == session_hash,
            sessions.c.expires_at > now(),
            api_keys.c.revoked_at.is_(None),
        )
    )
    row = db.fetch_one(query)
    if row is None:
        return None
    return SessionKey(**vars(make_key(row)), session_hash=session_hash, session_expires_at=row.ends)


def is_open_login_link(db: Database, link_hash: str) -> bool:
    """Check whether the login link with this hash may still be used."""
    query = select(login_links.c.token_hash).where(
        login_links.c.token_hash == link_hash, login_links.c.expires_at > now()
    )
    return db.fetch_one(query) is not None


@dataclass(frozen=True)
class ShareLink:
    """A share link without its token, which only its creator has."""

    id: str
    created_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


def list_share_links(db: Database, request_id: int) -> list[ShareLink]:
    """List the links of the request that have not expired, revoked ones too, the newest first."""
    query = (
        select(*list_columns(share_links, ShareLink))
        .where(share_links.c.request_id == request_id, share_links.c.expires_at > now())
        .order_by(share_links.c.created_at.desc(), share_links.c.id)
    )
    return [ShareLink(*row) for row in db.fetch_all(query)]


def read_shared_overview(db: Database, token: Token) -> Overview:
    """Read the overview of the request in its completed state at the creation of the link.

    Its stages have the generation of that moment, with all artifacts. Raises UnknownShareLinkError where the link
    is invalid, or no longer valid.
    """
    valid = (share_links.c.expires_at > now(), share_links.c.revoked_at.is_(None))
    find_link = (
        select(share_links.c.request_id, share_links.c.created_at, requests.c.task_id)
        .join(requests, share_links.c.request_id == requests.c.id)
        .where(share_links.c.token_hash == token.hash, *valid)
    )
    link = db.fetch_one(find_link)
    if link is None:
        raise UnknownShareLinkError
    # A link is made of a completed request: its result has the stages completed by then, the newest of each last.
    find_made = select(stages).where(
        stages.c.request_id == link.request_id,
        stages.c.completed_at <= link.created_at,
        stages.c.result.is_not(None),
    )
    then = {row.stage: row for row in db.fetch_all(find_made.order_by(stages.c.generation))}
    now_shown = build_overview(db, link.task_id)
    if not then or any(view.stage not in then for view in now_shown.stages):
        raise UnknownShareLinkError
    return replace(
        now_shown,
        request=replace(now_shown.request, status=Status.COMPLETED),
        stages=[_restore_shared(view, then[view.stage]) for view in now_shown.stages],
    )


def _restore_shared(view: StageView, row: Any) -> StageView:
    return replace(
        view,
        generation=row.generation,
        status=StageStatus.COMPLETED,
        result=json.loads(row.result),
        completed_at=row.completed_at,
    )


@dataclass(frozen=True)
class Profile:
    """A profile of an owner; `fields` are those of an order of the pipeline, not validated."""

    pipeline: str
    name: str
    fields: Mapping[str, Any]


def list_profiles(db: Database, owner: str, pipeline: str | None = None) -> list[Profile]:
    """List the owner's profiles by name: for orders of the pipeline, if one is given."""
    query = select(profiles).where(profiles.c.owner == owner).order_by(profiles.c.name)
    if pipeline is not None:
        query = query.where(profiles.c.pipeline == pipeline)
    return [
        Profile(row.pipeline, row.name, parse_object(row.fields)) for row in db.fetch_all(query)
    ]


def find_profile(db: Database, owner: str, pipeline: str, name: str) -> Profile | None:
    """Find the owner's profile of this name; an older one may have a decomposed name."""
    name = normalize_to_nfc(name)
    return next(
        (
            each
            for each in list_profiles(db, owner, pipeline)
            if normalize_to_nfc(each.name) == name
        ),
        None,
    )
