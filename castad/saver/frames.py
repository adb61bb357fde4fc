"""Read RabbitMQ frames whose message properties the client cannot parse."""

from collections.abc import Callable
from typing import Any

from amqp.basic_message import Message
from amqp.method_framing import frame_handler

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
        Message().inbound_header(header)
    except Exception:  # noqa: BLE001 - the client's parser raises whatever its steps do
        return False
    return True
