"""The pipeline: lyric, then song, then video."""

from pydantic import BaseModel

from pipeline_defs.capabilities import Changeable, FormValues, MainFile, TypicalProducts
from pipeline_defs.pipeline import BoughtStage, Cover, Pipeline, Products
from pipeline_defs.song_video.acceptance import check_fulfillable, find_remarks
from pipeline_defs.song_video.brief import PICTURES, Brief
from pipeline_defs.song_video.products import Lyric, Song, Video
from pipeline_defs.song_video.revisions import TAKES, WORDS
from pipeline_defs.song_video.stage_inputs import (
    build_lyric_input,
    build_song_input,
    build_video_input,
    get_own_lyric,
)
from resources.files.artifacts import StoredArtifact

_FOLDER = "pipeline_defs.song_video"


def _build_typical_products(brief: Brief) -> Products:
    sound = StoredArtifact(name="song", sha256="", bytes=0, media_type="audio/mpeg", where="")
    seconds = float(brief.duration_seconds)
    return {
        "lyric": Lyric(title=brief.customer_name, text=brief.lyric or brief.customer_name),
        "song": Song(seconds=seconds, genre=brief.genre, timeline=[], files=[sound]),
    }


class Result(BaseModel):
    """What a client gets; `video` and `song` are names of files, `size` is in pixels."""

    title: str
    lyric: str
    genre: str
    seconds: float
    size: str
    video: str | None
    song: str


def _build_result(products: Products) -> Result:
    video: Video = products["video"]
    movie = video.find_file("video/mp4")
    return Result(
        title=products["lyric"].title,
        lyric=products["lyric"].text,
        genre=products["song"].genre,
        seconds=video.seconds,
        size=f"{video.width}x{video.height}",
        video=None if movie is None else movie.name,
        song=products["song"].audio.name,
    )


PIPELINE = Pipeline(
    name="song_video",
    title="An advertising song and its video for a local business",
    order_model=Brief,
    stages=(
        BoughtStage(
            "lyric",
            Lyric,
            "Write the lyric of the advertisement",
            job_input=build_lyric_input,
            known=get_own_lyric,
            makers=("openai", "studio"),
            retry_seconds=30,
            metadata=f"{_FOLDER}.previews:build_lyric_metadata",
            words=lambda lyric: f"{lyric.title}\n\n{lyric.text}",
            revision=WORDS,
        ),
        BoughtStage(
            "song",
            Song,
            "Turn the lyric into a song",
            job_input=build_song_input,
            makers=("suno", "studio"),
            retry_seconds=60,
            metadata=f"{_FOLDER}.previews:build_song_metadata",
            choices=TAKES,
        ),
        BoughtStage(
            "video",
            Video,
            "Film the song",
            job_input=build_video_input,
            makers=("creatomate", "studio"),
            retry_seconds=120,
            metadata=f"{_FOLDER}.previews:build_video_metadata",
        ),
    ),
    example={
        "customer_name": "봄날 베이커리",
        "region": "전주",
        "detail_region_info": "한옥마을 골목의 작은 빵집",
        "language": "Korean",
        "orientation": "vertical",
    },
    summary=lambda brief: f"{brief.customer_name}, {brief.region}, {brief.duration_seconds} s",
    acceptance=check_fulfillable,
    remarks=find_remarks,
    result=_build_result,
    cover=Cover(large="cover", small="thumbnail"),
    uploads=PICTURES,
    extras=(
        TypicalProducts(_build_typical_products),
        MainFile("video/mp4"),
        Changeable({"orientation": "video"}),
        FormValues({"takes": 2}),
    ),
)
