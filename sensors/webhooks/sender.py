"""Sends the webhooks of the outbox, each at least once, while a tick keeps it awake."""

import logging
import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from resources.http.host_allowlist import HostAllowlist
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.webhook_list import Webhook
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.deliveries import claim_delivery, save_try
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import Settings
from sensors.webhooks.exchange import send
from sensors.webhooks.hosts import HostShares
from sensors.webhooks.schedule import Fault, ReceiverAnswer, judge
from sensors.webhooks.secrets import UNSIGNED, secret_remedy, secrets_for
from sensors.webhooks.signing import signed

_log = logging.getLogger("castad.webhooks")

# The exchange, and what the ledger takes before and after it.
_LEASE_IN_DEADLINES = 2.0
# A host that takes longer for a try is served from the slow ones' share.
_SLOW_SECONDS = 2.0

BodyOf = Callable[[Webhook], str]
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
            return _no_secret(delivery.owner)
        message = signed(delivery, self._body_of(delivery), keys, datetime.now(UTC))
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


def _no_secret(owner: str | None) -> Fault:
    """Nothing is sent without a signature, and no later try has one: a person makes a secret, and replays."""
    told = f"needs a secret to sign with; {secret_remedy(owner)}, then replay it"
    return Fault(UNSIGNED, told, final=True)
