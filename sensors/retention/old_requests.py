"""Old requests go from the ledger, and the files of younger ones from the artifact folder."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial

from resources.ledger.queries.ended import ended_page, requests_with_files
from resources.ledger.queries.hourly_reports import count_rows_before
from resources.ledger.retention_rules import EndedRequest, MayGo, Part
from resources.ledger.schema.tables import TERMINAL, Status
from resources.ledger.transitions.retention import (
    Removed,
    prune_files,
    purge_reports,
    purge_requests,
    removable,
)
from resources.process.crash_points import crash_point
from sensors.retention.cycle import BATCH, Cycle


def retain_requests(cycle: Cycle) -> None:
    """Requests that may go are gone with everything that belongs to them, as far as the time allows."""
    for status in sorted(TERMINAL):
        _purge_ended(cycle, status)


def _purge_ended(cycle: Cycle, status: Status) -> None:
    young = cycle.at - timedelta(days=cycle.times.shortest(status, Part.REQUEST))
    after = 0
    while cycle.goes_on():
        page = ended_page(cycle.db, status, after=after, limit=BATCH)
        cycle.note_in_doubt(page)
        _remove(cycle, Part.REQUEST, page)
        # Ids and times of creation rise together, and nothing ends before it is created.
        if len(page) < BATCH or page[-1].created_at > young:
            return
        after = page[-1].id


def retain_files(cycle: Cycle) -> None:
    """Requests whose files may go have none any more, as far as the time allows."""
    days = min(cycle.times.shortest(status, Part.FILES) for status in TERMINAL)
    young = cycle.at - timedelta(days=days)
    after: int | None = 0
    while after is not None and cycle.goes_on():
        page, after = requests_with_files(cycle.db, after=after, limit=BATCH)
        _remove(cycle, Part.FILES, page)
        if page and min(request.updated_at for request in page) > young:
            return


def retain_reports(cycle: Cycle) -> None:
    """Hourly reports are kept as long as a completed request."""
    days = cycle.times.days("", Status.COMPLETED, Part.REQUEST)
    old = cycle.at - timedelta(days=days)
    count = count_rows_before if cycle.is_dry else purge_reports
    cycle.counts["report_rows"] += count(cycle.db, old)


_PURGES: dict[Part, tuple[Callable[..., Removed], str]] = {
    Part.REQUEST: (purge_requests, "requests"),
    Part.FILES: (prune_files, "requests_without_files"),
}


def _remove(cycle: Cycle, part: Part, page: Sequence[EndedRequest]) -> None:
    """This part of the requests of the page is gone, with its files, where it may go."""
    may_go: MayGo = partial(cycle.may_go, part)
    ids = [request.id for request in page if may_go(request)]
    if not ids:
        return
    purge, counted_as = _PURGES[part]
    began = time.time()
    removed = (removable if cycle.is_dry else purge)(cycle.db, ids, may_go)
    crash_point("retention.after_commit")
    cycle.remove(removed, counted_as, older_than=began)
