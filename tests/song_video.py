"""The pipeline that most tests order from."""

from collections.abc import Mapping
from typing import Any

from dagster import build_reconstructable_job

from pipeline_defs.build import make_job
from pipeline_defs.catalog import get_catalog
from resources.contract.protocol import StageSettings
from resources.process.settings import settings

SONG_VIDEO = get_catalog().get_pipeline("song_video")
NAME, STAGES = SONG_VIDEO.name, SONG_VIDEO.stage_names
check_brief, normalize, same_brief = (
    SONG_VIDEO.parse,
    SONG_VIDEO.normalize,
    SONG_VIDEO.is_same_order,
)
song_video = make_job(SONG_VIDEO)
JOBS = [song_video]


def make_song_video():
    """Make the job in another process."""
    return song_video


RECONSTRUCTABLE = build_reconstructable_job(__name__, make_song_video.__name__)


def accept(order: Mapping[str, Any]) -> dict[str, Any]:
    """The order with all defaults, if the settings of this process can fulfill it."""
    return get_catalog().accept_order(SONG_VIDEO, order, settings())


def stage_plan(*names: str, deadline: float = 20, **chosen: object) -> tuple[StageSettings, ...]:
    """The settings of these stages on a fast clock."""
    return tuple(
        StageSettings(name, retry_seconds=0.001, deadline=deadline, **chosen)  # type: ignore[arg-type]
        for name in names
    )
