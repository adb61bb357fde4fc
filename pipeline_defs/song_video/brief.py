"""The order of a song video, validated field by field."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from pipeline_defs.song_video.refusal import first_input_error
from pipeline_defs.song_video.text import image_reference, one_of, plain_text, visible_line
from resources.contract.errors import InvalidInputError

NAME = "song_video"
STAGES = ("lyric", "song", "video")
PICTURES = ("images",)
"""The fields that hold pictures."""

Language = Annotated[str, BeforeValidator(one_of({"Korean": "ko", "English": "en"}))]
Orientation = Annotated[str, BeforeValidator(one_of({"vertical": "v", "horizontal": "h"}))]
Name = Annotated[str, Field(min_length=1, max_length=80), AfterValidator(visible_line)]
Text = Annotated[str, Field(max_length=500), AfterValidator(plain_text)]
CallToAction = Annotated[str, Field(max_length=60), AfterValidator(plain_text)]
Genre = Annotated[str, Field(max_length=100), AfterValidator(plain_text)]
Image = Annotated[str, Field(max_length=2000), AfterValidator(image_reference)]


class Brief(BaseModel):
    """What the song and the video are about."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    customer_name: Name = Field(description="The business: 1 to 80 characters")
    region: Name = Field(description="Where it is: 1 to 80 characters")
    detail_region_info: Text = Field("", description="What makes it special: up to 500 characters")
    language: Language = Field("Korean", description="Korean or English")
    orientation: Orientation = Field("vertical", description="vertical or horizontal")
    genre: Genre = Field("pop, ambient", description="Musical genres, the most important first")
    images: list[Image] = Field([], max_length=10, description="Up to 10 links to pictures")
    duration_seconds: int = Field(20, ge=10, le=120, description="Length: 10 to 120 seconds")
    call_to_action: CallToAction = Field(
        "", description="What the end card asks for, up to 60 characters; generated if omitted"
    )
    vocals: bool = Field(
        True, description="Whether the lyric is sung; false makes an instrumental song"
    )
    stems: bool = Field(
        False, description="Also each part of the song as a file of its own, and its MIDI file"
    )


def check_brief(payload: Mapping[str, Any]) -> Brief:
    """The brief in a payload; raises InvalidInputError that names the field and what was expected."""
    try:
        return Brief.model_validate(dict(payload))
    except ValidationError as error:
        raise first_input_error(error, tuple(Brief.model_fields)) from None


def normalize(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The payload with all defaults; raises InvalidInputError."""
    return check_brief(payload).model_dump()


def same_brief(stored: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Whether two payloads mean the same brief; False where one is invalid."""
    try:
        return normalize(stored) == normalize(given)
    except InvalidInputError:
        return False
