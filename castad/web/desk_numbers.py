"""The numbers on the desk's tiles. They are read once for all desks of a process."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from castad.api.state import Api
from castad.readmodels.stats import workload_scope
from pipeline_defs.catalog import get_catalog
from resources.ledger.limits import APPROVAL_PREFIX
from resources.ledger.queries.listing import Group, RequestFilter, count_requests, is_paused
from resources.ledger.queries.workload import Workload, read_workload
from resources.ledger.schema.tables import AT_WORK, Status

_FRESH_SECONDS = 2.0


@dataclass(frozen=True)
class DeskNumbers:
    """The workload, and the number of each tile."""

    work: Workload
    tiles: Mapping[str, int]

    @property
    def spent_today(self) -> int:
        """What was or may have been charged today (UTC), in micro-dollars."""
        return sum(self.work.spent_today.values())


class NumbersReader:
    """Reads the numbers, and keeps them for two seconds; for many threads."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._numbers: DeskNumbers | None = None

    def read(self) -> DeskNumbers:
        """The numbers as of two seconds ago at most."""
        with self._lock:
            if self._numbers is None or time.monotonic() - self._read_at > _FRESH_SECONDS:
                self._numbers = read_numbers(self._api)
                self._read_at = time.monotonic()
            return self._numbers

    def forget(self) -> None:
        """The next call reads again, because something was changed at this desk."""
        self._read_at = float("-inf")


def read_numbers(api: Api) -> DeskNumbers:
    """The numbers as of now."""
    work = read_workload(api.db, workload_scope(get_catalog(), api.settings.lease_seconds))
    done = RequestFilter(status=Status.COMPLETED, completed_from=midnight_of(work.at))
    in_doubt = count_requests(api.db, RequestFilter(group=Group.IN_DOUBT))
    return DeskNumbers(work, count_tiles(work, in_doubt, count_requests(api.db, done)))


def midnight_of(at: datetime) -> datetime:
    """When the day of this moment began; days are those of UTC, as for spending."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def count_tiles(work: Workload, in_doubt: int, done_today: int) -> dict[str, int]:
    """The number of each tile; the pending orders are waiting, paused or held. Pure."""
    counted = dict.fromkeys(Status, 0)
    for (status, _), count in work.requests.items():
        counted[status] += count
    waiting = work.waiting.items()
    paused = sum(count for name, count in waiting if is_paused(name))
    held = sum(count for name, count in waiting if name.startswith(APPROVAL_PREFIX))
    return {
        "waiting": counted[Status.PENDING] - paused - held,
        "working": sum(counted[status] for status in AT_WORK),
        "retry": counted[Status.FAILED],
        "dead": counted[Status.DEAD],
        "in_doubt": in_doubt,
        "paused": paused,
        "held": held,
        "done_today": done_today,
    }
