"""The expected cost of an order, before anything is bought. Pure except for the providers' prices."""

from collections.abc import Callable, Mapping

from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.products import Lyric, Song, StoredFile
from pipeline_defs.song_video.stage_inputs import lyric_input, song_input, video_input
from resources.contract.protocol import Provider

_ANY_NAME = "estimate"


def estimate(brief: Brief, provider_of: Callable[[str], Provider]) -> Mapping[str, int]:
    """The expected price of each stage, in micro-dollars, with one submission each."""
    seconds = float(brief.duration_seconds)
    sound = StoredFile(name="song", sha256="", bytes=0, media_type="audio/mpeg", where="")
    song = Song(seconds=seconds, genre=brief.genre, timeline=[], files=[sound])
    lyric = Lyric(title=brief.customer_name, text=brief.customer_name)
    inputs = {
        "lyric": lyric_input(brief, _ANY_NAME),
        "song": song_input(brief, _ANY_NAME, lyric),
        "video": video_input(brief, _ANY_NAME, song),
    }
    return {stage: provider_of(stage).price(order) for stage, order in inputs.items()}
