"""The order of a song video, validated field by field."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from pipeline_defs.fields import (
    Extra,
    Flag,
    Length,
    check_image_reference,
    make_choice_parser,
    normalize_line,
    normalize_text,
)
from pipeline_defs.song_video.contact import Address, Color, OpeningHours, Phone, WebLink
from pipeline_defs.song_video.own_words import LONGEST_LYRIC, tidy_lyric

PICTURES = ("images", "logo")
"""The fields that hold pictures."""

Language = Annotated[
    Literal["Korean", "English"],
    BeforeValidator(make_choice_parser({"Korean": "ko", "English": "en"})),
]
Orientation = Annotated[
    Literal["vertical", "horizontal"],
    BeforeValidator(make_choice_parser({"vertical": "v", "horizontal": "h"})),
]
CaptionStyle = Annotated[
    Literal["plate", "outline", "bold"],
    BeforeValidator(make_choice_parser({"plate": "p", "outline": "o", "bold": "b"})),
]
Name = Annotated[str, Field(min_length=1), AfterValidator(normalize_line), Length(80)]
Text = Annotated[str, AfterValidator(normalize_text), Length(500)]
CallToAction = Annotated[str, AfterValidator(normalize_text), Length(60)]
OwnWords = Annotated[str, AfterValidator(tidy_lyric), Length(LONGEST_LYRIC)]
Genre = Annotated[str, AfterValidator(normalize_text), Length(100)]
Image = Annotated[str, Field(max_length=2000), AfterValidator(check_image_reference)]


class Brief(BaseModel):
    """What the song and the video are about."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    customer_name: Name = Field(description="The business: 1 to 80 characters")
    region: Name = Field(description="Where it is: 1 to 80 characters")
    detail_region_info: Annotated[Text, Flag("detail")] = Field(
        "", description="What makes it special: up to 500 characters"
    )
    language: Language = Field("Korean", description="Korean or English")
    orientation: Orientation = Field("vertical", description="vertical or horizontal")
    genre: Genre = Field(
        "pop, ambient",
        description="pop, ballad, edm, rock, ambient, trot, jazz, hip hop, bossa nova, acoustic; "
        "of several, the most important first",
    )
    images: Annotated[list[Image], Flag("image")] = Field(
        [], max_length=10, description="Up to 10 links to pictures"
    )
    duration_seconds: Annotated[int, Flag("seconds")] = Field(
        20, ge=10, le=120, description="Length: 10 to 120 seconds"
    )
    call_to_action: Annotated[CallToAction, Extra()] = Field(
        "", description="What the end card asks for, up to 60 characters; generated if omitted"
    )
    lyric: Annotated[OwnWords, Extra()] = Field(
        "",
        description="Own words to sing, up to 3,000 characters in 120 lines, a blank line between parts; "
        "written if omitted",
    )
    vocals: Annotated[bool, Flag("vocals", off="instrumental"), Extra()] = Field(
        True, description="Whether the lyric is sung; false makes an instrumental song"
    )
    takes: Annotated[int, Extra()] = Field(
        1,
        ge=1,
        le=2,
        description="Versions of the song to choose from, 1 or 2; Suno makes two in any case",
    )
    stems: Annotated[bool, Extra()] = Field(
        False, description="Also each part of the song as a file of its own, and its MIDI file"
    )
    caption_style: Annotated[CaptionStyle, Extra()] = Field(
        "plate",
        description="Captions: plate (on a dark ground), outline (over the picture) or bold (large, word by word)",
    )
    logo: Annotated[list[Image], Extra("brand")] = Field(
        [], max_length=1, description="A link to the logo, which title card and end card show"
    )
    brand_colors: Annotated[list[Color], Flag("brand-color"), Extra("brand")] = Field(
        [], max_length=2, description="One or two colors of the film, such as #e4572e"
    )
    phone: Annotated[Phone, Extra("brand")] = Field(
        "", description="Phone number on the end card, never sung, up to 40 characters"
    )
    address: Annotated[Address, Extra("brand")] = Field(
        "", description="Address on the end card, up to 120 characters"
    )
    opening_hours: Annotated[OpeningHours, Extra("brand")] = Field(
        "", description="Opening hours on the end card, up to 160 characters in 4 lines"
    )
    link: Annotated[WebLink, Extra("brand")] = Field(
        "", description="Web address that the end card's QR code opens, up to 300 characters"
    )
