"""Submit checked orders, with their price and their linked pictures."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from castad.orders.batch import Check, RefusedOrder, RefusedOrdersError, check_batch
from castad.orders.orders_file import CheckedOrder, RawOrder, check_order, read_orders
from pipeline_defs.capabilities import check_remote, get_key_rules, get_unique_key
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline, Remark
from resources.contract.errors import InvalidInputError, ProviderError
from resources.delivery.webhooks import (
    UNSIGNED,
    describe_secret_remedy,
    list_own_secrets,
    list_secrets_for,
)
from resources.files.pictures import PictureSource, get_picture_source, list_picture_references
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import ConflictError
from resources.ledger.request import make_task_id
from resources.ledger.transitions.orders import (
    NewRequest,
    Submitted,
    find_order_conflict,
    find_stored_request,
    submit_orders,
)
from resources.process.settings import Settings, settings

CLI = "cli"
_SOME_UPLOAD = f"upload:{'0' * 64}"


def checked_orders(
    db: Database, raws: Sequence[RawOrder], check: Check, *, owner: str | None = None
) -> list[CheckedOrder]:
    """Every order, each task_id and unique key once.

    Raises RefusedOrdersError with every refused one, in the order given: where one is refused, those are
    refused too that conflict with another order of the ledger.
    """
    orders, refused = check_batch(raws, check)
    unsigned = _find_unsigned(db, orders, owner)
    if refused or unsigned:
        signed = [
            order for order in orders if order.location not in {each.location for each in unsigned}
        ]
        refused += [*unsigned, *find_conflicts(db, signed, owner=owner)]
        positions = {raw.location: index for index, raw in enumerate(raws)}
        raise RefusedOrdersError(sorted(refused, key=lambda each: positions[each.location]))
    return orders


def submit_order(
    db: Database, order: CheckedOrder, *, source: str = CLI, owner: str | None = None
) -> Submitted:
    """Submit the order; raises ConflictError where another order has its task_id or its unique key.

    So it does for an option that would not take effect. Raises InvalidInputError where nothing would sign its
    webhook.
    """
    refuse_unsigned(db, order, owner=owner)
    [submitted] = submit_orders(db, [_new_request(order, source, owner)])
    return submitted


def refuse_unsigned(db: Database, order: CheckedOrder, *, owner: str | None = None) -> None:
    """Return if the order wants no webhook, or one that a secret signs; raises InvalidInputError."""
    if order.callback_url is not None and not list_secrets_for(db, owner, settings()):
        raise _unsigned_error(owner)


def _find_unsigned(
    db: Database, orders: Iterable[CheckedOrder], owner: str | None
) -> list[RefusedOrder]:
    """Return the orders whose webhooks nothing would sign; the secrets of their owner are read once."""
    called = [order for order in orders if order.callback_url is not None]
    if not called or list_secrets_for(db, owner, settings()):
        return []
    return [RefusedOrder.of(order.location, _unsigned_error(owner)) for order in called]


def _unsigned_error(owner: str | None) -> InvalidInputError:
    expected = f"expected a secret that signs what is sent there; {describe_secret_remedy(owner)}, or leave it out"
    return InvalidInputError("callback_url", expected, code=UNSIGNED)


def submit_all(
    db: Database, orders: Sequence[CheckedOrder], *, source: str = CLI, owner: str | None = None
) -> list[Submitted]:
    """Every order is in the ledger, or none where another order has the task_id or the unique key of one.

    Raises RefusedOrdersError `conflict` naming each such order.
    """
    try:
        return submit_orders(db, [_new_request(order, source, owner) for order in orders])
    except ConflictError:
        refuse_conflicts(db, orders, owner=owner)
        raise


def _new_request(order: CheckedOrder, source: str, owner: str | None) -> NewRequest:
    return NewRequest(
        order.task_id or make_task_id(),
        order.payload,
        pipeline=order.pipeline.name,
        source=source,
        same_order=order.pipeline.is_same_order,
        max_retries=order.max_retries,
        priority=order.priority,
        not_before=order.not_before,
        owner=owner,
        callback_url=order.callback_url,
        unique_key=get_unique_key(order.pipeline, order.payload),
        shared=get_key_rules(order.pipeline).shared,
        hold=order.hold,
        hold_seconds=order.hold_seconds,
        hold_then=order.hold_then,
        fixed=order.fixed,
    )


def refuse_conflicts(
    db: Database, orders: Iterable[CheckedOrder], *, owner: str | None = None
) -> None:
    """No order conflicts with another one's; raises RefusedOrdersError `conflict` naming each that does."""
    conflicts = find_conflicts(db, orders, owner=owner)
    if conflicts:
        raise RefusedOrdersError(conflicts)


def find_conflicts(
    db: Database, orders: Iterable[CheckedOrder], *, owner: str | None = None
) -> list[RefusedOrder]:
    """Every order whose task_id another order has already, or whose unique key another owner's request holds."""
    found = ((order, find_conflict(db, order, owner=owner)) for order in orders)
    return [RefusedOrder.of(order.location, error) for order, error in found if error is not None]


def find_conflict(
    db: Database, order: CheckedOrder, *, owner: str | None = None
) -> ConflictError | None:
    """Why the order would be refused as another one's, None where it would not."""
    new = _new_request(order, CLI, owner)
    if order.task_id is None and new.unique_key is None:
        return None
    stored = find_stored_request(db, new)
    return None if stored is None else find_order_conflict(stored, new)


def build_order(
    path: Path | None,
    options: Mapping[str, Any],
    settings: Settings,
    *,
    store_pictures: bool = True,
) -> CheckedOrder:
    """The order of a file, overridden by options; pictures in local files are checked and stored.

    Raises InvalidInputError; no picture of an invalid order is stored.
    """
    fields = {**_read_single_order(path), **options}
    location = "" if path is None else path.name
    expected = {**fields, **_replaced_files(fields, options, lambda path, field: _SOME_UPLOAD)}
    order = check_order(expected, location)
    if order.callback_url is not None and not list_own_secrets(settings):
        raise _unsigned_error(None)
    if expected == fields:
        return order
    from resources.files.pictures import get_picture_source

    source = get_picture_source(settings)
    stored = _replaced_files(
        fields, options, source.store_picture_file if store_pictures else source.check_picture_file
    )
    return check_order({**fields, **stored}, location)


def _replaced_files(
    fields: Mapping[str, Any], options: Mapping[str, Any], store: Callable[[Path, str], str]
) -> dict[str, Any]:
    """The picture fields among the options, with the reference of each local file in place of its path."""
    pipeline = get_catalog().find_pipeline(str(fields.get("pipeline"))) or get_catalog().default
    return {
        name: [
            picture if is_link(picture) else store(Path(picture).expanduser(), f"{name}[{index}]")
            for index, picture in enumerate(options[name])
        ]
        for name in pipeline.uploads
        if name in options
    }


def _read_single_order(path: Path | None) -> Mapping[Any, Any]:
    if path is None:
        return {}
    orders = read_orders(path)
    if len(orders) > 1:
        raise InvalidInputError(
            path.name,
            f"expected one order; the file has {len(orders)}, and `castad submit` accepts many",
        )
    return orders[0].fields


def is_link(picture: str) -> bool:
    """Whether a picture that was typed is a link and no path."""
    return picture.startswith(("http://", "https://"))


@dataclass(frozen=True)
class StagePrice:
    """The expected price of a stage in micro-dollars, at its provider; that is "" where no vendor is asked."""

    stage: str
    provider: str
    price: int


def prices_of(
    pipeline: Pipeline, payload: Mapping[str, Any], settings: Settings
) -> list[StagePrice]:
    """The price of each stage, in order."""
    prices = get_catalog().estimate_prices(pipeline, payload, settings)
    makers = get_catalog().choose_makers(pipeline, pipeline.parse(payload), settings)
    return [StagePrice(stage, makers[stage], prices[stage]) for stage in pipeline.stage_names]


def remarks_on(
    pipeline: Pipeline, payload: Mapping[str, Any], settings: Settings
) -> Sequence[Remark]:
    """Soft warnings about an order that can be fulfilled."""
    brief = pipeline.parse(payload)
    return pipeline.remarks(brief, get_catalog().choose_makers(pipeline, brief, settings))


def total_price(prices: Sequence[StagePrice]) -> int:
    """The price of these stages together, in micro-dollars."""
    return sum(each.price for each in prices)


LARGEST_ORDER = 1_000_000
"""In bytes."""
_OPERATORS_ONLY = (
    "expected 0 or none: another one needs an operator's key (scope admin), the command line or SQL"
)
_NOT_UPLOADED = "expected a picture that was uploaded; POST /v1/pipeline/images accepts one"


def validate_order(
    fields: Mapping[str, Any], settings: Settings, *, by_operator: bool
) -> CheckedOrder:
    """Validate the order, its uploaded pictures in the store; raise InvalidInputError naming the field.

    Only an operator may put an order before those of others.
    """
    order = check_order(fields)
    if not by_operator:
        order = replace(order, fixed=("priority",))
        if order.priority:
            raise InvalidInputError("priority", _OPERATORS_ONLY)
    check_remote(order.pipeline, order.payload)
    refuse_unknown_uploads(order.pipeline, order.payload, get_picture_source(settings))
    return order


def refuse_unknown_uploads(
    pipeline: Pipeline, payload: Mapping[str, Any], pictures: PictureSource
) -> None:
    """Return if every uploaded picture of the order is in the store; raises InvalidInputError naming the field."""
    for name in pipeline.uploads:
        for index, picture in enumerate(payload[name] or ()):
            if not pictures.has_picture(picture):
                raise InvalidInputError(f"{name}[{index}]", _NOT_UPLOADED, code="unknown_upload")


DRY_RUN_SECONDS = 120.0
"""A command's time limit for the pictures of one order."""


def picture_links(pipeline: Pipeline, order: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """The order's picture references that are links."""
    return [found for found in list_picture_references(order, pipeline.uploads) if "url" in found]


def refuse_dead_links_of(
    orders: Iterable[CheckedOrder], pictures: PictureSource, seconds: float
) -> None:
    """Every link of every order leads to a usable picture; each order's were fetched within `seconds`.

    Raises RefusedOrdersError with every order that has a dead link.
    """
    refused = []
    for order in orders:
        try:
            refuse_dead_links(order.pipeline, order.payload, pictures, seconds)
        except InvalidInputError as error:
            refused.append(RefusedOrder.of(order.location, error))
    if refused:
        raise RefusedOrdersError(refused)


def refuse_dead_links(
    pipeline: Pipeline, order: Mapping[str, Any], pictures: PictureSource, seconds: float
) -> None:
    """Every link of the order leads to a usable picture; all were fetched within `seconds`.

    Raises InvalidInputError naming the first dead link, with the code that the run would fail with.
    """
    deadline = time.monotonic() + seconds
    for reference in picture_links(pipeline, order):
        try:
            pictures.check_link(reference, max(deadline - time.monotonic(), 0.1))
        except ProviderError as error:
            field, _, reason = error.message.partition(": ")
            if field != reference["name"]:
                raise
            raise InvalidInputError(field, reason, code=error.code) from None
