"""Sends the webhooks of the outbox, each at least once, while a tick keeps it awake."""

import logging
import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from resources.http.host_allowlist import HostAllowlist
from resources.ledger.db.database import Database
from resources.ledger.errors import UnknownRequestError
from resources.ledger.moves.deliveries import claim_delivery, record_try
from resources.ledger.queries.deliveries import Delivery
from resources.ledger.schema.tables import DeliveryStatus
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import Settings
from sensors.webhooks.exchange import send
from sensors.webhooks.hosts import HostShares
from sensors.webhooks.schedule import Answer, Fault, judge
from sensors.webhooks.secrets import UNSIGNED, secret_remedy, secrets_for
from sensors.webhooks.signing import signed

_log = logging.getLogger("castad.webhooks")

# The exchange, and what the ledger takes before and after it.
_LEASE_IN_DEADLINES = 2.0
# A host that takes longer for a try is served from the slow ones' share.
_SLOW_SECONDS = 2.0

BodyOf = Callable[[Delivery], str]
"""The body of a webhook, read from the ledger at each try."""


class WebhookSender:
    """Threads that send what is due; any number of processes may have one.

    A webhook is leased to one sender for the time of a try. What a killed sender had under way is due again once
    its lease has run out: the receiver may get it twice, with the same id.
    """

    def __init__(self, db: Database, config: Settings, body_of: BodyOf) -> None:
        self._db, self._config, self._body_of = db, config, body_of
        self._changed = threading.Condition()
        self._hosts = HostShares()
        self._changes = 0
        self._awake_until = 0.0
        self._thread: threading.Thread | None = None

    def stay_awake(self, seconds: float) -> None:
        """What is due in the next seconds is sent; returns at once."""
        with self._changed:
            self._awake_until = max(self._awake_until, time.monotonic() + seconds)
            if self._thread is None:
                thread = threading.Thread(target=self._work, name="castad-webhooks", daemon=True)
                thread.start()
                self._thread = thread

    def rest(self) -> None:
        """Nothing more is begun; what is under way goes on."""
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
                    # One that ended during the look may have made room.
                    if self._changes == seen:
                        self._changed.wait(self._config.webhook_seconds)

    def _begin_next(self, busy: frozenset[str]) -> bool:
        """Whether a webhook was begun; False where none is due that goes to another host than the busy ones."""
        lease_seconds = _LEASE_IN_DEADLINES * self._config.webhook_deadline
        try:
            delivery = claim_delivery(self._db, lease_seconds, busy)
            if delivery is not None:
                self._begin(delivery)
        except Exception as error:  # noqa: BLE001 - no error may stop the sender
            _log.warning("webhooks not begun", extra={LOG_FIELDS: {"error": type(error).__name__}})
            return False
        return delivery is not None

    def _begin(self, delivery: Delivery) -> None:
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

    def _send(self, delivery: Delivery) -> None:
        began = time.monotonic()
        result: Answer | Fault = Fault("webhook_error", "an unexpected error; the log has it")
        try:
            result = self._try(delivery)
        except UnknownRequestError:
            pass  # its order was deleted meanwhile, and the webhook with it
        except Exception:  # noqa: BLE001 - it harms this webhook only
            _log.exception("webhook not sent", extra={LOG_FIELDS: {"task_id": delivery.task_id}})
        is_slow = time.monotonic() - began > _SLOW_SECONDS
        try:
            self._record(delivery, result)
        except Exception:  # noqa: BLE001 - its lease runs out, and it is tried again
            _log.exception("webhook's try not recorded")
        self._end(delivery, is_slow=is_slow)

    def _end(self, delivery: Delivery, *, is_slow: bool) -> None:
        with self._changed:
            self._hosts.end(delivery.host, is_slow=is_slow)
            self._changes += 1
            self._changed.notify_all()

    def _try(self, delivery: Delivery) -> Answer | Fault:
        keys = secrets_for(self._db, delivery.owner, self._config)
        if not keys:
            return _no_secret(delivery.owner)
        message = signed(delivery, self._body_of(delivery), keys, datetime.now(UTC))
        allowlist = HostAllowlist(self._config.allow_hosts)
        return send(delivery.url, message, allowlist, self._config.webhook_deadline)

    def _record(self, delivery: Delivery, result: Answer | Fault) -> None:
        jitter = random.random()  # noqa: S311 - jitter needs no secrecy
        verdict = judge(result, delivery.attempt, self._config.webhook_waits, jitter)
        is_ours = record_try(
            self._db,
            delivery,
            verdict.status,
            wait=verdict.wait,
            code=verdict.code,
            message=verdict.message,
        )
        if is_ours and verdict.status in (DeliveryStatus.DEAD, DeliveryStatus.DISABLED):
            fields = {"id": delivery.id, "task_id": delivery.task_id, "code": verdict.code}
            _log.warning("webhook %s", verdict.status, extra={LOG_FIELDS: fields})


def _no_secret(owner: str | None) -> Fault:
    """Nothing is sent without a signature, and no later try has one: a person makes a secret, and replays."""
    told = f"needs a secret to sign with; {secret_remedy(owner)}, then replay it"
    return Fault(UNSIGNED, told, final=True)
