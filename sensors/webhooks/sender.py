"""Send due webhooks in threads, fairly between hosts, and save how each try ended."""

import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from http import HTTPStatus

import httpx

from pipeline_defs.catalog import Catalog, catalog
from resources.http.addresses import HostAllowlist
from resources.http.guarded_client import (
    RefusedAddressError,
    RefusedSchemeError,
    guarded_client,
    trust_problem,
)
from resources.http.vendor_client import retry_after
from resources.ledger.db.database import Database, open_database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.health import overview_of
from resources.ledger.queries.webhooks import Webhook
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.webhooks import claim_delivery, save_try
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import Settings, settings
from sensors.dispatch_waiter import call_on_release
from sensors.webhooks.body import (
    UNSIGNED,
    SignedMessage,
    secret_remedy,
    secrets_for,
    signed,
    webhook_body,
)

LONGEST_WAIT = 86_400.0
"""The longest `Retry-After` that is respected, in seconds."""
_SPREAD = 0.1
# The response's body is not read.
_NO_BODY = 0
AT_ONCE = 32
"""The most webhooks that one process sends at the same time."""
_PER_HOST = 4
_MOST_SLOW = AT_ONCE // 2
_MOST_REMEMBERED = 1000
_log = logging.getLogger("castad.webhooks")
# A lease covers the exchange, and the ledger's time before and after it.
_LEASE_IN_DEADLINES = 2.0
# A host that takes longer for a try is served from the slow hosts' share.
_SLOW_SECONDS = 2.0
# Covers a late tick. After the sensor was switched off, sending ends after this time.
_AWAKE_SECONDS = 20.0


@dataclass(frozen=True)
class ReceiverAnswer:
    """A receiver's answer; `retry_after` in seconds, None where it asks for no pause."""

    status: int
    retry_after: float | None = None


@dataclass(frozen=True)
class Fault:
    """The reason for a missing answer. A `final` one would occur at every further try."""

    code: str
    message: str
    final: bool = False


@dataclass(frozen=True)
class Judgement:
    """The status of a webhook after one more try; `wait` in seconds before the next try."""

    status: DeliveryStatus
    wait: float | None = None
    code: str | None = None
    message: str | None = None


def judge(
    result: ReceiverAnswer | Fault, tries_before: int, waits: Sequence[float], jitter: float
) -> Judgement:
    """Judge one try. Each number of `waits` is one further try; `jitter` in [0, 1) lengthens it by a tenth.

    A redirect is a failure. A receiver's Retry-After lengthens the wait, and never shortens it.
    """
    if isinstance(result, Fault):
        return _judge_failure(
            result.code, result.message, result.final, tries_before, waits, jitter, 0.0
        )
    if 200 <= result.status < 300:
        return Judgement(DeliveryStatus.DELIVERED)
    code, message = f"http_{result.status}", _explain_status(result.status)
    if result.status == HTTPStatus.GONE:
        return Judgement(DeliveryStatus.DISABLED, None, code, message)
    asked = min(result.retry_after or 0.0, LONGEST_WAIT)
    return _judge_failure(code, message, False, tries_before, waits, jitter, asked)


def _explain_status(status: int) -> str:
    if status == HTTPStatus.GONE:
        return "the receiver answers 410: it wants no more webhooks at this address"
    if 300 <= status < 400:
        return f"the receiver answers {status}; expected 2xx, a redirect is not followed"
    return f"the receiver answers {status}; expected 2xx"


def _judge_failure(
    code: str,
    message: str,
    final: bool,
    tries_before: int,
    waits: Sequence[float],
    jitter: float,
    at_least: float,
) -> Judgement:
    if final or tries_before >= len(waits):
        return Judgement(DeliveryStatus.DEAD, None, code, message)
    wait = max(waits[tries_before], at_least) * (1 + _SPREAD * jitter)
    return Judgement(DeliveryStatus.PENDING, wait, code, message)


def send(
    url: str, message: SignedMessage, allowlist: HostAllowlist, deadline_seconds: float
) -> ReceiverAnswer | Fault:
    """Send the message; return the receiver's answer, or the reason for none.

    The host's addresses are checked, as for a linked picture. No redirect is followed, and the deadline covers
    everything. No sentence repeats the receiver's text.
    """
    problem = allowlist.url_problem(url)
    if problem is not None:
        return Fault("callback_url_refused", f"callback_url: {problem}", final=True)
    try:
        with (
            guarded_client(
                allowlist, deadline_seconds=deadline_seconds, max_response_bytes=_NO_BODY
            ) as client,
            client.stream(
                "POST", url, content=message.body, headers=dict(message.headers)
            ) as response,
        ):
            return ReceiverAnswer(response.status_code, retry_after(response.headers, LONGEST_WAIT))
    except RefusedAddressError:
        return Fault(
            "private_address", "callback_url: it leads to a private address; expected a public one"
        )
    except RefusedSchemeError as error:
        return Fault("callback_url_refused", f"callback_url: {error}", final=True)
    except httpx.ConnectError as error:
        problem = trust_problem(error)
        if problem:
            return Fault("unreachable", f"the receiver: {problem}")
        sentence = f"the receiver cannot be reached ({type(error).__name__})"
        return Fault("unreachable", sentence)
    except httpx.TimeoutException:
        message_text = f"the receiver did not answer within {deadline_seconds:g} s"
        return Fault("timeout", message_text)
    except (httpx.HTTPError, httpx.StreamError) as error:
        return Fault("no_answer", f"the receiver's answer cannot be read ({type(error).__name__})")
    except (httpx.InvalidURL, ValueError):
        sentence = "callback_url: expected a link that begins with https://"
        return Fault("callback_url_refused", sentence, final=True)


class HostShares:
    """The shares of hosts in the webhooks under way. Not safe to share between threads.

    A host has a few at a time. All hosts that were slow at their last try share half of the total, so that the
    other hosts are always served.
    """

    def __init__(self) -> None:
        self._under_way: Counter[str] = Counter()
        self._slow: set[str] = set()

    @property
    def is_full(self) -> bool:
        """Whether the process sends as many webhooks as it may."""
        return self._under_way.total() >= AT_ONCE

    @property
    def busy(self) -> frozenset[str]:
        """The hosts that may not have another webhook now."""
        full = {host for host, count in self._under_way.items() if count >= _PER_HOST}
        to_slow = sum(self._under_way[host] for host in self._slow)
        return frozenset(full | self._slow if to_slow >= _MOST_SLOW else full)

    def begin(self, host: str) -> None:
        """Count one more webhook under way to the host."""
        self._under_way[host] += 1

    def end(self, host: str, *, is_slow: bool) -> None:
        """Count one less; a host counts as slow until a try is not slow."""
        self._under_way[host] -= 1
        if self._under_way[host] == 0:
            del self._under_way[host]
        if not is_slow:
            self._slow.discard(host)
        elif len(self._slow) < _MOST_REMEMBERED:
            self._slow.add(host)


class WebhookSender:
    """A sender of due webhooks in threads; any number of processes may have one.

    A webhook is leased to one sender for the time of a try. After a sender was killed, its webhooks are due again
    once their leases have expired: the receiver may get them twice, with the same id.
    """

    def __init__(self, db: Database, config: Settings, pipelines: Catalog) -> None:
        self._db, self._config, self._pipelines = db, config, pipelines
        self._changed = threading.Condition()
        self._hosts = HostShares()
        self._changes = 0
        self._awake_until = 0.0
        self._thread: threading.Thread | None = None

    def stay_awake(self, seconds: float) -> None:
        """Send webhooks that become due in the next seconds; return at once."""
        with self._changed:
            self._awake_until = max(self._awake_until, time.monotonic() + seconds)
            if self._thread is None:
                thread = threading.Thread(target=self._work, name="castad-webhooks", daemon=True)
                thread.start()
                self._thread = thread

    def rest(self) -> None:
        """Begin no further webhook; those under way continue."""
        with self._changed:
            self._awake_until = 0.0
            self._changes += 1
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                if time.monotonic() >= self._awake_until:
                    self._thread = None
                    return
                seen, busy = self._changes, self._hosts.busy
                is_full = self._hosts.is_full
            if is_full or not self._begin_next(busy):
                with self._changed:
                    # A webhook that ended during the query may have made room.
                    if self._changes == seen:
                        self._changed.wait(self._config.webhook_seconds)

    def _begin_next(self, busy: frozenset[str]) -> bool:
        """Begin the next due webhook to a host that is not busy; return whether there was one."""
        lease_seconds = _LEASE_IN_DEADLINES * self._config.webhook_deadline
        try:
            delivery = claim_delivery(self._db, lease_seconds, busy)
            if delivery is not None:
                self._begin(delivery)
        except Exception as error:  # noqa: BLE001 - no error may stop the sender
            _log.warning("webhooks not begun", extra={LOG_FIELDS: {"error": type(error).__name__}})
            return False
        return delivery is not None

    def _begin(self, delivery: Webhook) -> None:
        thread = threading.Thread(
            target=self._send, args=(delivery,), name="castad-webhook", daemon=True
        )
        with self._changed:
            self._hosts.begin(delivery.host)
        try:
            thread.start()
        except RuntimeError:
            self._end(delivery, is_slow=False)
            raise

    def _send(self, delivery: Webhook) -> None:
        began = time.monotonic()
        result: ReceiverAnswer | Fault = Fault(
            "webhook_error", "an unexpected error; the log has it"
        )
        try:
            result = self._try(delivery)
        except UnknownRequestError:
            pass  # its order was deleted meanwhile, and the webhook with it
        except Exception:  # noqa: BLE001 - it harms this webhook only
            _log.exception("webhook not sent", extra={LOG_FIELDS: {"task_id": delivery.task_id}})
        is_slow = time.monotonic() - began > _SLOW_SECONDS
        try:
            self._save(delivery, result)
        except Exception:  # noqa: BLE001 - its lease runs out, and it is tried again
            _log.exception("webhook's try not saved")
        self._end(delivery, is_slow=is_slow)

    def _end(self, delivery: Webhook, *, is_slow: bool) -> None:
        with self._changed:
            self._hosts.end(delivery.host, is_slow=is_slow)
            self._changes += 1
            self._changed.notify_all()

    def _try(self, delivery: Webhook) -> ReceiverAnswer | Fault:
        keys = secrets_for(self._db, delivery.owner, self._config)
        if not keys:
            # Final: no later try has a secret either, until a person makes one and replays the webhook.
            sentence = (
                f"needs a secret to sign with; {secret_remedy(delivery.owner)}, then replay it"
            )
            return Fault(UNSIGNED, sentence, final=True)
        body = webhook_body(delivery, overview_of(self._db, delivery.task_id), self._pipelines)
        message = signed(delivery, body, keys, datetime.now(UTC))
        allowlist = HostAllowlist(self._config.allow_hosts)
        return send(delivery.url, message, allowlist, self._config.webhook_deadline)

    def _save(self, delivery: Webhook, result: ReceiverAnswer | Fault) -> None:
        jitter = random.random()  # noqa: S311 - jitter needs no secrecy
        judgement = judge(result, delivery.attempt, self._config.webhook_waits, jitter)
        is_ours = save_try(
            self._db,
            delivery,
            judgement.status,
            wait=judgement.wait,
            code=judgement.code,
            message=judgement.message,
        )
        if is_ours and judgement.status in (DeliveryStatus.DEAD, DeliveryStatus.DISABLED):
            fields = {"id": delivery.id, "task_id": delivery.task_id, "code": judgement.code}
            _log.warning("webhook %s", judgement.status, extra={LOG_FIELDS: fields})


def keep_sending() -> None:
    """Send the webhooks that become due until the next tick."""
    _get_shared_sender().stay_awake(_AWAKE_SECONDS)


@lru_cache(maxsize=1)
def _get_shared_sender() -> WebhookSender:
    config = settings()
    sender = WebhookSender(open_database(config.ledger_url), config, catalog())
    call_on_release(sender.rest)
    return sender
