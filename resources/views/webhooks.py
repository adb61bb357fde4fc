"""Webhooks as one model, for every face."""

from typing import Literal

from pydantic import BaseModel, Field

from resources.ledger.queries.webhooks import DeliveryView, Webhook
from resources.ledger.schema.tables import DeliveryStatus
from resources.views.order_body import ErrorBody, build_error_body
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example

UNSIGNED = "webhook_secret_missing"
"""The code of a webhook, and of an order with a `callback_url`, without a secret to sign with."""
_EXAMPLE = {
    "id": 7,
    "type": "request.completed",
    "seq": 17,
    "status": "pending",
    "tries": 1,
    "due_at": EXAMPLE_TIMESTAMP,
    "error": {"code": "http_503", "message": "the receiver answers 503; expected 2xx"},
    "url": "https://shop.example/castad",
    "created_at": EXAMPLE_TIMESTAMP,
    "updated_at": EXAMPLE_TIMESTAMP,
}


class WebhookBody(BaseModel):
    """One webhook of an order: the message to its `callback_url` about its end."""

    model_config = example(**_EXAMPLE)

    id: int
    type: LedgerText = Field(
        description="`request.completed`, `request.dead` or `request.canceled`"
    )
    seq: int = Field(description="The event that ended the order")
    status: Literal["pending", "delivered", "dead", "disabled"]
    tries: int = Field(description="How many tries have ended")
    due_at: Timestamp | None = Field(description="When the next try is due, null if there is none")
    error: ErrorBody | None
    url: LedgerText
    created_at: Timestamp
    updated_at: Timestamp

    @property
    def standing(self) -> str:
        """Its status for people: `needs_secret` if it can be replayed once there is a secret."""
        return get_standing(self.status, None if self.error is None else self.error.code)


class OrderWebhookBody(WebhookBody):
    """One webhook, with the name of its order."""

    model_config = example(**_EXAMPLE, task_id="shop-1")

    task_id: LedgerText


def build_webhook_body(view: DeliveryView) -> WebhookBody:
    """Build the body of an order's webhook."""
    return WebhookBody(**_build_members(view))


def build_order_webhook_body(delivery: Webhook) -> OrderWebhookBody:
    """Build the body of a webhook in a list of many orders."""
    return OrderWebhookBody(**_build_members(delivery), task_id=delivery.task_id)


def get_standing(status: str, code: str | None) -> str:
    """Get a webhook's status for people; `needs_secret` if it can be replayed once there is a secret."""
    return "needs_secret" if (status, code) == (DeliveryStatus.DEAD, UNSIGNED) else status


def _build_members(view: DeliveryView) -> dict[str, object]:
    is_pending = view.status == DeliveryStatus.PENDING
    return {
        **{name: getattr(view, name) for name in ("id", "type", "seq", "status", "url")},
        "tries": view.attempt,
        "due_at": view.due_at if is_pending else None,
        "error": build_error_body(view.last_code, view.last_error),
        "created_at": view.created_at,
        "updated_at": view.updated_at,
    }
