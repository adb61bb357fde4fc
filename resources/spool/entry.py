"""What the spool keeps: messages that are delivered later, each by itself. Pure."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

EXPIRES_SECONDS = 24 * 3600.0
"""A message that was not delivered by then is dead."""
DEAD_KEPT_SECONDS = 7 * 24 * 3600.0
_LONGEST_WAIT = 300.0
_MOST_DOUBLINGS = 9


@dataclass(frozen=True)
class Entry:
    """A message for a target. While one with this key waits there, another is the same.

    `cost` is what was or may have been charged for what it says, in micro-dollars.
    """

    target: str
    key: str
    body: Mapping[str, Any]
    cost: int = 0


@dataclass(frozen=True)
class Waiting:
    """An entry of the spool. Times are seconds since the epoch; `dead_reason` is set once it is tried no more.

    An intent stands for an entry of its key that is still to come, and is delivered where that never does.
    """

    id: int
    target: str
    key: str
    body: Mapping[str, Any]
    cost: int
    is_intent: bool
    attempts: int
    appended_at: float
    due_at: float
    expires_at: float
    last_error: str | None
    dead_reason: str | None
    dead_at: float | None


def wait_after(attempts: int, jitter: float) -> float:
    """Seconds until the next try after so many: 1, 2, 4 … 300, less up to a tenth by `jitter` in [0, 1)."""
    doubled = 2.0 ** min(max(attempts, 1) - 1, _MOST_DOUBLINGS)
    return min(doubled, _LONGEST_WAIT) * (1 - 0.1 * jitter)


def random_wait_after(attempts: int) -> float:
    """As `wait_after`, with a jitter that spreads what has failed together."""
    return wait_after(attempts, random.random())  # noqa: S311 - no secret
