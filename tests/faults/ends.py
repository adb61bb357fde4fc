"""How a case has ended, in few enough words that two ends can be compared."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from resources.ledger.schema.tables import Status
from tests.chaos.history import WORKER_LOST, History, Story
from tests.chaos.laws import breaches
from tests.song_video import STAGES


@dataclass(frozen=True)
class OrderEnd:
    """How an order has ended; without arguments, as if nothing had happened.

    `charges` are those of lyric, song and video; `attempts` are those that held the request.
    """

    status: str = Status.COMPLETED
    charges: tuple[int, ...] = (1, 1, 1)
    attempts: int = 1
    deaths: int = 0
    retries: int = 0
    is_held: bool = False
    last_run: str = "SUCCESS"


@dataclass(frozen=True)
class End:
    """How all orders of a case have ended, and what breaks the laws on its stand, by the law's name."""

    orders: frozenset[OrderEnd]
    breaches: Mapping[str, Sequence[str]]

    def however_it_waited(self) -> "End":
        """The same, but for how many runs it took: each wait for a slot ends one."""
        return End(frozenset(replace(order, attempts=1) for order in self.orders), self.breaches)

    def whoever_did_it(self) -> "End":
        """The same, but for how often its worker was given up meanwhile."""
        orders = frozenset(replace(order, attempts=1, deaths=0) for order in self.orders)
        return End(orders, self.breaches)


def done(**different: Any) -> End:
    """Every order is completed and every law holds; what is `different` is so for all of them."""
    return End(frozenset({OrderEnd(**different)}), {})


def end_of(history: History, task_ids: Collection[str]) -> End:
    """The end of these orders; the laws are asked about everything that ever was on the stand."""
    mine = [story for story in history.stories if story.task_id in task_ids]
    return End(
        frozenset(_order_end(history, story) for story in mine),
        {law: found for law, found in breaches(history).items() if found},
    )


def _order_end(history: History, story: Story) -> OrderEnd:
    bought = Counter(
        job["stage"] for job in story.jobs for _ in history.charges_by_token.get(job["token"], ())
    )
    last = max(story.attempts, key=lambda attempt: int(attempt["number"]))
    return OrderEnd(
        status=story.request["status"],
        charges=tuple(bought[stage] for stage in STAGES),
        attempts=len(story.attempts),
        deaths=sum(event["type"] == WORKER_LOST for event in story.events),
        retries=story.request["retry_count"],
        is_held=story.request["lease_owner"] is not None,
        last_run=history.runs[last["run_id"]].status,
    )
