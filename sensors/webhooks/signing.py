"""A webhook's body and headers, as Standard Webhooks says."""

import base64
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import standardwebhooks

from resources.ledger.queries.webhook_list import Webhook

_SECRET_BYTES = 32


@dataclass(frozen=True)
class SignedMessage:
    """What is sent in one try."""

    body: bytes
    headers: Mapping[str, str]


def new_secret() -> str:
    """A secret of 256 random bits, as a receiver's library takes it."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"


def message_id(delivery: Webhook) -> str:
    """The same at every try, and no other webhook's: neither of this ledger nor of one that is made later."""
    what = f"{delivery.task_id} {delivery.seq} {delivery.created_at.isoformat()}"
    return f"msg_{hashlib.sha256(what.encode(errors='surrogatepass')).hexdigest()[:32]}"


def signed(delivery: Webhook, body: str, keys: Sequence[str], at: datetime) -> SignedMessage:
    """The message with one signature for each secret; a receiver that knows one of them can verify it."""
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
