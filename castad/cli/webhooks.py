"""The work of `castad webhooks`."""

from castad.readmodels.webhooks import order_webhook_body, webhooks_view
from castad.stack.output import print_json, print_line, print_result, print_status
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.webhooks import list_deliveries
from resources.ledger.schema.tables import UNDELIVERED
from resources.ledger.transitions.webhooks import replay_webhooks
from resources.process.settings import settings

_MOST = 200


def run_webhooks(
    *, failed: bool, replay_id: int | None, replay_failed: bool, as_json: bool
) -> None:
    """The newest webhooks were printed, or the chosen ones are due. Raises UnknownDeliveryError."""
    db = open_database(settings().ledger_url)
    if failed + (replay_id is not None) + replay_failed > 1:
        raise InvalidInputError(
            "castad webhooks", "expected one of --failed, --replay and --replay-failed"
        )
    if replay_failed or replay_id is not None:
        _say_replayed(replay_webhooks(db, replay_id), as_json=as_json)
    else:
        _show(db, failed=failed, as_json=as_json)


def _say_replayed(count: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"replayed": count})
    else:
        print_line(f"webhooks that are sent again: {count}; `castad up` sends them")


def _show(db: Database, *, failed: bool, as_json: bool) -> None:
    found = list_deliveries(db, statuses=UNDELIVERED if failed else (), limit=_MOST)
    if as_json:
        bodies = [order_webhook_body(each).model_dump(mode="json") for each in found]
        print_json({"webhooks": bodies})
    elif found:
        print_result(webhooks_view(found))
    else:
        print_status("no webhooks" if not failed else "no webhook has failed for good")
