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
    """The reason why a part of a request is kept."""

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
    """The retention times: those of castad's settings, and those of pipelines, which take precedence."""

    settings: KeepDays
    pipelines: Mapping[str, KeepDays] = field(default_factory=dict)

    def days(self, pipeline: str, status: Status, part: Part) -> float:
        """Return the days for which a part of a request is kept after it has ended with this status."""
        name = _name_days(status, part)
        return {**self.settings, **self.pipelines.get(pipeline, {})}[name]

    def longest_of_files(self) -> float:
        """Return the highest number of days for which any pipeline keeps the files of a completed request."""
        kept = (
            self.days(pipeline, Status.COMPLETED, Part.FILES) for pipeline in ("", *self.pipelines)
        )
        return max(kept)

    def shortest(self, status: Status, part: Part) -> float:
        """Return the lowest number of days for which any pipeline keeps this part after this end."""
        return min(self.days(pipeline, status, part) for pipeline in ("", *self.pipelines))


@dataclass(frozen=True)
class EndedRequest:
    """The facts that decide whether an ended request may be removed.

    The request may have become due again since it was read. `is_in_doubt`: a submission has no final status.
    `is_untold`: an event or a webhook has still to be sent.
    """

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
    """Return the reason why this part of the request is kept at the time `now`; None if it may be removed."""
    barred = explain_barred(request)
    if barred is Hold.ALIVE:
        return barred
    days = times.days(request.pipeline, request.status, part)
    return Hold.YOUNG if request.updated_at > now - timedelta(days=days) else barred


def explain_barred(request: EndedRequest) -> Hold | None:
    """Return the reason why no part of the request may be removed, however old it is; None if there is none."""
    if request.status not in TERMINAL:
        return Hold.ALIVE
    if request.is_in_doubt:
        return Hold.IN_DOUBT
    return Hold.UNTOLD if request.is_untold else None


def _name_days(status: Status, part: Part) -> Kept:
    """Return the name of the retention setting for this part of a request with this end."""
    if part is Part.FILES:
        return "files"
    if part is Part.LOG:
        return "runs" if status is Status.COMPLETED else "failed_runs"
    return "dead" if status is Status.DEAD else "requests"
