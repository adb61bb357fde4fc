"""The progress of running orders, as their live streams show it."""

import time
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property

from castad.readmodels.event_line import sse_json_frame
from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import Database
from resources.ledger.queries.money import compute_usual_seconds
from resources.ledger.queries.status import RunningStage, read_progress
from resources.process.settings import settings

_REMEMBERED_SECONDS = 60.0
_SHORTEST = 0.05
"""A share of the work from which the rest can be estimated."""


@dataclass(frozen=True)
class LiveProgress:
    """The progress of one order; `percent` is of the whole order."""

    task_id: str
    stage: str
    percent: int
    note: str
    expected_seconds: int | None
    owner: str | None = None

    def is_same(self, other: "LiveProgress") -> bool:
        """Whether it is no news; the seconds alone are none."""
        return (self.stage, self.percent, self.note) == (other.stage, other.percent, other.note)

    @cached_property
    def frame(self) -> bytes:
        """The Server-Sent Event."""
        shown = {name: value for name, value in asdict(self).items() if name != "owner"}
        return sse_json_frame({**shown, "note": self.note or None}, event="progress")


class ProgressReader:
    """Reads the progress of many orders at once; for one thread."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._usual: dict[tuple[str, str, str], tuple[float, float | None]] = {}

    def read(self, request_ids: Collection[int] | None) -> Mapping[int, LiveProgress]:
        """The progress of those of these orders that are being made, by their id; None: of all orders."""
        return {
            found.request_id: live_progress(found, self._usual_seconds(found))
            for found in read_progress(self._db, request_ids)
        }

    def _usual_seconds(self, found: RunningStage) -> float | None:
        """How long a submission of this stage to its provider usually takes; asked for once a minute."""
        of = (found.pipeline, found.stage, found.provider)
        read_at, usual = self._usual.get(of, (float("-inf"), None))
        if found.provider and time.monotonic() - read_at > _REMEMBERED_SECONDS:
            known = compute_usual_seconds(self._db, *of)
            usual = _usual_of_provider(found) if known is None else known
            self._usual[of] = (time.monotonic(), usual)
        return usual


def _usual_of_provider(found: RunningStage) -> float | None:
    pipeline = get_catalog().find_pipeline(found.pipeline)
    if pipeline is None or pipeline.find_stage(found.stage) is None:
        return None
    provider = get_catalog().make_stage_provider(pipeline, found.stage, settings())
    return None if provider is None else provider.usual_seconds


def live_progress(found: RunningStage, usual: float | None) -> LiveProgress:
    """What a stream shows of a running stage whose submissions usually take so long. Pure."""
    pipeline = get_catalog().find_pipeline(found.pipeline)
    stages = () if pipeline is None else pipeline.stage_names
    share = min(max(found.progress or 0.0, 0.0), 1.0)
    done = stages.index(found.stage) + share if found.stage in stages else 0.0
    return LiveProgress(
        task_id=found.task_id,
        stage=found.stage,
        percent=int(100 * done / max(len(stages), 1)),
        note=found.note,
        expected_seconds=_expected_seconds(found.seconds, share, usual),
        owner=found.owner,
    )


def _expected_seconds(passed: float, share: float, usual: float | None) -> int | None:
    """The seconds that are left: by the share of the work that is done, else by how long it usually takes."""
    if share >= _SHORTEST:
        return round(passed * (1 - share) / share)
    return None if usual is None else round(max(usual - passed, 0.0))
