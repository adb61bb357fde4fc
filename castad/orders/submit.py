"""Submit checked orders, with their price and their linked pictures."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from castad.orders.batch import Check, RefusedOrder, RefusedOrdersError, check_batch
from castad.orders.orders_file import CheckedOrder, RawOrder, check_order, read_orders_file
from pipeline_defs.capabilities import check_remote, get_key_rules, get_unique_key
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline, Remark
from resources.contract.errors import InvalidInputError, ProviderError
from resources.delivery.mail import SCHEME
from resources.delivery.webhooks import (
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
from resources.views.webhooks import UNSIGNED

CLI = "cli"
_SOME_UPLOAD = f"upload:{'0' * 64}"


def check_orders(
    db: Database, raws: Sequence[RawOrder], check: Check, *, owner: str | None = None
) -> list[CheckedOrder]:
    """Check the orders, and return them with each task_id and unique key once.

    Raises RefusedOrdersError with all refused orders, in the order given. If one is refused, the error also lists
    those that conflict with an order in the ledger.
    """
    orders, refused = check_batch(raws, check)
    unsigned = _find_unsigned(db, orders, owner)
    if refused or unsigned:
        excluded = {each.location for each in unsigned}
        signed = [order for order in orders if order.location not in excluded]
        refused += [*unsigned, *find_conflicts(db, signed, owner=owner)]
        positions = {raw.location: index for index, raw in enumerate(raws)}
        raise RefusedOrdersError(sorted(refused, key=lambda each: positions[each.location]))
    return orders


def submit_order(
    db: Database, order: CheckedOrder, *, source: str = CLI, owner: str | None = None
) -> Submitted:
    """Submit the order.

    Raises ConflictError if another order has its task_id or unique key, or if an option would not take effect.
    Raises InvalidInputError if no secret would sign its webhook.
    """
    check_signed(db, order, owner=owner)
    [submitted] = submit_orders(db, [_make_new_request(order, source, owner)])
    return submitted


def check_signed(db: Database, order: CheckedOrder, *, owner: str | None = None) -> None:
    """Check that a secret signs the order's webhook, if it wants one; raise InvalidInputError."""
    if _is_called(order) and not list_secrets_for(db, owner, settings()):
        raise _make_unsigned_error(owner)


def _find_unsigned(
    db: Database, orders: Iterable[CheckedOrder], owner: str | None
) -> list[RefusedOrder]:
    """Find the orders whose webhooks no secret would sign; read the owner's secrets once."""
    called = [order for order in orders if _is_called(order)]
    if not called or list_secrets_for(db, owner, settings()):
        return []
    return [
        RefusedOrder.from_error(order.location, _make_unsigned_error(owner)) for order in called
    ]


def _is_called(order: CheckedOrder) -> bool:
    """Return whether a webhook is sent about the order, which has to be signed; a mail is not."""
    return order.callback_url is not None and not order.callback_url.startswith(SCHEME)


def _make_unsigned_error(owner: str | None) -> InvalidInputError:
    expected = f"expected a secret that signs what is sent there; {describe_secret_remedy(owner)}, or leave it out"
    return InvalidInputError("callback_url", expected, code=UNSIGNED)


def submit_all(
    db: Database, orders: Sequence[CheckedOrder], *, source: str = CLI, owner: str | None = None
) -> list[Submitted]:
    """Submit all orders, or none if another order has the task_id or unique key of one of them.

    Raises RefusedOrdersError with the code `conflict` naming each such order.
    """
    try:
        return submit_orders(db, [_make_new_request(order, source, owner) for order in orders])
    except ConflictError:
        check_conflicts(db, orders, owner=owner)
        raise


def _make_new_request(order: CheckedOrder, source: str, owner: str | None) -> NewRequest:
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


def check_conflicts(
    db: Database, orders: Iterable[CheckedOrder], *, owner: str | None = None
) -> None:
    """Check that no order conflicts with a stored one; raise RefusedOrdersError naming each that does."""
    conflicts = find_conflicts(db, orders, owner=owner)
    if conflicts:
        raise RefusedOrdersError(conflicts)


def find_conflicts(
    db: Database, orders: Iterable[CheckedOrder], *, owner: str | None = None
) -> list[RefusedOrder]:
    """Find the orders whose task_id another order has, or whose unique key another owner's request holds."""
    found = ((order, find_conflict(db, order, owner=owner)) for order in orders)
    return [
        RefusedOrder.from_error(order.location, error)
        for order, error in found
        if error is not None
    ]


def find_conflict(
    db: Database, order: CheckedOrder, *, owner: str | None = None
) -> ConflictError | None:
    """Find the conflict for which the order would be refused; return None if there is none."""
    new = _make_new_request(order, CLI, owner)
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
    """Build the order of a file, overridden by options; check and store pictures in local files.

    Raises InvalidInputError, before any picture is stored.
    """
    fields = {**_read_single_order(path), **options}
    location = "" if path is None else path.name
    expected = {**fields, **_replace_files(fields, options, lambda path, field: _SOME_UPLOAD)}
    order = check_order(expected, location)
    if _is_called(order) and not list_own_secrets(settings):
        raise _make_unsigned_error(None)
    if expected == fields:
        return order
    from resources.files.pictures import get_picture_source

    source = get_picture_source(settings)
    stored = _replace_files(
        fields, options, source.store_picture_file if store_pictures else source.check_picture_file
    )
    return check_order({**fields, **stored}, location)


def _replace_files(
    fields: Mapping[str, Any], options: Mapping[str, Any], store: Callable[[Path, str], str]
) -> dict[str, Any]:
    """Return the picture fields among the options, with each local path replaced by a reference."""
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
    orders = read_orders_file(path)
    if len(orders) > 1:
        raise InvalidInputError(
            path.name,
            f"expected one order; the file has {len(orders)}, and `castad submit` accepts many",
        )
    return orders[0].fields


def is_link(picture: str) -> bool:
    """Return whether a picture is given as a link rather than a path."""
    return picture.startswith(("http://", "https://"))


@dataclass(frozen=True)
class StagePrice:
    """The expected price of a stage in micro-dollars; `provider` is "" if it needs no vendor."""

    stage: str
    provider: str
    price: int


def list_prices(
    pipeline: Pipeline, payload: Mapping[str, Any], settings: Settings
) -> list[StagePrice]:
    """List the price of each stage in order."""
    prices = get_catalog().estimate_prices(pipeline, payload, settings)
    makers = get_catalog().choose_makers(pipeline, pipeline.parse(payload), settings)
    return [StagePrice(stage, makers[stage], prices[stage]) for stage in pipeline.stage_names]


def list_remarks(
    pipeline: Pipeline, payload: Mapping[str, Any], settings: Settings
) -> Sequence[Remark]:
    """List the warnings about a valid order."""
    brief = pipeline.parse(payload)
    return pipeline.remarks(brief, get_catalog().choose_makers(pipeline, brief, settings))


def sum_prices(prices: Sequence[StagePrice]) -> int:
    """Sum the prices of these stages, in micro-dollars."""
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
    """Validate the order and find its uploaded pictures in the store; raise InvalidInputError naming the field.

    Only an operator may set a priority.
    """
    order = check_order(fields)
    if not by_operator:
        order = replace(order, fixed=("priority",))
        if order.priority:
            raise InvalidInputError("priority", _OPERATORS_ONLY)
    check_remote(order.pipeline, order.payload)
    check_uploads(order.pipeline, order.payload, get_picture_source(settings))
    return order


def check_uploads(pipeline: Pipeline, payload: Mapping[str, Any], pictures: PictureSource) -> None:
    """Check that every uploaded picture of the order is in the store; raise InvalidInputError naming the field."""
    for name in pipeline.uploads:
        for index, picture in enumerate(payload[name] or ()):
            if not pictures.has_picture(picture):
                raise InvalidInputError(f"{name}[{index}]", _NOT_UPLOADED, code="unknown_upload")


DRY_RUN_SECONDS = 120.0
"""The time limit of a command for the pictures of one order."""


def list_picture_links(pipeline: Pipeline, order: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """List the order's picture references that are links."""
    return [found for found in list_picture_references(order, pipeline.uploads) if "url" in found]


def check_linked_pictures_of(
    orders: Iterable[CheckedOrder], pictures: PictureSource, seconds: float
) -> None:
    """Check that every link of every order leads to a usable picture, within `seconds` for each order.

    Raises RefusedOrdersError with every order that has a dead link.
    """
    refused = []
    for order in orders:
        try:
            check_linked_pictures(order.pipeline, order.payload, pictures, seconds)
        except InvalidInputError as error:
            refused.append(RefusedOrder.from_error(order.location, error))
    if refused:
        raise RefusedOrdersError(refused)


def check_linked_pictures(
    pipeline: Pipeline, order: Mapping[str, Any], pictures: PictureSource, seconds: float
) -> None:
    """Check that every link of the order leads to a usable picture, within `seconds` for all.

    Raises InvalidInputError naming the first dead link, with the code that a run would fail with.
    """
    deadline = time.monotonic() + seconds
    for reference in list_picture_links(pipeline, order):
        try:
            pictures.check_link(reference, max(deadline - time.monotonic(), 0.1))
        except ProviderError as error:
            field, _, reason = error.message.partition(": ")
            if field != reference["name"]:
                raise
            raise InvalidInputError(field, reason, code=error.code) from None
