"""What a person may change in the lyric before the song is made of it."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pipeline_defs.fields import Length, normalize_line
from pipeline_defs.pipeline import Revision
from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.own_words import LONGEST_LYRIC, tidy_lyric
from pipeline_defs.song_video.products import Lyric

_LONGEST_TITLE = 80
"""Characters: the smallest limit of Suno's models (docs/vendors/suno.md)."""


def _sung(text: str) -> str:
    """The tidy lyric; raises ValueError where nothing of it is sung."""
    lyric = tidy_lyric(text)
    if not lyric:
        raise ValueError("expected at least 1 line to sing")
    return lyric


class LyricWords(BaseModel):
    """The title and the words to sing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Annotated[
        str, Field(min_length=1), AfterValidator(normalize_line), Length(_LONGEST_TITLE)
    ] = Field(description="The song's title")
    text: Annotated[str, Field(min_length=1), AfterValidator(_sung), Length(LONGEST_LYRIC)] = Field(
        description="The words, a line for each sung line, a blank line between parts"
    )


def _with_words(brief: Brief, lyric: Lyric, words: BaseModel) -> Lyric:
    return lyric.model_copy(update=words.model_dump())


WORDS = Revision(model=LyricWords, apply=_with_words)
