"""The order in a run's config: it becomes the row of its request, or has to be the same as the row's."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select

from resources.ledger.ledger_errors import ConflictError
from resources.ledger.queries.key_holders import duplicate_of, key_holder
from resources.ledger.request import Request, payload_text
from resources.ledger.schema.tables import requests
from resources.ledger.transitions.core import lock_task
from resources.ledger.transitions.orders import (
    SameOrder,
    is_replaceable,
    is_same_order,
    replace_order,
)
from resources.ledger.transitions.upsert import upsert


@dataclass(frozen=True)
class RunOrder:
    """The order in a run's config, for a request that has no row yet."""

    pipeline: str
    payload: Mapping[str, Any]
    same_order: SameOrder
    unique_key: str | None = None


def lock_order(tx: Connection, task_id: str, order: RunOrder | None) -> tuple[Request, datetime]:
    """The request, locked, and the database's clock; with an order, it is registered or has the same order.

    Raises ConflictError, DuplicateOrderError, UnknownRequestError.
    """
    if order is not None:
        _register(tx, task_id, order)
    request, at = lock_task(tx, task_id)
    return (request if order is None else _with_order(tx, request, order)), at


def id_of_task(tx: Connection, task_id: str) -> int | None:
    """The id of the request with this task_id, if there is one."""
    return tx.execute(_ID_OF_TASK, {"task_id": task_id}).scalar()


def _register(tx: Connection, task_id: str, order: RunOrder) -> None:
    values = {
        "task_id": task_id,
        "pipeline": order.pipeline,
        "payload": payload_text(order.payload),
        "source": "dagster",
        "unique_key": order.unique_key,
    }
    tx.execute(upsert(tx, requests).values(values).on_conflict_do_nothing())
    if id_of_task(tx, task_id) is not None:
        return
    holder = key_holder(tx, order.pipeline, order.unique_key) if order.unique_key else None
    raise duplicate_of(tx, holder, owner=None)


def _with_order(tx: Connection, request: Request, order: RunOrder) -> Request:
    """The locked request with the run's order, which replaces a stored order that is unreadable."""
    if is_same_order(request, order.pipeline, order.payload, order.same_order):
        return request
    if not is_replaceable(request, order.pipeline, order.same_order):
        raise ConflictError(request.task_id)
    return replace_order(
        tx,
        request,
        {
            "pipeline": order.pipeline,
            "payload": payload_text(order.payload),
            "unique_key": order.unique_key,
        },
    )


_ID_OF_TASK = select(requests.c.id).where(requests.c.task_id == bindparam("task_id"))
