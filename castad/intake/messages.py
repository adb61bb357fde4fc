"""Parse a message of the stream to an order, and build the answer to a refused one. Pure."""

import hashlib
from codecs import getincrementaldecoder
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from castad.orders.order_fields import parse_json, require_object
from castad.orders.submit import LARGEST_ORDER
from resources.contract.errors import CastadError, InvalidInputError

ORDER = "order"
"""The field of a message that holds the order, as JSON."""
MESSAGE_TOO_LARGE = "too_large"
_LONGEST_SHOWN = 10_000

Fields = Mapping[bytes, bytes]


@dataclass(frozen=True)
class Message:
    """An entry of a stream: its id there, and its fields."""

    id: str
    fields: Fields


def parse_order(message: Message, stream: str) -> dict[str, Any]:
    """Parse the order's fields; without a task_id, derive one from the message's id, the same at each delivery.

    Raises InvalidInputError for a message that holds no order.
    """
    text = message.fields.get(ORDER.encode())
    if text is None:
        raise InvalidInputError(ORDER, "expected a field of this name that holds the order as JSON")
    if len(text) > LARGEST_ORDER:
        expected = f"expected at most {LARGEST_ORDER / 1_000_000:g} MB"
        raise InvalidInputError(ORDER, expected, code=MESSAGE_TOO_LARGE)
    fields = {**require_object(parse_json(text, ORDER), ORDER)}
    if fields.get("task_id") is None:
        fields["task_id"] = derive_task_id(message.id, stream)
    return fields


def derive_task_id(message_id: str, stream: str) -> str:
    """Derive the task_id of an order that names none."""
    digest = hashlib.sha256(f"{stream} {message_id}".encode()).hexdigest()
    return f"intake-{digest[:24]}"


def build_refusal(message: Message, error: CastadError) -> dict[str, bytes]:
    """Build the fields of the answer to a refused message, in UTF-8; the order is shown up to 10 kB.

    Text that UTF-8 cannot encode is replaced, and no character is cut.
    """
    order = message.fields.get(ORDER.encode(), b"")
    decoder = getincrementaldecoder("utf-8")("replace")
    shown = decoder.decode(order[:_LONGEST_SHOWN], final=len(order) <= _LONGEST_SHOWN)
    answer = {"id": message.id, "code": error.code, "message": error.message}
    if isinstance(error, InvalidInputError):
        answer["field"] = error.field
    return {
        name: text.encode("utf-8", "replace") for name, text in {**answer, ORDER: shown}.items()
    }
