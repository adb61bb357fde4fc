"""Submits checked orders: each becomes a request in the ledger."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from castad.orders.batch import Check, check_batch
from castad.orders.orders_file import CheckedOrder, RawOrder, check_order, read_orders
from castad.orders.refusals import RefusedOrder, RefusedOrdersError
from pipeline_defs.capabilities import get_key_rules, get_unique_key
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.delivery.webhooks import (
    UNSIGNED,
    describe_secret_remedy,
    list_own_secrets,
    list_secrets_for,
)
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
