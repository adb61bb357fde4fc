"""The commands that make links to the page; `page_links.py` does the work and is imported on demand."""

from typing import Annotated

import typer

from castad.cli.key_app import AsJson


def add_page_links(app: typer.Typer) -> None:
    """The application has `castad login-link` and `castad share`."""

    @app.command("login-link", epilog="castad login-link --key shop")
    def login_link(
        key: Annotated[
            str | None,
            typer.Option(metavar="NAME", help=r"The key's name or id \[the first admin's key]"),
        ] = None,
        url: Annotated[
            str | None,
            typer.Option(
                help=r"The API's address \[CASTAD_PUBLIC_URL, else http://127.0.0.1:8000]"
            ),
        ] = None,
        as_json: AsJson = False,
    ) -> None:
        """Print a link to the page that logs in with a key, once, within 15 minutes."""
        from castad.cli.page_links import print_login_link

        print_login_link(key, url, as_json=as_json)

    @app.command(epilog="castad share order-1a2b3c --days 30")
    def share(
        task_id: Annotated[str, typer.Argument(metavar="TASK_ID", help="The order's name")],
        days: Annotated[
            int, typer.Option(min=1, max=90, help="The link ends after so many days")
        ] = 7,
        revoke: Annotated[
            str | None, typer.Option(metavar="ID", help="Revoke this link of the order instead")
        ] = None,
        list_: Annotated[
            bool, typer.Option("--list", help="List the order's links instead")
        ] = False,
        as_json: AsJson = False,
    ) -> None:
        """Print a link by which anybody sees the result of a completed order, without a key."""
        from castad.cli.page_links import run_share

        run_share(task_id, days=days, revoke=revoke, is_list=list_, as_json=as_json)
