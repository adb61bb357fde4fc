"""The ops of the three stages."""

from functools import partial

from dagster import OpExecutionContext, Out, ResourceParam, op

from pipeline_defs.song_video.brief import PICTURES, STAGES, check_brief
from pipeline_defs.song_video.previews import lyric_metadata, song_metadata, video_metadata
from pipeline_defs.song_video.products import Lyric, Song, Video
from pipeline_defs.song_video.stage_inputs import lyric_input, song_input, video_input
from pipeline_defs.stage import op_retry_policy, run_stage
from resources.contract.protocol import StageInput
from resources.dagster.stage_tools import StageTools
from resources.ledger.workers.attempt import Attempt

stage_op = partial(op, retry_policy=op_retry_policy())
make_stage = partial(run_stage, stages=STAGES, pictures=PICTURES)


@stage_op(out=Out(Lyric, io_manager_key="stages"))
def lyric(
    context: OpExecutionContext, request: ResourceParam[Attempt], tools: ResourceParam[StageTools]
) -> Lyric:
    """Write the lyric of the advertisement."""

    def order() -> StageInput:
        return lyric_input(check_brief(request.order), request.task_id)

    return make_stage(context, request, tools, order, Lyric, describe=lyric_metadata)


@stage_op(out=Out(Song, io_manager_key="stages"))
def song(
    context: OpExecutionContext,
    request: ResourceParam[Attempt],
    tools: ResourceParam[StageTools],
    lyric: Lyric,
) -> Song:
    """Turn the lyric into a song."""

    def order() -> StageInput:
        return song_input(check_brief(request.order), request.task_id, lyric)

    describe = partial(song_metadata, store=tools.store)
    return make_stage(context, request, tools, order, Song, describe=describe)


@stage_op(out=Out(Video, io_manager_key="stages"))
def video(
    context: OpExecutionContext,
    request: ResourceParam[Attempt],
    tools: ResourceParam[StageTools],
    song: Song,
) -> Video:
    """Film the song."""

    def order() -> StageInput:
        return video_input(check_brief(request.order), request.task_id, song)

    describe = partial(video_metadata, store=tools.store)
    return make_stage(context, request, tools, order, Video, describe=describe)
