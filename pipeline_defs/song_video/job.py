"""The job: lyric, then song, then video."""

from collections.abc import Mapping
from typing import Any

from dagster import in_process_executor, job

from pipeline_defs.config import LOGGERS, flat_config
from pipeline_defs.pipeline import Pipeline
from pipeline_defs.song_video.acceptance import accept
from pipeline_defs.song_video.brief import NAME, STAGES, Brief, same_brief
from pipeline_defs.song_video.ops import lyric, song, video
from pipeline_defs.stage import SHARED_RESOURCES
from resources.dagster.request_resource import RequestResource
from resources.dagster.request_runs import PIPELINE_TAG


class SongVideoRequest(RequestResource):
    """The request resource of a song video."""

    pipeline: str = NAME

    def same_order(self, stored: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
        """Whether two payloads mean the same brief."""
        return same_brief(stored, given)


@job(
    name=NAME,
    config=flat_config(Brief, accept, NAME),
    executor_def=in_process_executor,
    logger_defs=LOGGERS,
    resource_defs={"request": SongVideoRequest.at_launch(), **SHARED_RESOURCES},
    # The ledger decides about retries; Dagster's run retries would add runs that were not dispatched.
    tags={"dagster/max_retries": "0", PIPELINE_TAG: NAME},
)
def song_video() -> None:
    """An advertising song and its video for a local business."""
    video(song(lyric()))


SONG_VIDEO = Pipeline(NAME, STAGES, song_video, accept)
