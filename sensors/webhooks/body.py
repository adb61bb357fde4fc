"""Build and sign the message of a webhook."""

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import standardwebhooks

from pipeline_defs.catalog import Catalog
from resources.ledger.db.database import Database
from resources.ledger.queries.health import Overview
from resources.ledger.queries.webhooks import Webhook, read_signing_secrets
from resources.ledger.schema.tables import Status
from resources.process.configure_logging import utc_text
from resources.process.settings import Settings
from resources.views.order_body import OrderBody, error_body, order_fields, status_url

MOST_BYTES = 20_000
_LONGEST_MESSAGE = 2000
_LARGE = ("result", "artifacts", "error", "owner", "stage", "pipeline")
"""The fields that a too large body leaves out, in this order. SQL can make any text long."""
UNSIGNED = "webhook_secret_missing"
"""The code of a webhook, and of an order with a `callback_url`, without a secret to sign with."""
_SECRET_BYTES = 32


def webhook_body(delivery: Webhook, overview: Overview, pipelines: Catalog) -> str:
    """Build the body as JSON in ASCII, less than 20 kB long.

    `type` and `timestamp` are of the end that is reported, `data` is the current state of the order. A field that
    was too large is null and named in `data.left_out`; the link in `data.links.self` has all fields.
    """
    order = overview.request
    whole = OrderBody(**order_fields(overview, _build_result(overview, pipelines)))
    # SQL can make the message any length.
    whole.error = error_body(order.error_code, (order.error_message or "")[:_LONGEST_MESSAGE])
    data = whole.model_dump(mode="json") | {"links": {"self": status_url(order.task_id)}}
    left_out: list[str] = []
    while True:
        kept = {**data, **dict.fromkeys(left_out), "left_out": left_out}
        body = {"type": delivery.type, "timestamp": utc_text(delivery.created_at), "data": kept}
        text = json.dumps(body, separators=(",", ":"))
        if len(text) < MOST_BYTES or len(left_out) == len(_LARGE):
            return text
        left_out = [*left_out, _LARGE[len(left_out)]]


def _build_result(overview: Overview, pipelines: Catalog) -> Any:
    pipeline = pipelines.find(overview.request.pipeline)
    if overview.request.status is not Status.COMPLETED or pipeline is None:
        return None
    return pipeline.result_of(
        {view.stage: view.result for view in overview.stages if view.result is not None}
    )


def own_secrets(config: Settings) -> list[str]:
    """Get the environment's secret, which signs orders without a key; empty where it is not set."""
    own = config.webhook_secret
    return [] if own is None else [own.get_secret_value()]


def secrets_for(db: Database, owner: str | None, config: Settings) -> list[str]:
    """Get the secrets of the owner's valid keys; the environment's where the owner never had a key."""
    of_keys = read_signing_secrets(db, owner, config.webhook_rotation)
    return own_secrets(config) if of_keys is None else of_keys


def secret_remedy(owner: str | None) -> str:
    """Explain how to get the owner's webhooks signed."""
    remedy = "set CASTAD_WEBHOOK_SECRET"
    if owner is None:
        return remedy
    own = f"run `castad key webhook-secret` for a key of {owner!r}"
    return f"{own}, or {remedy} if it never had one"


@dataclass(frozen=True)
class SignedMessage:
    """The body and headers of one try."""

    body: bytes
    headers: Mapping[str, str]


def new_secret() -> str:
    """Make a secret of 256 random bits, in the form that a receiver's library takes."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"


def message_id(delivery: Webhook) -> str:
    """Compute the message id: the same at every try, and unique also across recreated ledgers."""
    what = f"{delivery.task_id} {delivery.seq} {delivery.created_at.isoformat()}"
    return f"msg_{hashlib.sha256(what.encode(errors='surrogatepass')).hexdigest()[:32]}"


def signed(delivery: Webhook, body: str, keys: Sequence[str], at: datetime) -> SignedMessage:
    """Sign the message once with each secret; a receiver that knows one of them can verify it."""
    name, moment = message_id(delivery), at.astimezone(UTC)
    signatures = [standardwebhooks.Webhook(secret).sign(name, moment, body) for secret in keys]
    headers = {
        "content-type": "application/json",
        "user-agent": "castad",
        "webhook-id": name,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
    return SignedMessage(body.encode(), headers)
