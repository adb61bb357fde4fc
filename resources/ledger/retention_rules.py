"""Decide purely what of an ended request may be removed, and when."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from resources.ledger.schema.tables import TERMINAL, Status


class Part(StrEnum):
    """A part of an ended request that has its own retention time."""

    LOG = "log"
    """Its Dagster runs and events, the mirrored ones too."""
    FILES = "files"
    REQUEST = "request"
    """Its rows in the ledger, with files."""


class Hold(StrEnum):
    """The reason why a part of a request stays."""

    ALIVE = "alive"
    IN_DOUBT = "in_doubt"
    """A submission has no final status: it may still deliver, or be charged."""
    UNTOLD = "untold"
    """An event is not in the Dagster event log yet, or a webhook has tries left."""
    YOUNG = "young"


Kept = Literal["runs", "failed_runs", "files", "dead", "requests"]
"""The name of a retention setting, after `CASTAD_KEEP_`."""
KeepDays = Mapping[Kept, float]
"""How many days it is kept after the request's last change."""


@dataclass(frozen=True)
class KeepTimes:
    """The retention times: castad's settings, and the pipelines' own."""

    settings: KeepDays
    pipelines: Mapping[str, KeepDays] = field(default_factory=dict)

    def days(self, pipeline: str, status: Status, part: Part) -> float:
        """Return the days for which this part of a request with this end is kept."""
        name = _name_days(status, part)
        return {**self.settings, **self.pipelines.get(pipeline, {})}[name]

    def longest_of_files(self) -> float:
        """Return the most days for which any pipeline keeps its files."""
        kept = (
            self.days(pipeline, Status.COMPLETED, Part.FILES) for pipeline in ("", *self.pipelines)
        )
        return max(kept)

    def shortest(self, status: Status, part: Part) -> float:
        """Return the fewest days for which any pipeline keeps this part of a request with this end."""
        return min(self.days(pipeline, status, part) for pipeline in ("", *self.pipelines))


@dataclass(frozen=True)
class EndedRequest:
    """The facts that decide about an ended request; it may have become due again since it was listed."""

    id: int
    task_id: str
    pipeline: str
    status: Status
    created_at: datetime
    updated_at: datetime
    is_in_doubt: bool
    is_untold: bool


MayGo = Callable[[EndedRequest], bool]
"""Whether a request, or a part of it, may go, as it is now."""


def explain_kept(request: EndedRequest, part: Part, times: KeepTimes, now: datetime) -> Hold | None:
    """Return the reason why this part of the request stays; None if it may go."""
    barred = explain_barred(request)
    if barred is Hold.ALIVE:
        return barred
    days = times.days(request.pipeline, request.status, part)
    return Hold.YOUNG if request.updated_at > now - timedelta(days=days) else barred


def explain_barred(request: EndedRequest) -> Hold | None:
    """Return the reason why all of the request stays, however old it is; None without one."""
    if request.status not in TERMINAL:
        return Hold.ALIVE
    if request.is_in_doubt:
        return Hold.IN_DOUBT
    return Hold.UNTOLD if request.is_untold else None


def _name_days(status: Status, part: Part) -> Kept:
    if part is Part.FILES:
        return "files"
    if part is Part.LOG:
        return "runs" if status is Status.COMPLETED else "failed_runs"
    return "dead" if status is Status.DEAD else "requests"
