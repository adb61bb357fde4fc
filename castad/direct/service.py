"""Answer orders directly: a pool per pipeline, the deliveries, and the day's budget."""

import math
import threading
import time
from collections.abc import Mapping
from contextlib import suppress

from castad.direct.answering import Answering
from castad.direct.budget import DailyBudget
from castad.direct.ledger_import import TARGET, deliver_import, forget_order
from castad.direct.pool import DirectPool
from pipeline_defs.capabilities import Stateless, list_stateless
from pipeline_defs.catalog import Catalog
from resources.contract.errors import StateUnavailableError
from resources.delivery.spool import Spool, Target, make_spool_loop, open_spool
from resources.ledger.db.database import Database
from resources.process.settings import Settings


def list_targets(pipelines: Catalog) -> dict[str, Target]:
    """Return the functions that deliver spooled messages, by target name.

    Empty if no pipeline answers directly.
    """
    stateless = list_stateless(pipelines)
    if not stateless:
        return {}
    saves = {name: save for each in stateless for name, save in each.targets.items()}
    return {TARGET: deliver_import, **saves}


_STOP_SECONDS = 5.0


class DirectService:
    """The pools that answer orders directly, by pipeline name. No thread runs before `start`."""

    def __init__(self, settings: Settings, pipelines: Catalog) -> None:
        self.spool: Spool = open_spool(settings.home)
        self._settings = settings
        self._budget = DailyBudget(self.spool, settings.daily_budget)
        self.pools: Mapping[str, DirectPool] = {
            each.name: DirectPool(
                Answering(each, settings, self.spool, self._budget),
                threads=settings.direct_threads,
                waiting=settings.direct_waiting,
                per_owner=settings.direct_per_key,
            )
            for each in pipelines
            if each.find_extra(Stateless) is not None
        }
        targets = list_targets(pipelines)
        self.targets = tuple(targets)
        self._delivery = make_spool_loop(self.spool, targets, self._measure_seconds_idle)
        self._stopping = threading.Event()
        self._stop_at: float | None = None
        self._pipelines = pipelines

    def start(self, db: Database) -> None:
        """Warm the pipelines; start the deliveries from the spool and the exchange of sums with the ledger."""
        for each in list_stateless(self._pipelines):
            if each.warm is not None:
                each.warm()
        self._delivery.stay_awake()
        self._budget.start(db, self._stopping)

    def forget(self, task_id: str) -> None:
        """Remove a deleted order's ended job from memory and empty its dead imports in the spool.

        Costs are kept. An order that is still at work stays in memory. An unavailable spool is ignored.
        """
        for pool in self.pools.values():
            pool.forget(task_id)
        with suppress(StateUnavailableError):
            forget_order(self.spool, task_id)

    def begin_stop(self) -> float:
        """Take no more orders, and set a timer that ends those at work.

        Return its seconds, 0 if none is at work.
        """
        for pool in self.pools.values():
            pool.begin_stop()
        if not any(pool.open_jobs for pool in self.pools.values()):
            return 0.0
        grace = self._settings.stop_grace
        self._stop_at = time.monotonic() + grace
        timer = threading.Timer(grace, self._end_all)
        timer.daemon = True
        timer.start()
        return grace

    def _end_all(self) -> None:
        """End every order that is still at work."""
        for pool in self.pools.values():
            pool.end_all()

    def stop(self) -> None:
        """Wait for the orders at work until the timer of `begin_stop`, or 5 s without one, and end the rest.

        No more deliveries are begun.
        """
        self._stopping.set()
        until = self._stop_at or time.monotonic() + _STOP_SECONDS
        for pool in self.pools.values():
            pool.close(max(0.0, until - time.monotonic()))
        self._delivery.rest()
        for each in list_stateless(self._pipelines):
            if each.rest is not None:
                each.rest()

    def _measure_seconds_idle(self) -> float:
        """Return the seconds since any pool last had an order; 0 while one has, infinity without pools."""
        return min((pool.seconds_idle for pool in self.pools.values()), default=math.inf)
