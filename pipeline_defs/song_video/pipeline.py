"""The pipeline: lyric, then song, then video."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from pipeline_defs.capabilities import Changeable, FormValues, MainFile, TypicalProducts
from pipeline_defs.pipeline import BoughtStage, Cover, Pipeline, Products, Remark
from pipeline_defs.song_video.acceptance import refuse_unfulfillable
from pipeline_defs.song_video.brief import PICTURES, Brief
from pipeline_defs.song_video.products import Lyric, Song, Video
from pipeline_defs.song_video.revisions import TAKES, WORDS
from pipeline_defs.song_video.stage_inputs import (
    lyric_input,
    own_lyric,
    song_input,
    video_input,
)
from resources.files.artifacts import StoredArtifact

_FOLDER = "pipeline_defs.song_video"


def _remarks(brief: Brief, makers: Mapping[str, str]) -> Sequence[Remark]:
    from pipeline_defs.song_video.acceptance import remarks

    return remarks(brief, makers)


def _typical(brief: Brief) -> Products:
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


def _result(products: Products) -> Result:
    video: Video = products["video"]
    movie = video.file("video/mp4")
    return Result(
        title=products["lyric"].title,
        lyric=products["lyric"].text,
        genre=products["song"].genre,
        seconds=video.seconds,
        size=f"{video.width}x{video.height}",
        video=None if movie is None else movie.name,
        song=products["song"].audio.name,
    )


def _lyric_words(lyric: Lyric) -> str:
    return f"{lyric.title}\n\n{lyric.text}"


def _summary(brief: Brief) -> str:
    return f"{brief.customer_name}, {brief.region}, {brief.duration_seconds} s"


PIPELINE = Pipeline(
    name="song_video",
    title="An advertising song and its video for a local business",
    order_model=Brief,
    stages=(
        BoughtStage(
            "lyric",
            Lyric,
            "Write the lyric of the advertisement",
            job_input=lyric_input,
            known=own_lyric,
            makers=("openai", "studio"),
            retry_seconds=30,
            metadata=f"{_FOLDER}.previews:lyric_metadata",
            words=_lyric_words,
            revision=WORDS,
        ),
        BoughtStage(
            "song",
            Song,
            "Turn the lyric into a song",
            job_input=song_input,
            makers=("suno", "studio"),
            retry_seconds=60,
            metadata=f"{_FOLDER}.previews:song_metadata",
            choices=TAKES,
        ),
        BoughtStage(
            "video",
            Video,
            "Film the song",
            job_input=video_input,
            makers=("creatomate", "studio"),
            retry_seconds=120,
            metadata=f"{_FOLDER}.previews:video_metadata",
        ),
    ),
    example={
        "customer_name": "봄날 베이커리",
        "region": "전주",
        "detail_region_info": "한옥마을 골목의 작은 빵집",
        "language": "Korean",
        "orientation": "vertical",
    },
    summary=_summary,
    acceptance=refuse_unfulfillable,
    remarks=_remarks,
    result=_result,
    cover=Cover(large="cover", small="thumbnail"),
    uploads=PICTURES,
    extras=(
        TypicalProducts(_typical),
        MainFile("video/mp4"),
        Changeable({"orientation": "video"}),
        FormValues({"takes": 2}),
    ),
)
