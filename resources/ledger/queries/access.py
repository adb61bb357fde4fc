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
from resources.ledger.queries.overview import Overview, StageView, build_overview
from resources.ledger.queries.status import list_columns, parse_object
from resources.ledger.request import Token
from resources.ledger.schema.sqltime import after, now
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
    """The operations that an API key allows."""

    ORDER = "order"
    """Submit orders, and cancel, retry or redo one's own."""
    READ = "read"
    """Read one's own orders and fetch their artifacts."""
    ADMIN = "admin"
    """Submit and read the orders of all owners, and all operations that are not limited to one owner."""


@dataclass(frozen=True)
class ApiKey:
    """A stored API key, without its secret; the calls are unlimited if `rate_per_minute` is None."""

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
        """Return whether the key has this scope; an admin key has all of them."""
        return scope in self.scopes or self.is_admin


@dataclass(frozen=True)
class Secret:
    """The secret text of an API key; `text` is the whole key as a client sends it, `id` the public part of it."""

    id: str
    text: str

    @classmethod
    def new(cls) -> "Secret":
        """Generate a new random key of 256 bits."""
        key_id = secrets.token_hex(6)
        return cls(key_id, f"castad_{key_id}_{secrets.token_urlsafe(32)}")

    @classmethod
    def read(cls, text: str) -> "Secret | None":
        """Parse the key that a client sent; return None if the text is malformed."""
        match = _KEY.fullmatch(text)
        return None if match is None else cls(match[1], text)

    @property
    def hash(self) -> str:
        """The SHA-256 hash that is stored. For a long random text it is as safe as a slow hash."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def check_name(field: str, name: str) -> str:
    """Return the name of a key or an owner unchanged.

    Raise InvalidInputError naming `field` if it is not valid.
    """
    if not _NAME.fullmatch(name):
        raise InvalidInputError(
            field,
            "expected 1 to 100 letters, digits, '_', '.', '@' or '-', beginning with a letter or digit",
        )
    return name


def parse_scopes(given: Iterable[str]) -> frozenset[Scope]:
    """Parse the names of scopes; raise InvalidInputError if one is unknown or there is none."""
    try:
        scopes = frozenset(Scope(name) for name in given)
    except ValueError:
        scopes = frozenset()
    if not scopes:
        raise InvalidInputError("scope", "expected order, read or admin")
    return scopes


def check_rate_limit(rate_per_minute: int | None) -> int | None:
    """Return the rate limit unchanged; raise InvalidInputError if it is out of range. None means unlimited."""
    if rate_per_minute is not None and not 1 <= rate_per_minute <= MOST_PER_MINUTE:
        raise InvalidInputError("rate", f"expected 1 to {MOST_PER_MINUTE:,} calls a minute")
    return rate_per_minute


def find_active_key(db: Database, secret: Secret) -> ApiKey | None:
    """Find the stored key with this secret; return None if it does not exist or was revoked."""
    row = db.fetch_one(_BY_ID, key_id=secret.id)
    if row is None or not compare_digest(row.secret_hash, secret.hash) or row.revoked_at:
        return None
    return make_api_key(row)


def is_key_active(db: Database, key_id: str) -> bool:
    """Return whether the key with this id exists and was not revoked."""
    row = db.fetch_one(_BY_ID, key_id=key_id)
    return row is not None and row.revoked_at is None


@retry_transient
def get_active_key(db: Database, name: str) -> ApiKey:
    """Return the key that is not revoked and has this id, or else this name.

    Raises UnknownKeyError if there is none, and SeveralKeysError if several have the name.
    """
    valid = [key for key in list_keys(db) if key.revoked_at is None]
    found = [key for key in valid if key.id == name] or [key for key in valid if key.name == name]
    if not found:
        raise UnknownKeyError(name)
    if len(found) > 1:
        raise SeveralKeysError(name)
    return found[0]


def list_keys(db: Database) -> list[ApiKey]:
    """List all API keys, the oldest first; revoked keys are included."""
    return [make_api_key(row) for row in db.fetch_all(_ALL)]


def read_active_keys_by_hash(db: Database) -> dict[str, ApiKey]:
    """Read all keys that are not revoked, by the hash of their secret."""
    return {
        row.secret_hash: make_api_key(row) for row in db.fetch_all(_ALL) if row.revoked_at is None
    }


def make_api_key(row: Any) -> ApiKey:
    """Build an ApiKey from a row with the columns of `api_keys`; unknown scopes are dropped."""
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
    """The API key behind a browser session; it is valid only while both the key and the session are."""

    session_hash: str
    session_expires_at: datetime


def find_session_key(db: Database, session_hash: str) -> SessionKey | None:
    """Find the key of the session with this hash; return None if the session has ended or the key was revoked."""
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
    return SessionKey(
        **vars(make_api_key(row)), session_hash=session_hash, session_expires_at=row.ends
    )


def is_login_link_open(db: Database, link_hash: str) -> bool:
    """Return whether the login link with this hash exists and has not expired."""
    query = select(login_links.c.token_hash).where(
        login_links.c.token_hash == link_hash, login_links.c.expires_at > now()
    )
    return db.fetch_one(query) is not None


@dataclass(frozen=True)
class ShareLink:
    """A stored link that shows a request to anyone who has it. Only its creator has its token."""

    id: str
    created_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


def list_share_links(db: Database, request_id: int) -> list[ShareLink]:
    """List the request's share links that have not expired, the newest first; revoked links are included."""
    query = (
        select(*list_columns(share_links, ShareLink))
        .where(share_links.c.request_id == request_id, share_links.c.expires_at > now())
        .order_by(share_links.c.created_at.desc(), share_links.c.id)
    )
    return [ShareLink(*row) for row in db.fetch_all(query)]


def read_shared_overview(db: Database, token: Token) -> Overview:
    """Read the request behind a share link, with the stage results that it had when the link was created.

    The artifacts of all generations are included. Raises UnknownShareLinkError if the link is unknown, expired
    or revoked. Raises it too if a stage has no result of that time.
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
    """Replace a stage's view by its completed generation in `row`, a row of `stages`."""
    return replace(
        view,
        generation=row.generation,
        status=StageStatus.COMPLETED,
        result=json.loads(row.result),
        completed_at=row.completed_at,
    )


@dataclass(frozen=True)
class Profile:
    """Saved values for an owner's orders of one pipeline.

    `fields` maps order fields to values, which are not validated.
    """

    pipeline: str
    name: str
    fields: Mapping[str, Any]


DRAFT_SECONDS = 30 * 86_400
"""How long an unsent form is kept."""
DRAFT = "/draft"
"""The name of the profile that keeps an owner's unsent form of a pipeline; a person's has no slash."""


def find_draft(db: Database, owner: str, pipeline: str) -> Mapping[str, Any] | None:
    """Find what is kept of the owner's unsent form of the pipeline; return None if nothing is."""
    of_owner = (profiles.c.owner == owner, profiles.c.pipeline == pipeline)
    is_kept = (profiles.c.name == DRAFT, profiles.c.updated_at >= after(-DRAFT_SECONDS))
    found = db.fetch_value(select(profiles.c.fields).where(*of_owner, *is_kept))
    return None if found is None else parse_object(found)


def list_profiles(db: Database, owner: str, pipeline: str | None = None) -> list[Profile]:
    """List the owner's profiles by name; `pipeline` limits the list to one pipeline, None lists all."""
    of_owner = (profiles.c.owner == owner, profiles.c.name != DRAFT)
    query = select(profiles).where(*of_owner).order_by(profiles.c.name)
    if pipeline is not None:
        query = query.where(profiles.c.pipeline == pipeline)
    return [
        Profile(row.pipeline, row.name, parse_object(row.fields)) for row in db.fetch_all(query)
    ]


def find_profile(db: Database, owner: str, pipeline: str, name: str) -> Profile | None:
    """Find the owner's profile of this name; return None if there is none.

    Names are compared in composed Unicode form, because a stored one may be decomposed.
    """
    name = normalize_to_nfc(name)
    return next(
        (
            each
            for each in list_profiles(db, owner, pipeline)
            if normalize_to_nfc(each.name) == name
        ),
        None,
    )
