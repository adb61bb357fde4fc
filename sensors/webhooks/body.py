"""Build and sign the message of a webhook."""

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import standardwebhooks

from pipeline_defs.catalog import Catalog
from resources.ledger.db.database import Database
from resources.ledger.queries.health import ArtifactView, Overview
from resources.ledger.queries.webhooks import Webhook, read_signing_secrets
from resources.ledger.schema.tables import Status
from resources.process.configure_logging import utc_text
from resources.process.settings import Settings

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
    data = _build_status(overview, pipelines)
    left_out: list[str] = []
    while True:
        kept = {**data, **dict.fromkeys(left_out), "left_out": left_out}
        body = {"type": delivery.type, "timestamp": utc_text(delivery.created_at), "data": kept}
        text = json.dumps(body, separators=(",", ":"))
        if len(text) < MOST_BYTES or len(left_out) == len(_LARGE):
            return text
        left_out = [*left_out, _LARGE[len(left_out)]]


def _build_status(overview: Overview, pipelines: Catalog) -> dict[str, Any]:
    """Build the part of the API's status that concerns the client: no run, worker or internal address."""
    order = overview.request
    ended = order.updated_at if order.is_terminal else overview.at
    end = order.completed_at or ended
    seconds = max(0.0, (end - order.created_at).total_seconds())
    return {
        "task_id": order.task_id,
        "pipeline": order.pipeline,
        "overall_status": order.status,
        "seq": order.seq,
        "stage": order.stage,
        "attempt": order.attempt,
        "retry_count": order.retry_count,
        "max_retries": order.max_retries,
        "error": _build_error(order.error_code, order.error_message),
        "artifacts": [_build_artifact(order.task_id, view) for view in overview.artifacts],
        "result": _build_result(overview, pipelines),
        "seconds": round(seconds, 3),
        "cost_usd": round(sum(overview.spent.values()) / 1_000_000, 6),
        "owner": order.owner,
        "scheduled_at": order.scheduled_for and utc_text(order.scheduled_for),
        "created_at": utc_text(order.created_at),
        "updated_at": utc_text(order.updated_at),
        "completed_at": order.completed_at and utc_text(order.completed_at),
        "links": {"self": f"/pipeline/status/{quote(order.task_id, safe='')}"},
    }


def _build_error(code: str | None, message: str | None) -> Mapping[str, str | None] | None:
    return None if code is None else {"code": code, "message": (message or "")[:_LONGEST_MESSAGE]}


def _build_artifact(task_id: str, view: ArtifactView) -> Mapping[str, Any]:
    return {
        "name": view.name,
        "stage": view.stage,
        "generation": view.generation,
        "media_type": view.media_type,
        "bytes": view.bytes,
        "sha256": view.sha256,
        "url": f"/artifacts/{quote(task_id, safe='')}/{quote(view.name, safe='')}",
    }


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
