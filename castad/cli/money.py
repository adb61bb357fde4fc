"""Commands about money: what an order will cost, lost submissions, parked providers."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from castad.orders.linked_pictures import DRY_RUN_SECONDS, refuse_dead_links
from castad.orders.pricing import prices_of
from castad.orders.submit import build_order
from castad.readmodels.views import cost_table, usd
from castad.stack.output import print_json, print_line, print_result, print_status
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database, open_database
from resources.ledger.moves.providers import unpark
from resources.ledger.moves.resolve import attach, give_up, resubmit
from resources.ledger.queries.reads import get_request
from resources.ledger.queries.spending import parked_providers, submission_in_doubt
from resources.ledger.request import Request
from resources.process.settings import Settings, settings
from resources.providers.registry import picture_source, provider_for

_LONGEST_ID = 200


def price_one(
    file: Path | None, options: Mapping[str, Any], images: Sequence[str], *, as_json: bool
) -> None:
    """The order and the pictures that it links to have been checked, and its price printed; nothing was taken.

    Raises InvalidInputError.
    """
    config = settings()
    order = build_order(file, options, images, config, store_pictures=False)
    refuse_dead_links(order.payload, picture_source(config), DRY_RUN_SECONDS)
    prices = prices_of(order.payload, config)
    if as_json:
        print_json(_priced(prices, order.payload, config))
        return
    print_result(cost_table(prices, {stage: config.provider(stage) for stage in prices}))
    print_status("nothing was ordered; a retry after a vendor's failure can cost a stage again")


def _priced(prices: Mapping[str, int], payload: Mapping[str, Any], config: Settings) -> Any:
    stages = [
        {"stage": stage, "provider": config.provider(stage), "cost_usd": usd(price)}
        for stage, price in prices.items()
    ]
    return {
        "dry_run": True,
        "order": dict(payload),
        "stages": stages,
        "cost_usd": usd(sum(prices.values())),
        "max_cost_usd": config.max_cost,
    }


def resolve_one(
    task_id: str, external_id: str | None, *, again: bool, give_it_up: bool, as_json: bool
) -> None:
    """The submission in doubt is settled as the person says.

    Raises InvalidInputError, and what the ledger or the provider has against it.
    """
    db = open_database(settings().ledger_url)
    resolution = _chosen_resolution(external_id, again=again, give_it_up=give_it_up)
    if external_id is not None:
        _refuse_other_orders_job(db, task_id, external_id.strip())
    request = resolution(db, task_id)
    if as_json:
        print_json({"task_id": request.task_id, "status": str(request.status)})
    elif give_it_up:
        print_line(f"{task_id} is given up; `castad retry {task_id}` would order anew")
    else:
        print_line(f"{task_id} is pending; `castad watch {task_id}` goes on with it")


def _chosen_resolution(
    external_id: str | None, *, again: bool, give_it_up: bool
) -> Callable[[Database, str], Request]:
    if [external_id is not None, again, give_it_up].count(True) != 1:
        raise InvalidInputError("--attach, --resubmit, --give-up", "expected exactly one of them")
    if external_id is None:
        return resubmit if again else give_up
    found = external_id.strip()
    if not 0 < len(found) <= _LONGEST_ID or not found.isprintable():
        raise InvalidInputError("--attach", "expected the provider's id of the job")
    return lambda db, task_id: attach(db, task_id, found)


def _refuse_other_orders_job(db: Database, task_id: str, external_id: str) -> None:
    """Return where the provider does not say that the job is another order's; one that cannot say is believed."""
    config, doubt = settings(), submission_in_doubt(db, get_request(db, task_id))
    if doubt is None or config.provider(doubt.stage) != doubt.provider:
        return
    owned = provider_for(doubt.stage, config).owns(external_id, doubt.token)
    if owned is False:
        raise InvalidInputError(
            "--attach", f"{doubt.provider} says that {external_id} was ordered for something else"
        )
    if owned is None:
        print_status(f"note: {doubt.provider} does not tell for what {external_id} was ordered")


def unpark_providers(name: str | None, *, as_json: bool) -> None:
    """The provider, or every one, is asked again at once. Raises InvalidInputError for one that is not parked."""
    db = open_database(settings().ledger_url)
    parked = [parking.provider for parking in parked_providers(db)]
    if name is not None and name not in parked:
        listed = ", ".join(parked) or "none is"
        raise InvalidInputError("PROVIDER", f"expected one that is parked: {listed}")
    freed = [provider for provider in parked if name in (None, provider) and unpark(db, provider)]
    if as_json:
        print_json({"unparked": freed})
    elif freed:
        print_line(f"{', '.join(freed)}: asked again at once, and the orders that waited are due")
    else:
        print_status("no provider is parked")
