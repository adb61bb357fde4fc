"""Decide what becomes of a delivery after a try, and which targets may have another one. Pure."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from resources.ledger.schema.tables import DeliveryStatus

_SPREAD = 0.1
# A target that takes longer is served from the slow targets' share.
_SLOW_SECONDS = 2.0
_MOST_REMEMBERED = 1000


@dataclass(frozen=True)
class Failure:
    """Why one try of a delivery failed.

    `ends` is the final status if no further try can succeed, else None. `retry_after` is the pause in seconds that
    the receiver asks for; 0 if it asks for none.
    """

    message: str
    code: str | None = None
    ends: DeliveryStatus | None = None
    retry_after: float = 0.0


@dataclass(frozen=True)
class Decision:
    """The status of a delivery after a try, and the `wait` in seconds before the next try.

    `code` and `message` describe the failure; they are None for a successful try.
    """

    status: DeliveryStatus
    wait: float = 0.0
    code: str | None = None
    message: str | None = None


DELIVERED = Decision(DeliveryStatus.DELIVERED)


@dataclass(frozen=True)
class Schedule:
    """The waits in seconds before each further try of a delivery.

    Without a lifetime, a delivery is dead after the last wait's try. With one, in seconds, the last wait is
    repeated until the delivery expires.
    """

    waits: Sequence[float]
    lifetime: float = math.inf

    def decide(
        self,
        failure: Failure | None,
        tries_before: int,
        jitter: float,
        seconds_left: float = math.inf,
    ) -> Decision:
        """Decide the status after a try (`failure` None: it succeeded) and the wait before the next one.

        `jitter` in [0, 1) lengthens the wait by up to a tenth. A pause that the receiver asks for can only
        lengthen the wait. A delivery that would expire during the wait (`seconds_left`) is dead at once.
        """
        if failure is None:
            return DELIVERED
        code, message = failure.code, failure.message
        if failure.ends is not None:
            return Decision(failure.ends, code=code, message=message)
        if math.isinf(self.lifetime) and tries_before >= len(self.waits):
            return Decision(DeliveryStatus.DEAD, code=code, message=message)
        planned = self.waits[min(tries_before, len(self.waits) - 1)]
        wait = max(planned, failure.retry_after) * (1 + _SPREAD * jitter)
        if wait >= seconds_left:
            message = f"not delivered in {self.lifetime / 3600:g} hours: {message}"
            return Decision(DeliveryStatus.DEAD, code=code, message=message)
        return Decision(DeliveryStatus.PENDING, wait, code, message)


class Shares:
    """Counts of the deliveries in progress, by target, with their limits. Not thread-safe.

    At most `total` are in progress, and `per_target` for one target. All targets whose last try was slow have
    `for_slow` together, so that a free place is left for the other targets.
    """

    def __init__(self, total: int, per_target: int, for_slow: int) -> None:
        self._total, self._per_target, self._for_slow = total, per_target, for_slow
        self._under_way: Counter[str] = Counter()
        self._slow: set[str] = set()

    @property
    def under_way(self) -> int:
        """The number of deliveries in progress."""
        return self._under_way.total()

    @property
    def is_full(self) -> bool:
        """Whether `total` deliveries are in progress."""
        return self.under_way >= self._total

    @property
    def busy(self) -> frozenset[str]:
        """The targets that have reached their limit, so that no delivery to them may start."""
        full = {target for target, count in self._under_way.items() if count >= self._per_target}
        to_slow = sum(self._under_way[target] for target in self._slow)
        return frozenset(full | self._slow if to_slow >= self._for_slow else full)

    def begin(self, target: str) -> None:
        """Count one more delivery to the target as in progress."""
        self._under_way[target] += 1

    def end(self, target: str, seconds: float) -> None:
        """Count one delivery to the target as ended after `seconds`.

        The target counts as slow from a try of more than two seconds until a faster one.
        """
        self._under_way[target] -= 1
        if self._under_way[target] == 0:
            del self._under_way[target]
        if seconds <= _SLOW_SECONDS:
            self._slow.discard(target)
        elif len(self._slow) < _MOST_REMEMBERED:
            self._slow.add(target)
