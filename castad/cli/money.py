"""Commands about money: the price of an order, submissions of unknown outcome, paused providers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from castad.cli.person import acting_person
from castad.orders.linked_pictures import DRY_RUN_SECONDS, refuse_dead_links
from castad.orders.manual_pause import pause_by_hand, pause_seconds, resume_by_hand
from castad.orders.pricing import StagePrice, prices_of, remarks_on, total_price
from castad.orders.resolve import Choice, resolve
from castad.orders.submit import build_order
from castad.readmodels.views import cost_table
from castad.stack.output import print_json, print_line, print_result, print_status
from resources.contract.errors import InvalidInputError
from resources.files.pictures import get_picture_source
from resources.ledger.db.database import open_database
from resources.ledger.queries.money import read_pauses
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.process.settings import Settings, settings
from resources.views.order_body import usd


def price_one(file: Path | None, options: Mapping[str, Any], as_json: bool) -> None:
    """The order and its linked pictures were checked, and its price was printed; nothing was submitted.

    Raises InvalidInputError.
    """
    config = settings()
    order = build_order(file, options, config, store_pictures=False)
    refuse_dead_links(order.pipeline, order.payload, get_picture_source(config), DRY_RUN_SECONDS)
    prices = prices_of(order.pipeline, order.payload, config)
    remarks = [each.sentence for each in remarks_on(order.pipeline, order.payload, config)]
    if as_json:
        print_json({**_priced(prices, order.payload, config), "remarks": remarks})
        return
    for sentence in remarks:
        print_status(f"note: {sentence}")
    costs = {each.stage: each.price for each in prices}
    print_result(cost_table(costs, {each.stage: each.provider for each in prices}))
    print_status("nothing was submitted; a retry after a vendor's failure can cost a stage again")


def _priced(prices: Sequence[StagePrice], payload: Mapping[str, Any], config: Settings) -> Any:
    stages = [
        {"stage": each.stage, "provider": each.provider or None, "cost_usd": usd(each.price)}
        for each in prices
    ]
    return {
        "dry_run": True,
        "order": dict(payload),
        "stages": stages,
        "cost_usd": usd(total_price(prices)),
        "max_cost_usd": config.max_cost,
    }


def resolve_one(
    task_id: str,
    external_id: str | None,
    *,
    again: bool,
    give_it_up: bool,
    attempt: int | None,
    as_json: bool,
) -> None:
    """The submission in doubt is resolved as the operator chose.

    Raises InvalidInputError, and the errors of the ledger and the provider.
    """
    choice = _chosen(external_id, again=again, give_it_up=give_it_up)
    db = open_database(settings().ledger_url)
    by = acting_person()
    resolved = resolve(
        db, task_id, choice, external_id, settings(), by, field="--attach", attempt=attempt
    )
    request = resolved.request
    if resolved.remark:
        print_status(f"note: {resolved.remark}")
    if as_json:
        print_json({"task_id": request.task_id, "status": str(request.status)})
    else:
        print_line(_what_follows(request, given_up=give_it_up))


def _what_follows(request: Request, *, given_up: bool) -> str:
    name = request.task_id
    if given_up:
        return f"{name} is dead; `castad retry {name}` would submit it to the vendor again"
    if request.status is Status.PENDING:
        return f"{name} is pending; `castad watch {name}` continues it"
    return (
        f"the job is stored, and {name} stays {request.status}, because another request is the same order; "
        f"once that one is dead or canceled, `castad retry {name}` continues with the job"
    )


def _chosen(external_id: str | None, *, again: bool, give_it_up: bool) -> Choice:
    if [external_id is not None, again, give_it_up].count(True) != 1:
        raise InvalidInputError("--attach, --resubmit, --give-up", "expected exactly one of them")
    if external_id is None:
        return "resubmit" if again else "give_up"
    return "attach"


def pause_one(name: str, pause: str, reason: str, *, as_json: bool) -> None:
    """Nothing is submitted to the provider until the pause is over. Raises InvalidInputError."""
    seconds = pause_seconds("--for", pause)
    db = open_database(settings().ledger_url)
    pause_by_hand(db, name, seconds, acting_person(), reason)
    [paused] = [each for each in read_pauses(db) if each.provider == name]
    if as_json:
        print_json({"paused": name, "until": paused.until.isoformat(), "why": paused.why})
    else:
        print_line(f"{name}: paused until {paused.until:%Y-%m-%d %H:%M} UTC; orders wait for it")


def resume_paused(name: str | None, *, as_json: bool) -> None:
    """The provider, or every one, is no longer paused. Raises InvalidInputError for one that is not paused."""
    db = open_database(settings().ledger_url)
    paused = [pause.provider for pause in read_pauses(db)]
    if name is not None and name not in paused:
        listed = ", ".join(paused) or "none is paused"
        raise InvalidInputError("PROVIDER", f"expected a paused provider: {listed}")
    by, chosen = acting_person(), [each for each in paused if name in (None, each)]
    freed = [provider for provider in chosen if resume_by_hand(db, provider, by)]
    if as_json:
        print_json({"resumed": freed})
    elif freed:
        print_line(f"{', '.join(freed)}: no longer paused, and the orders that waited are due")
    else:
        print_status("no provider is paused")
