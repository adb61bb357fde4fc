"""Commands that give access: the API's keys, a link that logs in, and links to a result."""

from typing import Annotated, Any

import typer

from castad.cli.context import AsJson, TaskId, acting_person, open_ledger
from castad.stack.admin_key import create_login_link, find_admin_key, read_address
from castad.stack.output import (
    build_table,
    print_json,
    print_line,
    print_outcome,
    print_result,
    print_status,
)
from resources.contract.errors import InvalidInputError
from resources.delivery.webhooks import make_secret
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownKeyError
from resources.ledger.queries.access import (
    ApiKey,
    Scope,
    Secret,
    ShareLink,
    check_name,
    check_rate_limit,
    get_active_key,
    list_keys,
    list_share_links,
    parse_scopes,
)
from resources.ledger.queries.status import get_request
from resources.ledger.request import Token
from resources.ledger.transitions.access import (
    create_key,
    revoke_key,
    revoke_share_link,
    set_webhook_secret,
    share_request,
)
from resources.process.configure_logging import format_utc
from resources.process.settings import settings
from resources.views.text import readable

_DEFAULT_SCOPES = (Scope.ORDER, Scope.READ)
_LOCAL = "http://127.0.0.1:8000"
app = typer.Typer(add_completion=False)
key = typer.Typer(help="Manage the keys of the API.", no_args_is_help=True)
app.add_typer(key, name="key")


@key.command(
    "create",
    epilog="castad key create shop-frontend --owner shop\n\n"
    "castad key create prometheus --scope admin --rate 60",
)
def key_create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The key's name, such as its use")],
    owner: Annotated[
        str | None, typer.Option(help=r"The owner whose orders the key reaches \[the key's name]")
    ] = None,
    scope: Annotated[
        list[str],
        typer.Option(help=r"The scope: order, read or admin; repeatable \[order and read]"),
    ] = [],  # noqa: B006
    rate: Annotated[int | None, typer.Option(help=r"Calls a minute \[no limit]")] = None,
    as_json: AsJson = False,
) -> None:
    """Create a key and print it, this one time; the ledger stores only its hash."""
    secret = Secret.new()
    create_key(
        open_ledger(),
        secret,
        name=check_name("NAME", name),
        owner=check_name("--owner", owner or name),
        scopes=parse_scopes(scope or _DEFAULT_SCOPES),
        rate_per_minute=check_rate_limit(rate),
    )
    if as_json:
        print_json({"id": secret.id, "key": secret.text})
        return
    print_line(secret.text)
    print_status(f"store it now: it is not shown again; `castad key revoke {secret.id}` revokes it")


@key.command("list", epilog="castad key list --json")
def key_list(as_json: AsJson = False) -> None:
    """List all keys, including revoked ones."""
    keys = list_keys(open_ledger())
    if as_json:
        print_json({"keys": [_describe_key(each) for each in keys]})
    elif keys:
        rows = [
            (
                key.id,
                key.name,
                key.owner,
                ", ".join(sorted(key.scopes)),
                "no limit" if key.rate_per_minute is None else f"{key.rate_per_minute:,}",
                format_utc(key.created_at),
                "revoked" if key.revoked_at else "",
            )
            for key in keys
        ]
        heads = ("id", "name", "owner", "scopes", "calls a minute", "created", "")
        print_result(build_table(heads, rows))
    else:
        print_status("no keys; `castad key create NAME` creates one")


def _describe_key(key: ApiKey) -> dict[str, Any]:
    return {
        **vars(key),
        "scopes": sorted(key.scopes),
        "created_at": format_utc(key.created_at),
        "revoked_at": key.revoked_at and format_utc(key.revoked_at),
    }


@key.command("revoke", epilog="castad key revoke 1a2b3c4d5e6f")
def key_revoke(
    key_id: Annotated[str, typer.Argument(metavar="KEY_ID", help="The id in `castad key list`")],
    as_json: AsJson = False,
) -> None:
    """Revoke a key; the API refuses it after a second at most."""
    revoke_key(open_ledger(), key_id)
    print_outcome({"id": key_id, "revoked": True}, f"{key_id} is revoked", as_json=as_json)


@key.command(
    "webhook-secret",
    epilog="castad key webhook-secret shop-frontend\n\ncastad key webhook-secret shop-frontend --rotate",
)
def key_webhook_secret(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The key's name or id")],
    rotate: Annotated[
        bool,
        typer.Option("--rotate", help="Make a new one; the former one signs beside it for a day"),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make the secret that signs the webhooks of the key's owner, and print it, this one time."""
    of_key = get_active_key(open_ledger(), name)
    secret = make_secret()
    set_webhook_secret(open_ledger(), of_key, secret, rotate=rotate)
    if as_json:
        print_json({"id": of_key.id, "owner": of_key.owner, "webhook_secret": secret})
        return
    print_line(secret)
    print_status(
        f"store it now: it is not shown again; it signs the webhooks of the orders of {of_key.owner}"
    )


@app.command("login-link", epilog="castad login-link --key shop")
def login_link(
    key: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=r"The key's name or id \[the first admin's key]"),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(help=r"The API's address \[CASTAD_PUBLIC_URL, else http://127.0.0.1:8000]"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print a link to the page that logs in with a key, once, within 15 minutes."""
    db = open_ledger()
    found = find_admin_key(db) if key is None else get_active_key(db, key)
    if found is None:
        raise UnknownKeyError("admin")
    link = create_login_link(db, found, url or _base_url())
    if as_json:
        print_json({"url": link, "key": found.name})
        return
    print_line(link)
    print_status(f"it logs in as {found.name}, once, within 15 minutes: give it to nobody else")


@app.command(epilog="castad share order-1a2b3c --days 30")
def share(
    task_id: TaskId,
    days: Annotated[int, typer.Option(min=1, max=90, help="The link ends after so many days")] = 7,
    revoke: Annotated[
        str | None, typer.Option(metavar="ID", help="Revoke this link of the order instead")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the order's links instead")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a link by which anybody sees the result of a completed order, without a key."""
    db = open_ledger()
    if revoke is not None and list_:
        raise InvalidInputError("castad share", "expected one of --list and --revoke")
    if list_:
        links = list_share_links(db, get_request(db, task_id).id)
        if as_json:
            print_json({"links": [_describe_link(link) for link in links]})
        elif not links:
            print_status("no share links; `castad share TASK_ID` makes one")
        for link in () if as_json else links:
            state = "revoked" if link.revoked_at else f"until {format_utc(link.expires_at)}"
            print_line(f"{link.id}  {state}  by {readable(link.created_by)}")
    elif revoke is not None:
        link = revoke_share_link(db, get_request(db, task_id).id, revoke)
        print_outcome(_describe_link(link), f"{link.id} is revoked", as_json=as_json)
    else:
        _share(db, task_id, days, as_json=as_json)


def _share(db: Database, task_id: str, days: int, *, as_json: bool) -> None:
    token = Token.new()
    link = share_request(db, task_id, token, days=days, created_by=acting_person())
    url = f"{_base_url()}/s/{token.text}"
    if as_json:
        print_json({"id": link.id, "url": url, "expires_at": format_utc(link.expires_at)})
        return
    print_line(url)
    print_status(
        f"whoever has it sees the result until {format_utc(link.expires_at)}; "
        f"`castad share {task_id} --revoke {link.id}` ends that"
    )


def _describe_link(link: ShareLink) -> dict[str, str | None]:
    return {
        "id": link.id,
        "created_by": readable(link.created_by),
        "created_at": format_utc(link.created_at),
        "expires_at": format_utc(link.expires_at),
        "revoked_at": link.revoked_at and format_utc(link.revoked_at),
    }


def _base_url() -> str:
    """Where people reach the API, as far as it is known."""
    known = settings().public_url or read_address(settings().home) or _LOCAL
    return str(known).rstrip("/")
