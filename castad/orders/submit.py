"""Submits checked orders: each becomes a request in the ledger."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from castad.orders.orders_file import (
    CheckedOrder,
    RawOrder,
    RefusedOrder,
    RefusedOrdersError,
    check_order,
    distinct_orders,
    read_orders,
)
from pipeline_defs.catalog import catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.errors import ConflictError
from resources.ledger.moves.orders import (
    NewRequest,
    conflict_with,
    stored_request,
    submit_orders,
)
from resources.ledger.moves.redo import redo
from resources.ledger.queries.reads import get_request
from resources.ledger.request import Request, new_task_id
from resources.process.settings import Settings

CLI = "cli"
_SOME_UPLOAD = f"upload:{'0' * 64}"


@dataclass(frozen=True)
class SubmittedOrder:
    """An order's request in the ledger; `created` is whether this call added it."""

    request: Request
    created: bool


def load_orders(path: Path) -> list[CheckedOrder]:
    """The checked orders of a file, each task_id once. Raises InvalidInputError."""
    return distinct_orders([check_order(raw) for raw in read_orders(path)])


def submit_order(
    db: Database, order: CheckedOrder, *, source: str = CLI, owner: str | None = None
) -> SubmittedOrder:
    """The order is in the ledger; raises ConflictError where another order has its task_id or its unique key."""
    [(request, created)] = submit_orders(db, [_new_request(order, source, owner)])
    return SubmittedOrder(request, created)


def submit_all(
    db: Database, orders: Sequence[CheckedOrder], *, source: str = CLI, owner: str | None = None
) -> list[SubmittedOrder]:
    """Every order is in the ledger, or none where another order has the task_id or the unique key of one.

    Raises RefusedOrdersError `conflict` naming each such order.
    """
    try:
        submitted = submit_orders(db, [_new_request(order, source, owner) for order in orders])
    except ConflictError:
        refuse_conflicts(db, orders, owner=owner)
        raise
    return [SubmittedOrder(request, created) for request, created in submitted]


def _new_request(order: CheckedOrder, source: str, owner: str | None) -> NewRequest:
    return NewRequest(
        order.task_id or new_task_id(),
        order.payload,
        pipeline=order.pipeline.name,
        source=source,
        same_order=order.pipeline.same_order,
        max_retries=order.max_retries,
        priority=order.priority,
        not_before=order.not_before,
        owner=owner,
        callback_url=order.callback_url,
        unique_key=order.pipeline.key_of(order.payload),
        shared=order.pipeline.shared,
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
    return [
        RefusedOrder(order.location, error.code, error.field, error.message)
        for order, error in found
        if error is not None
    ]


def find_conflict(
    db: Database, order: CheckedOrder, *, owner: str | None = None
) -> ConflictError | None:
    """Why the order would be refused as another one's, None where it would not."""
    new = _new_request(order, CLI, owner)
    if order.task_id is None and new.unique_key is None:
        return None
    stored = stored_request(db, new)
    return None if stored is None else conflict_with(stored, new)


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
    order = check_order(RawOrder(location, expected))
    if expected == fields:
        return order
    from resources.files.pictures import picture_source

    source = picture_source(settings)
    stored = _replaced_files(fields, options, source.upload if store_pictures else source.check)
    return check_order(RawOrder(location, {**fields, **stored}))


def _replaced_files(
    fields: Mapping[str, Any], options: Mapping[str, Any], store: Callable[[Path, str], str]
) -> dict[str, Any]:
    """The picture fields among the options, with the reference of each local file in place of its path."""
    pipeline = catalog().find(str(fields.get("pipeline"))) or catalog().default
    return {
        name: [
            picture if _is_link(picture) else store(Path(picture).expanduser(), f"{name}[{index}]")
            for index, picture in enumerate(options[name])
        ]
        for name in pipeline.pictures
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


def _is_link(picture: str) -> bool:
    return picture.startswith(("http://", "https://"))


def redo_from(
    db: Database, task_id: str, stage: str, changes: Mapping[str, Any], settings: Settings
) -> Request:
    """The order is pending, and the stage and those after it will be made again, with these changed fields.

    Raises UnknownRequestError, IllegalMoveError, and InvalidInputError for an unknown stage or a field that a redo
    from this stage may not change.
    """
    pipeline = catalog().pipeline(get_request(db, task_id).pipeline)
    first = pipeline.stages.index(pipeline.stage("from", stage))
    for name in changes:
        _refuse_unchangeable(pipeline, first, name)

    def change(order: Mapping[str, Any]) -> Mapping[str, Any]:
        checked = catalog().accept(pipeline, {**order, **changes}, settings)
        return {**order, **{name: checked[name] for name in changes}}

    return redo(
        *(db, task_id, stage, pipeline.stage_names), change if changes else None, pipeline.key_of
    )


def _refuse_unchangeable(pipeline: Pipeline, first: int, name: str) -> None:
    concerned = pipeline.changeable.get(name)
    if concerned is None:
        expected = ", ".join(pipeline.changeable) or "no field of this order"
        raise InvalidInputError(name, f"cannot be changed by a redo; expected {expected}")
    if pipeline.stage_names.index(concerned) < first:
        raise InvalidInputError(name, f"is used from {concerned} on; redo from that stage")
