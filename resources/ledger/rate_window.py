"""A vendor's moving window: which calls still count, and who may call next. Pure.

Every call counts, whatever it asks (notes/providers.md A.2 and A.3). An *order* costs money and waits for its
turn before anything is sent; a *question* - how a job stands, its captions, a dry run - follows money that is
spent or goes before it. While both wait orders may use a third of the window and questions two thirds, since every
order is followed by two questions at least; each may use all of it while the other does not.
"""

import json
from bisect import bisect_right
from dataclasses import dataclass, replace
from math import ceil

from resources.contract.protocol import Rate

# What is counted here is sent a moment later, and may reach the vendor later than what is counted after it.
_MARGIN = 1.02
# A question that was refused asks again within this share of the window; orders leave it its share as long.
_REFUSAL_MEMORY_SHARE = 1 / 4


@dataclass(frozen=True)
class RateWindow:
    """The calls of a vendor that count at one moment; all moments in seconds since 1970, in order.

    `refused_at` is when a question was last refused.
    """

    rate: Rate
    orders: tuple[float, ...] = ()
    questions: tuple[float, ...] = ()
    refused_at: float = 0.0

    @classmethod
    def read(cls, text: str | None, rate: Rate, at: float) -> "RateWindow":
        """From what `text` wrote; calls that no longer count, and any from the future, are left out.

        A clock that was set back must not block the window for longer than it lasts. A list is what earlier
        releases wrote: its calls count as questions. What cannot be read counts for nothing.
        """
        try:
            stored = json.loads(text or "{}")
            stored = {"questions": stored} if isinstance(stored, list) else stored
            orders, questions = (
                tuple(
                    sorted(
                        float(call)
                        for call in stored.get(kind, ())
                        if at >= call > at - _MARGIN * rate.seconds
                    )
                )
                for kind in ("orders", "questions")
            )
            refused = float(stored.get("refused_at", 0.0))
        except (ValueError, TypeError, AttributeError, RecursionError):
            return cls(rate)
        return cls(rate, orders, questions, refused if refused <= at else 0.0)

    def text(self) -> str:
        """What `read` reads."""
        kept = {"orders": self.orders, "questions": self.questions, "refused_at": self.refused_at}
        return json.dumps(kept)

    def room_for_orders(self, at: float) -> int:
        """How many orders may be sent at a moment, as far as this window tells."""
        room = self._room(at)
        if at - self.refused_at < self.rate.seconds * _REFUSAL_MEMORY_SHARE:
            room = min(room, self._share - _since(self.orders, at - self._seconds))
        return max(room, 0)

    def room_for_questions(self, at: float, *, orders_wait: bool) -> int:
        """How many questions may be asked at a moment."""
        room = self._room(at)
        if orders_wait:
            room = min(
                room,
                max(self.rate.calls - self._share, 1) - _since(self.questions, at - self._seconds),
            )
        return max(room, 0)

    def next_order_at(self, at: float, count: int = 1) -> float:
        """The first moment from `at` on at which so many orders may be sent, if nobody else calls meanwhile."""
        if count > self.rate.calls:
            return at + self._seconds
        room = self._frees_at((*self.orders, *self.questions), self.rate.calls - count)
        reserved_until = self.refused_at + self.rate.seconds * _REFUSAL_MEMORY_SHARE
        if count <= self._share:
            reserved_until = min(reserved_until, self._frees_at(self.orders, self._share - count))
        return max(at, room, reserved_until)

    def next_question_at(self, at: float) -> float:
        """The first moment from `at` on at which there may be room for a question."""
        return max(at, self._frees_at((*self.orders, *self.questions), self.rate.calls - 1))

    def _frees_at(self, calls: tuple[float, ...], most: int) -> float:
        """When no more than so many of these calls count."""
        surplus = len(calls) - most
        return 0.0 if surplus <= 0 else sorted(calls)[surplus - 1] + self._seconds

    def with_order(self, at: float) -> "RateWindow":
        """One order more."""
        return replace(self, orders=(*self.orders, at))

    def with_question(self, at: float) -> "RateWindow":
        """One question more."""
        return replace(self, questions=(*self.questions, at))

    def with_refusal(self, at: float) -> "RateWindow":
        """A question was refused."""
        return replace(self, refused_at=at)

    @property
    def _seconds(self) -> float:
        return self.rate.seconds * _MARGIN

    @property
    def _share(self) -> int:
        """What is left to orders while questions wait."""
        return ceil(self.rate.calls / 3)

    def _room(self, at: float) -> int:
        since = at - self._seconds
        return self.rate.calls - _since(self.orders, since) - _since(self.questions, since)


def _since(calls: tuple[float, ...], moment: float) -> int:
    return len(calls) - bisect_right(calls, moment)
