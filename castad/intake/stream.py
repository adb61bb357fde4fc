"""The stream of orders in Redis or Valkey, read by a consumer group (redis.io, "Redis Streams").

A message belongs to the consumer that read it until it is acknowledged, or until it has been idle and another
consumer claims it.
"""

import os
import secrets
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from castad.intake.messages import Message
from resources.contract.errors import StateUnavailableError

ORDERS = "castad:orders"
REFUSED = "castad:refused"
REFUSED_EXPECTED = (
    f"{REFUSED}: expected a stream; another program has made it something else: delete or rename it"
)
GROUP = "castad"
_MOST_REFUSED = 10_000
# A script that fails is not rolled back: the answer comes before the acknowledgement.
_REFUSE = """
local id = ARGV[2]
if #redis.call('XPENDING', KEYS[1], ARGV[1], id, id, 1) == 1 then
    redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], '*', unpack(ARGV, 4))
    redis.call('XACK', KEYS[1], ARGV[1], id)
    redis.call('XDEL', KEYS[1], id)
end
"""
_ANSWER_SECONDS = 10.0
_GROUP_EXISTS = "BUSYGROUP"


def describe_stream(url: str) -> str:
    """Describe in a few words how many messages wait and how many were refused.

    Raises redis.RedisError, and StateUnavailableError if refusals cannot be answered.
    """
    with _connect(url) as client:
        waiting = client.xlen(ORDERS)
        try:
            refused = client.xlen(REFUSED)
        except redis.ResponseError:
            raise StateUnavailableError(REFUSED_EXPECTED) from None
    return f"{waiting} messages in {ORDERS}, {refused} in {REFUSED}"


def _connect(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url,
        socket_timeout=_ANSWER_SECONDS,
        socket_connect_timeout=_ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=0,
    )


class OrderStream:
    """The stream, as one consumer of the group `castad`. Its methods raise redis.RedisError."""

    def __init__(self, url: str, *, claim_seconds: float) -> None:
        self._redis = _connect(url)
        self._refuse = self._redis.register_script(_REFUSE)
        self._claim_milliseconds = round(claim_seconds * 1000)
        self._name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._cursor = "0-0"

    def open(self) -> None:
        """Create the stream and its group if they are missing; the group begins with the first message."""
        try:
            self._redis.xgroup_create(ORDERS, GROUP, id="0", mkstream=True)
        except redis.ResponseError as error:
            if _GROUP_EXISTS not in str(error):
                raise

    def read(self, count: int, wait_seconds: float) -> list[Message]:
        """Read new messages, which then belong to this consumer; return [] if none comes in time."""
        milliseconds = max(round(wait_seconds * 1000), 1)
        found: Any = self._redis.xreadgroup(
            GROUP, self._name, {ORDERS: ">"}, count=count, block=milliseconds
        )
        return [_build_message(*entry) for _, entries in found or () for entry in entries]

    def claim(self, count: int) -> list[Message]:
        """Claim messages that have been idle for long from their consumers."""
        answer: Any = self._redis.xautoclaim(
            ORDERS, GROUP, self._name, self._claim_milliseconds, self._cursor, count=count
        )
        self._cursor = answer[0].decode()
        return [_build_message(*entry) for entry in answer[1] if entry[1] is not None]

    def take_out(self, ids: Sequence[str]) -> None:
        """Acknowledge the messages and delete them from the stream."""
        if ids:
            with self._redis.pipeline(transaction=True) as pipe:
                pipe.xack(ORDERS, GROUP, *ids)
                pipe.xdel(ORDERS, *ids)
                pipe.execute()

    def refuse(self, id_: str, answer: Mapping[str, bytes]) -> None:
        """Answer the message and delete it from the stream; of two consumers that had it only the first does."""
        named = [part for pair in answer.items() for part in pair]
        self._refuse(keys=[ORDERS, REFUSED], args=[GROUP, id_, _MOST_REFUSED, *named])

    def leave(self) -> None:
        """Remove this consumer from the group unless it still has messages, and close the connection."""
        with suppress(redis.RedisError):
            pending: Any = self._redis.xpending_range(
                ORDERS, GROUP, "-", "+", count=1, consumername=self._name
            )
            if not pending:
                self._redis.xgroup_delconsumer(ORDERS, GROUP, self._name)
        self._redis.close()


def _build_message(id_: bytes, fields: Mapping[bytes, bytes]) -> Message:
    return Message(id_.decode(), fields)
