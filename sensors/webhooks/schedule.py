"""What one try of a webhook means: delivered, over, or tried again after a while. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from resources.ledger.schema.tables import DeliveryStatus

LONGEST_WAIT = 86_400.0
"""The longest `Retry-After` that is heeded, in seconds."""
_SPREAD = 0.1


@dataclass(frozen=True)
class ReceiverAnswer:
    """What a receiver answered; `retry_after` in seconds, None where it asks for no pause."""

    status: int
    retry_after: float | None = None


@dataclass(frozen=True)
class Fault:
    """Why there was no answer. A `final` one happens at every further try."""

    code: str
    message: str
    final: bool = False


@dataclass(frozen=True)
class Judgement:
    """What becomes of a webhook after one more try; `wait` in seconds where it is tried again."""

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
        return _failed(result.code, result.message, result.final, tries_before, waits, jitter, 0.0)
    if 200 <= result.status < 300:
        return Judgement(DeliveryStatus.DELIVERED)
    code, message = f"http_{result.status}", _sentence(result.status)
    if result.status == HTTPStatus.GONE:
        return Judgement(DeliveryStatus.DISABLED, None, code, message)
    asked = min(result.retry_after or 0.0, LONGEST_WAIT)
    return _failed(code, message, False, tries_before, waits, jitter, asked)


def _sentence(status: int) -> str:
    if status == HTTPStatus.GONE:
        return "the receiver answers 410: it wants no more webhooks at this address"
    if 300 <= status < 400:
        return f"the receiver answers {status}; expected 2xx, a redirect is not followed"
    return f"the receiver answers {status}; expected 2xx"


def _failed(
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
