"""From a checked order to a row in the ledger."""

from collections.abc import Iterable, Mapping, Sequence
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
from pipeline_defs.song_video.acceptance import accept
from pipeline_defs.song_video.brief import STAGES, same_brief
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.errors import ConflictError, UnknownRequestError
from resources.ledger.moves.orders import NewRequest, can_serve_order, redo, submit_orders
from resources.ledger.queries.reads import get_request
from resources.ledger.request import Request, new_task_id
from resources.process.settings import Settings

CLI = "cli"
_SOME_UPLOAD = f"upload:{'0' * 64}"


@dataclass(frozen=True)
class SubmittedOrder:
    """An order that stands in the ledger; `created` tells whether this call made it."""

    request: Request
    created: bool


def load_orders(path: Path) -> list[CheckedOrder]:
    """Every order of a file, checked, each task_id once. Raises InvalidInputError."""
    return distinct_orders([check_order(raw) for raw in read_orders(path)])


def submit_order(
    db: Database, order: CheckedOrder, *, source: str = CLI, owner: str | None = None
) -> SubmittedOrder:
    """The order stands in the ledger; raises ConflictError where its name is another order's."""
    [(request, created)] = submit_orders(db, [_new_request(order, source, owner)])
    return SubmittedOrder(request, created)


def submit_all(
    db: Database, orders: Sequence[CheckedOrder], *, source: str = CLI, owner: str | None = None
) -> list[SubmittedOrder]:
    """Every order stands in the ledger; where one's name is another order's, none was placed.

    Raises RefusedOrdersError `conflict` naming each row.
    """
    try:
        placed = submit_orders(db, [_new_request(order, source, owner) for order in orders])
    except ConflictError:
        refuse_conflicts(db, orders, owner=owner)
        raise
    return [SubmittedOrder(request, created) for request, created in placed]


def _new_request(order: CheckedOrder, source: str, owner: str | None) -> NewRequest:
    return NewRequest(
        order.task_id or new_task_id(),
        order.payload,
        pipeline=order.pipeline,
        source=source,
        same_order=same_brief,
        max_retries=order.max_retries,
        priority=order.priority,
        not_before=order.not_before,
        owner=owner,
        callback_url=order.callback_url,
    )


def refuse_conflicts(
    db: Database, orders: Iterable[CheckedOrder], *, owner: str | None = None
) -> None:
    """Return where no task_id is another order's yet; raises RefusedOrdersError `conflict` naming each row."""
    conflicts = find_conflicts(db, orders, owner=owner)
    if conflicts:
        raise RefusedOrdersError(conflicts)


def find_conflicts(
    db: Database, orders: Iterable[CheckedOrder], *, owner: str | None = None
) -> list[RefusedOrder]:
    """Every order whose task_id is another order's already."""
    conflicts = []
    for order in orders:
        if order.task_id is None:
            continue
        try:
            stored = get_request(db, order.task_id)
        except UnknownRequestError:
            continue
        if not can_serve_order(stored, _new_request(order, CLI, owner)):
            reason = ConflictError(order.task_id).message
            conflicts.append(RefusedOrder(order.location, ConflictError.code, "task_id", reason))
    return conflicts


def build_order(
    path: Path | None,
    options: Mapping[str, Any],
    images: Sequence[str],
    settings: Settings,
    *,
    store_pictures: bool = True,
) -> CheckedOrder:
    """The order of a file and options, the options on top; pictures of this machine are checked and kept.

    Raises InvalidInputError. Nothing is kept of an order that cannot be used.
    """
    fields = {**_read_single_order(path), **options}
    location = "" if path is None else path.name
    expected = [image if _is_link(image) else _SOME_UPLOAD for image in images]
    order = check_order(RawOrder(location, {**fields, **({"images": expected} if images else {})}))
    if _SOME_UPLOAD not in expected:
        return order
    from resources.providers.registry import picture_source

    source = picture_source(settings)
    take = source.upload if store_pictures else source.check
    kept_images = [
        image if _is_link(image) else take(Path(image).expanduser(), f"images[{index}]")
        for index, image in enumerate(images)
    ]
    return check_order(RawOrder(location, {**fields, "images": kept_images}))


def _read_single_order(path: Path | None) -> Mapping[Any, Any]:
    if path is None:
        return {}
    orders = read_orders(path)
    if len(orders) > 1:
        raise InvalidInputError(
            path.name, f"expected one order, the file has {len(orders)}; `castad submit` takes many"
        )
    return orders[0].fields


def _is_link(image: str) -> bool:
    return image.startswith(("http://", "https://"))


def redo_from(db: Database, task_id: str, stage: str, orientation: str | None) -> Request:
    """The stage and what follows will be made anew, upright or lying from now on where that is given.

    Raises UnknownRequestError, IllegalMoveError, and InvalidInputError for an orientation there is not.
    """

    def with_orientation(order: Mapping[str, Any]) -> Mapping[str, Any]:
        checked = accept({**order, "orientation": orientation})
        return {**order, "orientation": checked["orientation"]}

    return redo(db, task_id, stage, STAGES, None if orientation is None else with_orientation)
