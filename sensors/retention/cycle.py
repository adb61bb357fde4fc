"""One cycle of retention: what it works with, and what it has counted."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from resources.files.artifacts import ArtifactStore
from resources.files.removal import remove_file
from resources.ledger.db.database import Database
from resources.ledger.retention_rules import EndedRequest, Hold, KeepTimes, Part, why_kept
from resources.ledger.transitions.retention import Removed

BATCH = 500
"""The most requests of one transaction."""
_LONGEST_REST = 1.0


@dataclass
class Cycle:
    """The surroundings of a cycle. It began `at` the database's time, and ends at the monotonic time `until`.

    `counts` are of what was removed; where the cycle `is_dry`, of what would have been.
    """

    db: Database
    store: ArtifactStore
    times: KeepTimes
    at: datetime
    until: float = float("inf")
    is_dry: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    in_doubt: list[str] = field(default_factory=list)
    """The orders that are old enough to go, and stay because a submission has no final status."""
    rest: float = 0.0
    """How many times as long as a batch took it rests, so that others find the database idle most of the time.

    A second at most: a batch that waited for a database that hung says nothing about how busy that is.
    """
    batch_began: float | None = None
    looked_at: set[str] = field(default_factory=set)
    """The orders whose mirrored events were counted: a dry cycle finds them on every page again."""
    is_cut: bool = False
    """Whether the time was over before everything was looked at."""

    def goes_on(self) -> bool:
        """Whether there is time for another batch; has rested after the one before, as it has to."""
        if self.rest and self.batch_began is not None:
            now = time.monotonic()
            wanted = min((now - self.batch_began) * self.rest, _LONGEST_REST)
            time.sleep(max(0.0, min(wanted, self.until - now)))
        self.batch_began = time.monotonic()
        if time.monotonic() >= self.until:
            self.is_cut = True
        return not self.is_cut

    def may_go(self, part: Part, request: EndedRequest) -> bool:
        """Whether this part of the request may go; the files of one that goes as a whole go with it."""
        if part is Part.FILES and self.may_go(Part.REQUEST, request):
            return False
        return why_kept(request, part, self.times, self.at) is None

    def note_in_doubt(self, requests: Iterable[EndedRequest]) -> None:
        """Those that would go but for a submission without a final status are named."""
        self.in_doubt += [
            request.task_id
            for request in requests
            if why_kept(request, Part.REQUEST, self.times, self.at) is Hold.IN_DOUBT
        ]

    def remove(self, removed: Removed, counted_as: str, older_than: float) -> None:
        """The files of what was removed are deleted, and everything is counted."""
        self.counts[counted_as] += len(removed.requests)
        for file in removed.files:
            # Another cycle may have swept it in the meantime.
            if self.is_dry or remove_file(self.store, file.where, older_than=older_than):
                self.counts["files"] += 1
                self.counts["bytes"] += file.bytes
