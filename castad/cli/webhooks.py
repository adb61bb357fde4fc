"""`castad webhooks`: what is sent to orders' callback_url."""

from typing import Annotated

import typer

from castad.cli.context import AsJson, open_ledger
from castad.readmodels.webhooks import build_order_webhook_body, build_webhooks_table
from castad.stack.output import print_json, print_line, print_result, print_status
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.queries.webhooks import list_deliveries
from resources.ledger.schema.tables import UNDELIVERED
from resources.ledger.transitions.webhooks import replay_webhooks

_MOST = 200
app = typer.Typer(add_completion=False)


@app.command(
    epilog="castad webhooks --failed\n\ncastad webhooks --replay 7\n\ncastad webhooks --replay-failed"
)
def webhooks(
    failed: Annotated[
        bool, typer.Option("--failed", help="List only those that are tried no more")
    ] = False,
    replay: Annotated[
        int | None, typer.Option(metavar="ID", help="Send this one again, whatever became of it")
    ] = None,
    replay_failed: Annotated[
        bool, typer.Option("--replay-failed", help="Send all again that are tried no more")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the newest webhooks, which tell an order's callback_url that it has ended; or send some again."""
    db = open_ledger()
    if failed + (replay is not None) + replay_failed > 1:
        raise InvalidInputError(
            "castad webhooks", "expected one of --failed, --replay and --replay-failed"
        )
    if replay_failed or replay is not None:
        _say_replayed(replay_webhooks(db, replay), as_json=as_json)
    else:
        _show_webhooks(db, failed=failed, as_json=as_json)


def _say_replayed(count: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"replayed": count})
    else:
        print_line(f"webhooks that are sent again: {count}; `castad up` sends them")


def _show_webhooks(db: Database, *, failed: bool, as_json: bool) -> None:
    found = list_deliveries(db, statuses=UNDELIVERED if failed else (), limit=_MOST)
    if as_json:
        bodies = [build_order_webhook_body(each).model_dump(mode="json") for each in found]
        print_json({"webhooks": bodies})
    elif found:
        print_result(build_webhooks_table(found))
    else:
        print_status("no webhooks" if not failed else "no webhook has failed for good")
