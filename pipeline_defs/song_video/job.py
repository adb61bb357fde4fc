"""The job: lyric, then song, then video."""

from pipeline_defs.build import request_job, stage_ops
from pipeline_defs.song_video.pipeline import PIPELINE

lyric, song, video = stage_ops(PIPELINE)


@request_job(PIPELINE)
def job() -> None:
    """The graph of the ops."""
    video(song(lyric()))
