"""Send the ledger's webhooks: build the message, sign it, and post it to the order's `callback_url`."""

import base64
import hashlib
import json
import logging
import random
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import httpx
import standardwebhooks

from resources.delivery.engine import Decision, DeliveryFailure, DeliveryLoop, Schedule, Shares
from resources.delivery.mail import SCHEME, build_mail, make_mail_off_failure, send_mail
from resources.http.addresses import HostAllowlist
from resources.http.guarded_client import (
    RefusedAddressError,
    RefusedSchemeError,
    find_trust_problem,
    make_guarded_client,
)
from resources.http.vendor_client import parse_retry_after
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.overview import Overview, build_overview
from resources.ledger.queries.status import get_request
from resources.ledger.queries.webhooks import Webhook, read_signing_secrets
from resources.ledger.request import Request
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.webhooks import claim_delivery, save_delivery_try
from resources.process.configure_logging import LOG_FIELDS, format_utc
from resources.process.settings import Settings
from resources.views.order_body import (
    OwnerStatusBody,
    build_error_body,
    build_status_fields,
    build_status_url,
)
from resources.views.webhooks import UNSIGNED

MOST_BYTES = 20_000
_LONGEST_MESSAGE = 2000
_LARGE = ("result", "artifacts", "error", "owner", "stage", "pipeline")
"""The fields that a too large body leaves out, in this order. SQL can make any text long."""
LONGEST_WAIT = 86_400.0
"""The longest `Retry-After` that is respected, in seconds."""
AT_ONCE = 32
"""The most webhooks that one process sends at the same time."""
_PER_HOST = 4
HELD = "request.held"
"""The type of a delivery about an approval that an order waits for; only e-mails have it."""
_SECRET_BYTES = 32
# The response's body is not read.
_NO_BODY = 0
# A lease covers the exchange, and the ledger's time before and after it.
_LEASE_IN_DEADLINES = 2.0
_log = logging.getLogger("castad.delivery")


def build_webhook_body(delivery: Webhook, overview: Overview, result: Any) -> str:
    """Build the webhook's body as ASCII JSON of less than 20 kB.

    `type` and `timestamp` describe the reported end of the order, `data` its current state with the pipeline's
    `result`. A field that was too large is null and listed in `data.left_out`; the link in `data.links.self` has
    all fields.
    """
    order = overview.request
    whole = OwnerStatusBody(**build_status_fields(overview, result))
    # SQL can make the message any length.
    whole.error = build_error_body(order.error_code, (order.error_message or "")[:_LONGEST_MESSAGE])
    data = whole.model_dump(mode="json") | {"links": {"self": build_status_url(order.task_id)}}
    left_out: list[str] = []
    while True:
        kept = {**data, **dict.fromkeys(left_out), "left_out": left_out}
        body = {"type": delivery.type, "timestamp": format_utc(delivery.created_at), "data": kept}
        text = json.dumps(body, separators=(",", ":"))
        if len(text) < MOST_BYTES or len(left_out) == len(_LARGE):
            return text
        left_out = [*left_out, _LARGE[len(left_out)]]


def list_own_secrets(config: Settings) -> list[str]:
    """Return the environment's secret, which signs webhooks of orders without a key; empty if unset."""
    own = config.webhook_secret
    return [] if own is None else [own.get_secret_value()]


def list_secrets_for(db: Database, owner: str | None, config: Settings) -> list[str]:
    """List the signing secrets of the owner's valid keys; the environment's secret if the owner never had a key.

    The list is empty if there is no secret.
    """
    of_keys = read_signing_secrets(db, owner, config.webhook_rotation)
    return list_own_secrets(config) if of_keys is None else of_keys


def describe_secret_remedy(owner: str | None) -> str:
    """Return the help text that says which secret to set so that the owner's webhooks are signed.

    Without an owner it is the environment's secret.
    """
    remedy = "set CASTAD_WEBHOOK_SECRET"
    if owner is None:
        return remedy
    own = f"run `castad key webhook-secret` for a key of {owner!r}"
    return f"{own}, or {remedy} if it never had one"


@dataclass(frozen=True)
class SignedMessage:
    """The body and the headers of one try to send a webhook."""

    body: bytes
    headers: Mapping[str, str]


def make_secret() -> str:
    """Make a signing secret of 256 random bits, in the format of the Standard Webhooks libraries."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"


def message_id(delivery: Webhook) -> str:
    """Compute the webhook's message id: the same at every try, and unique across recreated ledgers."""
    what = f"{delivery.task_id} {delivery.seq} {delivery.created_at.isoformat()}"
    return f"msg_{hashlib.sha256(what.encode(errors='surrogatepass')).hexdigest()[:32]}"


def signed(delivery: Webhook, body: str, keys: Sequence[str], at: datetime) -> SignedMessage:
    """Sign the webhook's body once with each key; a receiver can verify it with any one of them.

    `at` is the time of the signature.
    """
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


def post(
    url: str, message: SignedMessage, allowlist: HostAllowlist, deadline_seconds: float
) -> DeliveryFailure | None:
    """Post the message to the URL; return None if the receiver answers 2xx, else the failure.

    The host's addresses are checked as for a linked picture, and redirects are not followed. The deadline covers
    the whole exchange. The failure's message never repeats the receiver's text.
    """
    problem = allowlist.find_url_problem(url)
    if problem is not None:
        return _build_url_failure(problem)
    try:
        with (
            make_guarded_client(
                allowlist, deadline_seconds=deadline_seconds, max_response_bytes=_NO_BODY
            ) as client,
            client.stream(
                "POST", url, content=message.body, headers=dict(message.headers)
            ) as response,
        ):
            pause = parse_retry_after(response.headers, LONGEST_WAIT)
            return judge_status(response.status_code, pause or 0.0)
    except RefusedAddressError:
        sentence = "callback_url: it leads to a private address; expected a public one"
        return DeliveryFailure(sentence, "private_address")
    except RefusedSchemeError as error:
        return _build_url_failure(str(error))
    except httpx.ConnectError as error:
        problem = find_trust_problem(error)
        why = f": {problem}" if problem else f" cannot be reached ({type(error).__name__})"
        return DeliveryFailure(f"the receiver{why}", "unreachable")
    except httpx.TimeoutException:
        return DeliveryFailure(
            f"the receiver did not answer within {deadline_seconds:g} s", "timeout"
        )
    except (httpx.HTTPError, httpx.StreamError) as error:
        sentence = f"the receiver's answer cannot be read ({type(error).__name__})"
        return DeliveryFailure(sentence, "no_answer")
    except (httpx.InvalidURL, ValueError):
        return _build_url_failure("expected a link that begins with https://")


def _build_url_failure(problem: str) -> DeliveryFailure:
    """Make the final failure for a URL that may not be called."""
    return DeliveryFailure(f"callback_url: {problem}", "callback_url_refused", DeliveryStatus.DEAD)


def judge_status(status: int, pause: float = 0.0) -> DeliveryFailure | None:
    """Return the failure for the receiver's HTTP status; None for 2xx.

    `pause` is the pause in seconds that its Retry-After header asks for.
    """
    if 200 <= status < 300:
        return None
    code, expected = f"http_{status}", "expected 2xx"
    if status == HTTPStatus.GONE:
        sentence = "the receiver answers 410: it wants no more webhooks at this address"
        return DeliveryFailure(sentence, code, DeliveryStatus.DISABLED)
    if 300 <= status < 400:
        expected = "expected 2xx, a redirect is not followed"
    return DeliveryFailure(f"the receiver answers {status}; {expected}", code, retry_after=pause)


class LedgerStore:
    """The ledger's due webhooks, claimed one at a time with a lease.

    If a sender is killed, its webhooks are due again once their leases have expired. The receiver may then get
    them twice, with the same id.
    """

    kind = "webhook"

    def __init__(self, db: Database, schedule: Schedule, lease_seconds: float) -> None:
        self._db, self._schedule, self._lease_seconds = db, schedule, lease_seconds

    def claim(self, busy: Collection[str]) -> Sequence[Webhook]:
        """Claim the webhook that has been due for longest and whose host is not busy.

        Return () if there is none.
        """
        found = claim_delivery(self._db, self._lease_seconds, busy)
        return () if found is None else (found,)

    def record(self, delivery: Webhook, failure: DeliveryFailure | None) -> Decision | None:
        """Save how the try ended (failure None: delivered) and return what follows by the schedule.

        Return None if another sender holds the lease by now.
        """
        jitter = random.random()  # noqa: S311 - jitter needs no secrecy
        decision = self._schedule.decide(failure, delivery.attempt, jitter)
        is_ours = save_delivery_try(
            self._db,
            delivery,
            decision.status,
            wait=decision.wait,
            code=decision.code,
            message=decision.message,
        )
        return decision if is_ours else None

    def release(self, target: str) -> None:
        """Do nothing: saving the try has ended the webhook's lease."""


@dataclass(frozen=True)
class OrderFacts:
    """What only an order's pipeline knows of it.

    `read_result` reads its result, None if it has none; `describe` says in one line what it is about.
    """

    read_result: Callable[[Overview], Any]
    describe: Callable[[Request], str]


def make_webhook_loop(db: Database, config: Settings, facts: OrderFacts) -> DeliveryLoop[Webhook]:
    """Make the loop that sends the ledger's webhooks and e-mails."""

    def send(delivery: Webhook) -> DeliveryFailure | None:
        try:
            return _send(db, config, facts, delivery)
        except UnknownRequestError as error:
            # Its order was deleted meanwhile, and the webhook with it.
            return DeliveryFailure(error.message, error.code)
        except Exception:  # noqa: BLE001 - it harms this webhook only
            fields = {"task_id": delivery.task_id}
            _log.exception("webhook not sent", extra={LOG_FIELDS: fields})
            return DeliveryFailure("an unexpected error; the log has it", "webhook_error")

    lease_seconds = _LEASE_IN_DEADLINES * config.webhook_deadline
    return DeliveryLoop(
        LedgerStore(db, Schedule(config.webhook_waits), lease_seconds),
        send,
        Shares(AT_ONCE, _PER_HOST, AT_ONCE // 2),
        config.webhook_seconds,
    )


def _send(
    db: Database, config: Settings, facts: OrderFacts, delivery: Webhook
) -> DeliveryFailure | None:
    """Build and send one webhook or mail; return None if the receiver has it, else the failure.

    Raises UnknownRequestError if the order was deleted.
    """
    if delivery.url.startswith(SCHEME):
        return _mail(db, config, facts, delivery)
    keys = list_secrets_for(db, delivery.owner, config)
    if not keys:
        # Final: no later try has a secret either, until a person makes one and replays the webhook.
        sentence = (
            f"needs a secret to sign with; {describe_secret_remedy(delivery.owner)}, then replay it"
        )
        return DeliveryFailure(sentence, UNSIGNED, DeliveryStatus.DEAD)
    overview = build_overview(db, delivery.task_id)
    body = build_webhook_body(delivery, overview, facts.read_result(overview))
    message = signed(delivery, body, keys, datetime.now(UTC))
    return post(delivery.url, message, HostAllowlist(config.allow_hosts), config.webhook_deadline)


def _mail(
    db: Database, config: Settings, facts: OrderFacts, delivery: Webhook
) -> DeliveryFailure | None:
    """Build and send one mail; send none about an approval that is not waited for any more."""
    order = get_request(db, delivery.task_id)
    if delivery.type == HELD and order.held_stage is None:
        return None
    if config.mail_url is None:
        return make_mail_off_failure()
    return send_mail(build_mail(delivery, order, facts.describe(order), config), config)
