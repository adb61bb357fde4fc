"""The queues at RabbitMQ by which other programs hand saves over, or ask; docs/scan.md has their schema.

Each is classic and durable, with a time to live and a dead-letter queue `dlq.<name>` that keeps its messages for
seven days, as the source system's are (S2). A save is acknowledged once it is in the spool.
"""

import json
import logging
from collections.abc import Mapping
from typing import Any

from kombu.connection import Connection
from kombu.entity import Exchange, Queue
from kombu.message import Message
from kombu.messaging import Consumer, Producer
from kombu.mixins import ConsumerMixin

from pipeline_defs.stateless import CallQueue, SaveQueue
from resources.contract.errors import InvalidInputError, StateUnavailableError
from resources.process.configure_logging import LOG_FIELDS
from resources.spool.spool import Spool

DEAD_EXCHANGE = "castad.dlx"
DEAD_SECONDS = 7 * 24 * 3600
_PREFETCH = 50

_log = logging.getLogger("castad.saver")


def dead_letters_of(name: str) -> str:
    """The queue of the dead letters of this queue."""
    return f"dlq.{name}"


def declared_queue(name: str, ttl: int) -> Queue:
    """The queue with its time to live, in seconds, and its dead-letter queue."""
    return Queue(
        name,
        Exchange("castad.saves", type="direct"),
        routing_key=name,
        queue_arguments={
            "x-message-ttl": ttl * 1000,
            "x-dead-letter-exchange": DEAD_EXCHANGE,
            "x-dead-letter-routing-key": dead_letters_of(name),
        },
    )


def dead_queue(name: str) -> Queue:
    """Where the queue's dead letters lie for seven days."""
    dead = dead_letters_of(name)
    return Queue(
        dead,
        Exchange(DEAD_EXCHANGE, type="direct"),
        routing_key=dead,
        queue_arguments={"x-message-ttl": DEAD_SECONDS * 1000},
    )


class SaveConsumer(ConsumerMixin):
    """Takes messages from the queues until `should_stop`; a broker that is away is waited for."""

    def __init__(
        self, connection: Connection, queues: Mapping[str, SaveQueue | CallQueue], spool: Spool
    ) -> None:
        self.connection = connection
        self.should_stop = False
        self._queues = queues
        self._spool = spool

    def get_consumers(self, consumer_class: Any, channel: Any) -> list[Consumer]:
        """A consumer a queue; the queues and their dead-letter queues are declared."""
        for name in self._queues:
            dead_queue(name)(channel).declare()
        return [
            consumer_class(
                queues=[declared_queue(name, queue.ttl)],
                on_message=self._taker(queue),
                prefetch_count=_PREFETCH,
            )
            for name, queue in self._queues.items()
        ]

    def _taker(self, queue: SaveQueue | CallQueue) -> Any:
        return self._take_save(queue) if isinstance(queue, SaveQueue) else self._take_call(queue)

    def _take_save(self, queue: SaveQueue) -> Any:
        def take(message: Message) -> None:
            try:
                self._spool.append(queue.entries(_content(message)))
            except InvalidInputError as error:
                _log.warning("message refused", extra={LOG_FIELDS: {"why": error.message}})
                message.reject()
            except StateUnavailableError as error:
                _log.error("message not spooled: %s", error.message)
                message.requeue()
            else:
                message.ack()

        return take

    def _take_call(self, queue: CallQueue) -> Any:
        def take(message: Message) -> None:
            try:
                answer = queue.answer(_content(message))
            except InvalidInputError as error:
                answer = {"error": {"code": error.code, "message": error.message}}
            self._reply(message, answer)
            message.ack()

        return take

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


def _content(message: Message) -> Any:
    """The JSON of the message, whatever content type it says. Raises InvalidInputError."""
    body = message.body
    try:
        # The client has decoded it where the message names an encoding.
        return json.loads(body if isinstance(body, str) else bytes(body).decode())
    except (ValueError, TypeError, RecursionError):
        raise InvalidInputError("message", "expected JSON in UTF-8") from None
