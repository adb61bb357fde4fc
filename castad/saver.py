"""Serve `castad worker --queue saves`: deliver this machine's spool, and fill it from RabbitMQ's queues.

The queues hold other programs' saves and calls; docs/scan.md has their schema. Each is classic and durable, with
a time to live. Its dead-letter queue `dlq.<name>` keeps messages for seven days, as in the source system (S2). A
save is acknowledged once it is in the spool.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from amqp.basic_message import Message as RawMessage
from amqp.exceptions import PreconditionFailed
from amqp.method_framing import frame_handler
from kombu.connection import Connection
from kombu.entity import Exchange, Queue
from kombu.message import Message
from kombu.messaging import Consumer, Producer
from kombu.mixins import ConsumerMixin

from castad.direct.pool import list_targets
from castad.engine.app import (
    PromptConnection,
    build_broker_options,
    get_broker_name,
    raise_if_broker_refuses,
)
from castad.stack.processes import StopRequested, catch_stop_signals
from pipeline_defs.capabilities import CallQueue, SaveQueue, list_stateless
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError, StateUnavailableError
from resources.delivery.spool import Spool, make_spool_loop, open_spool
from resources.process.configure_logging import LOG_FIELDS, configure_logging
from resources.process.settings import Settings

SAVES = "saves"
"""The queue name of workers that execute no runs."""
_LOOK_SECONDS = 0.2
# The consumer may be waiting for a broker. Unacknowledged messages are not lost.
_STOP_SECONDS = 3.0
DEAD_EXCHANGE = "castad.dlx"
DEAD_SECONDS = 7 * 24 * 3600
_PREFETCH = 50
_HOLD_SECONDS = 1.0

_log = logging.getLogger("castad.saver")


def get_dead_queue_name(name: str) -> str:
    """Return the name of this queue's dead-letter queue."""
    return f"dlq.{name}"


def make_queue(name: str, ttl: int) -> Queue:
    """Build the queue with its time to live, in seconds, and its dead-letter queue."""
    return Queue(
        name,
        Exchange("castad.saves", type="direct"),
        routing_key=name,
        queue_arguments={
            "x-message-ttl": ttl * 1000,
            "x-dead-letter-exchange": DEAD_EXCHANGE,
            "x-dead-letter-routing-key": get_dead_queue_name(name),
        },
    )


def make_dead_queue(name: str) -> Queue:
    """Build the queue that keeps the dead letters for seven days."""
    dead = get_dead_queue_name(name)
    return Queue(
        dead,
        Exchange(DEAD_EXCHANGE, type="direct"),
        routing_key=dead,
        queue_arguments={"x-message-ttl": DEAD_SECONDS * 1000},
    )


class SaveConsumer(ConsumerMixin):
    """A consumer of the queues that runs until `should_stop` and reconnects to a lost broker."""

    def __init__(
        self, connection: Connection, queues: Mapping[str, SaveQueue | CallQueue], spool: Spool
    ) -> None:
        self.connection = connection
        self.should_stop = False
        self._queues = queues
        self._spool = spool
        self._held: list[Message] = []
        self._held_until = 0.0
        self._refused = ""

    def get_consumers(self, consumer_class: Any, channel: Any) -> list[Consumer]:
        """Declare the queues and their dead-letter queues; return a consumer for each queue."""
        # The broker has requeued the messages of a lost channel.
        self._held.clear()
        for name, queue in self._queues.items():
            self._declare(make_dead_queue(name)(channel))
            self._declare(make_queue(name, queue.ttl)(channel))
        self._refused = ""
        return [
            self._make_consumer(consumer_class, name, queue) for name, queue in self._queues.items()
        ]

    def on_iteration(self) -> None:
        """Requeue the messages that were held long enough."""
        if self._held and time.monotonic() >= self._held_until:
            held, self._held = self._held, []
            for message in held:
                message.requeue()

    def _declare(self, queue: Queue) -> None:
        try:
            queue.declare()
        except PreconditionFailed as error:
            # Kombu tries again every second; log it once.
            if self._refused != queue.name:
                _log.error(
                    "queue was declared with other arguments; delete it, or declare it as docs/scan.md says",
                    extra={LOG_FIELDS: {"queue": queue.name, "why": error.reply_text}},
                )
            self._refused = queue.name
            raise

    def _make_consumer(
        self, consumer_class: Any, name: str, queue: SaveQueue | CallQueue
    ) -> Consumer:
        take: Callable[[Message], None] = (
            partial(self._take_save, queue)
            if isinstance(queue, SaveQueue)
            else partial(self._answer_call, queue)
        )
        consumer: Consumer = consumer_class(
            queues=[make_queue(name, queue.ttl)],
            on_message=take,
            # By default an undecodable message would be acknowledged, and its content logged.
            on_decode_error=lambda message, _: take(message),
            prefetch_count=_PREFETCH,
        )
        return consumer

    def _hold(self, message: Message, error: StateUnavailableError) -> None:
        """Keep the message unacknowledged for a moment, since the broker would redeliver it at once."""
        if not self._held:
            _log.error("message not spooled: %s", error.message)
            self._held_until = time.monotonic() + _HOLD_SECONDS
        self._held.append(message)

    def _take_save(self, queue: SaveQueue, message: Message) -> None:
        try:
            self._spool.append(queue.entries(_parse_content(message)))
        except InvalidInputError as error:
            _refuse(message, error.message)
        except StateUnavailableError as error:
            self._hold(message, error)
        except Exception as error:  # noqa: BLE001 - a message may raise anything, and none may stop the others
            _refuse(message, type(error).__name__)
        else:
            message.ack()

    def _answer_call(self, queue: CallQueue, message: Message) -> None:
        try:
            answer = queue.answer(_parse_content(message))
        except InvalidInputError as error:
            answer = {"error": {"code": error.code, "message": error.message}}
        except Exception as error:  # noqa: BLE001 - as above
            _refuse(message, type(error).__name__)
            return
        self._reply(message, answer)
        message.ack()

    def _reply(self, message: Message, answer: Any) -> None:
        to = message.properties.get("reply_to")
        if to:
            Producer(message.channel).publish(
                answer,
                exchange="",
                routing_key=to,
                correlation_id=message.properties.get("correlation_id"),
                serializer="json",
                retry=False,
            )


def _refuse(message: Message, why: str) -> None:
    """Reject the message, which makes it a dead letter."""
    _log.warning("message refused", extra={LOG_FIELDS: {"why": why}})
    message.reject()


def _parse_content(message: Message) -> Any:
    """Parse the message as JSON, regardless of its content type; raises InvalidInputError."""
    if message.errors:
        raise InvalidInputError("message", "expected no compression")
    body = message.body
    try:
        # The client has decoded the body if the message names an encoding.
        content = json.loads(body if isinstance(body, str) else bytes(body).decode())
        has_nul = _has_nul(content)
    except (ValueError, TypeError, RecursionError):
        raise InvalidInputError("message", "expected JSON in UTF-8") from None
    if has_nul:
        raise InvalidInputError("message", "expected text without NUL, which no database keeps")
    return content


def _has_nul(content: Any) -> bool:
    if isinstance(content, dict):
        return any(map(_has_nul, (*content, *content.values())))
    return any(map(_has_nul, content)) if isinstance(content, list) else "\0" in str(content)


_HEADER = 2
"""The type of the frame that holds a message's properties."""
_BEFORE_PROPERTIES = 12
_NO_PROPERTIES = b"\0\0"


def make_tolerant_handler(connection: Any, callback: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return the client's frame handler, tolerant of a message whose properties cannot be read.

    Such a message arrives without properties. Otherwise a `correlation_id` that is no UTF-8 would end the
    connection on every delivery of the message.
    """
    handle = frame_handler(connection, callback)

    def on_frame(frame: tuple[int, int, bytes]) -> Any:
        kind, channel, content = frame
        if kind == _HEADER and not _is_readable(content):
            content = bytes(content[:_BEFORE_PROPERTIES]) + _NO_PROPERTIES
        return handle((kind, channel, content))

    return on_frame


def _is_readable(header: bytes) -> bool:
    try:
        RawMessage().inbound_header(header)
    except Exception:  # noqa: BLE001 - the client's parser raises whatever its steps do
        return False
    return True


def run_saver(settings: Settings) -> int:
    """Consume and deliver saves until a signal stops this process; return the exit code.

    Without RabbitMQ, only deliver this machine's spool. If the consumer ends by itself, return exit code 1. Raises
    BrokerRefusesError.
    """
    configure_logging()
    raise_if_broker_refuses(settings)
    delivery = make_spool_loop(open_spool(settings.home), list_targets(get_catalog()))
    consumer = _make_consumer(settings)
    _log.info("saver started", extra={LOG_FIELDS: {"broker": get_broker_name(settings)}})
    with catch_stop_signals() as flag:
        delivery.stay_awake()
        thread = None if consumer is None else threading.Thread(target=consumer.run, daemon=True)
        if thread is not None:
            thread.start()
        try:
            while thread is None or thread.is_alive():
                flag.pause(_LOOK_SECONDS)
            _log.error("messages are taken no more")
            code = 1
        except StopRequested:
            code = 0
        if consumer is not None and thread is not None:
            consumer.should_stop = True
            thread.join(_STOP_SECONDS)
        delivery.rest()
    return code


def _make_consumer(settings: Settings) -> SaveConsumer | None:
    if settings.broker_url is None or not settings.broker_url.startswith("amqp"):
        return None
    queues = {
        name: queue for each in list_stateless(get_catalog()) for name, queue in each.queues.items()
    }
    options = build_broker_options(settings)
    connection = PromptConnection(  # type: ignore[no-untyped-call] # the library has no types
        options["broker_url"],
        ssl=options["broker_use_ssl"] or None,
        heartbeat=options["broker_heartbeat"],
        transport_options={"frame_handler": make_tolerant_handler},
    )
    return SaveConsumer(connection, queues, open_spool(settings.home))
