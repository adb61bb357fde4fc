"""The commands of `castad key`; `keys.py` does the work and is imported on demand."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else")]

key = typer.Typer(help="Manage the keys of the API.", no_args_is_help=True)


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
    from castad.cli.keys import create

    create(name, owner, scope, rate, as_json=as_json)


@key.command("list", epilog="castad key list --json")
def key_list(as_json: AsJson = False) -> None:
    """List all keys, including revoked ones."""
    from castad.cli.keys import show

    show(as_json=as_json)


@key.command("revoke", epilog="castad key revoke 1a2b3c4d5e6f")
def key_revoke(
    key_id: Annotated[str, typer.Argument(metavar="KEY_ID", help="The id in `castad key list`")],
    as_json: AsJson = False,
) -> None:
    """Revoke a key; the API refuses it after a second at most."""
    from castad.cli.keys import revoke

    revoke(key_id, as_json=as_json)


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
    from castad.cli.keys import make_webhook_secret

    make_webhook_secret(name, rotate=rotate, as_json=as_json)
