"""Response bodies from the ledger's rows. Pure."""

from castad.api.bodies import OrderBody, OrderState
from castad.readmodels.status_body import fault_body, links_of
from resources.ledger.request import Request


def moved_body(order: Request) -> OrderState:
    """An order after a move."""
    return OrderState(
        task_id=order.task_id,
        status=order.status,
        cancel_requested=order.cancel_requested,
        links=links_of(order.task_id),
    )


def order_body(order: Request) -> OrderBody:
    """An order in a list."""
    return OrderBody(
        task_id=order.task_id,
        pipeline=order.pipeline,
        status=order.status,
        stage=order.stage,
        seq=order.seq,
        attempt=order.attempt,
        retry_count=order.retry_count,
        error=fault_body(order.error_code, order.error_message),
        owner=order.owner,
        source=order.source,
        priority=order.priority,
        created_at=order.created_at,
        updated_at=order.updated_at,
        completed_at=order.completed_at,
        links=links_of(order.task_id),
    )
