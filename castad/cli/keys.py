"""The work of `castad key`."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from castad.stack.output import print_json, print_line, print_result, print_status
from resources.delivery.webhooks import make_secret
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.access import (
    ApiKey,
    Scope,
    Secret,
    check_name,
    check_rate_limit,
    get_active_key,
    list_keys,
    parse_scopes,
)
from resources.ledger.transitions.access import create_key, revoke_key, set_webhook_secret
from resources.process.configure_logging import format_utc
from resources.process.settings import settings

_DEFAULT_SCOPES = (Scope.ORDER, Scope.READ)


def _ledger() -> Database:
    return open_database(settings().ledger_url)


def create(
    name: str, owner: str | None, scopes: Sequence[str], rate: int | None, *, as_json: bool
) -> None:
    """The key was created and printed. Raises InvalidInputError."""
    secret = Secret.new()
    create_key(
        _ledger(),
        secret,
        name=check_name("NAME", name),
        owner=check_name("--owner", owner or name),
        scopes=parse_scopes(scopes or _DEFAULT_SCOPES),
        rate_per_minute=check_rate_limit(rate),
    )
    if as_json:
        print_json({"id": secret.id, "key": secret.text})
        return
    print_line(secret.text)
    print_status(f"store it now: it is not shown again; `castad key revoke {secret.id}` revokes it")


def show(*, as_json: bool) -> None:
    """The keys were printed, without their secrets."""
    keys = list_keys(_ledger())
    if as_json:
        print_json({"keys": [_as_json(key) for key in keys]})
    elif keys:
        print_result(_table(keys))
    else:
        print_status("no keys; `castad key create NAME` creates one")


def _as_json(key: ApiKey) -> dict[str, Any]:
    return {
        **vars(key),
        "scopes": sorted(key.scopes),
        "created_at": format_utc(key.created_at),
        "revoked_at": key.revoked_at and format_utc(key.revoked_at),
    }


def _table(keys: Sequence[ApiKey]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("id", "name", "owner", "scopes", "calls a minute", "created", ""):
        table.add_column(column)
    for key in keys:
        table.add_row(
            key.id,
            key.name,
            key.owner,
            ", ".join(sorted(key.scopes)),
            "no limit" if key.rate_per_minute is None else f"{key.rate_per_minute:,}",
            format_utc(key.created_at),
            "revoked" if key.revoked_at else "",
        )
    return table


def revoke(key_id: str, *, as_json: bool) -> None:
    """The key is revoked. Raises UnknownKeyError."""
    revoke_key(_ledger(), key_id)
    if as_json:
        print_json({"id": key_id, "revoked": True})
    else:
        print_line(f"{key_id} is revoked")


def make_webhook_secret(name: str, *, rotate: bool, as_json: bool) -> None:
    """The key has a new webhook secret, which was printed.

    Raises UnknownKeyError, SeveralKeysError, SecretExistsError.
    """
    key = get_active_key(_ledger(), name)
    secret = make_secret()
    set_webhook_secret(_ledger(), key, secret, rotate=rotate)
    if as_json:
        print_json({"id": key.id, "owner": key.owner, "webhook_secret": secret})
        return
    print_line(secret)
    print_status(
        f"store it now: it is not shown again; it signs the webhooks of the orders of {key.owner}"
    )
