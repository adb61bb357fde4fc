"""The commands of `castad key`; what they do is in `keys.py`, imported when needed."""

from typing import Annotated, Optional

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else")]

key = typer.Typer(help="The keys of the API: who may ask for what.", no_args_is_help=True)


@key.command(
    "create",
    epilog="castad key create shop-frontend --owner shop\n\n"
    "castad key create prometheus --scope admin --rate 60",
)
def key_create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is for")],
    owner: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Whose orders it reaches; the key's own name where left out"),
    ] = None,
    scope: Annotated[
        list[str], typer.Option(help="order, read or admin; repeatable [order and read]")
    ] = [],  # noqa: B006
    rate: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Calls a minute [no limit]"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and print it, this one time; the ledger keeps only a hash."""
    from castad.cli.keys import create

    create(name, owner, scope, rate, as_json=as_json)


@key.command("list", epilog="castad key list --json")
def key_list(as_json: AsJson = False) -> None:
    """List the keys, revoked ones too."""
    from castad.cli.keys import show

    show(as_json=as_json)


@key.command("revoke", epilog="castad key revoke 1a2b3c4d5e6f")
def key_revoke(
    key_id: Annotated[str, typer.Argument(metavar="KEY_ID", help="As `castad key list` names it")],
    as_json: AsJson = False,
) -> None:
    """From a second from now on the key opens nothing any more."""
    from castad.cli.keys import revoke

    revoke(key_id, as_json=as_json)
