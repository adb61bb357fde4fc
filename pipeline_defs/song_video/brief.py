"""The order of a song video, validated field by field."""

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from pipeline_defs.fields import (
    Extra,
    Flag,
    Image,
    Language,
    Length,
    Written,
    check_text,
    is_visible,
    make_choice_parser,
    normalize_line,
    normalize_text,
)
from resources.contract.written_text import is_longer_than
from studio.words import list_sung_lines, read_spoken_line

MOST_HOURS_LINES = 4
FEWEST_DIGITS = 3
LONGEST_LINK = 300
_COLOR = re.compile(r"#?([0-9a-fA-F]{6})")


def _parse_color(text: str) -> str:
    found = _COLOR.fullmatch(text)
    if found is None:
        raise ValueError("expected a color of six hexadecimal digits, such as #e4572e")
    return f"#{found[1].lower()}"


def _normalize_optional_line(text: str) -> str:
    return normalize_line(text) if text else ""


def _parse_phone(text: str) -> str:
    if text and sum(map(str.isdecimal, text)) < FEWEST_DIGITS:
        raise ValueError(f"expected a phone number with at least {FEWEST_DIGITS} digits")
    return _normalize_optional_line(text)


def _parse_hours(text: str) -> str:
    lines = [" ".join(line.split()) for line in normalize_text(text).splitlines()]
    given = [line for line in lines if line]
    if len(given) > MOST_HOURS_LINES:
        raise ValueError(f"expected at most {MOST_HOURS_LINES} lines, got {len(given)}")
    if given and not is_visible("".join(given)):
        raise ValueError("expected at least 1 visible character")
    return "\n".join(given)


def _check_web_link(text: str) -> str:
    """Return the link if a phone can open it. Its length is counted in UTF-8 bytes, as in a QR code."""
    if not text:
        return ""
    try:
        parts = urlsplit(check_text(text))
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and "@" not in parts.netloc and not any(map(str.isspace, text))
    except ValueError:
        usable = False
    if not usable:
        expected = "expected a link that begins with https:// or http:// and has no user name"
        raise ValueError(expected)
    if len(text.encode()) > LONGEST_LINK:
        expected = f"expected at most {LONGEST_LINK} characters; a Korean one counts as three"
        raise ValueError(expected)
    return text


Color = Annotated[str, AfterValidator(_parse_color), Written("color")]
Phone = Annotated[str, AfterValidator(_parse_phone), Length(40), Written("tel")]
Address = Annotated[str, AfterValidator(_normalize_optional_line), Length(120)]
OpeningHours = Annotated[str, AfterValidator(_parse_hours), Length(160)]
WebLink = Annotated[
    str, Field(max_length=LONGEST_LINK), AfterValidator(_check_web_link), Written("url")
]


LONGEST_LYRIC = 3000
"""Characters: the smallest limit of Suno's models (docs/vendors/suno.md)."""
MOST_LINES = 120
LONGEST_LINE = 100
"""Characters: what captions can show at once."""
_GAP = re.compile(r"\n{3,}")


def tidy_lyric(text: str) -> str:
    """Normalize the blanks and blank lines of a lyric.

    Raise ValueError if it is not plain text, has no line to sing, or has too many or too long lines.
    """
    written = normalize_text(text).splitlines()
    lines = [" ".join(line.split()) if is_visible(line) else "" for line in written]
    lyric = _GAP.sub("\n\n", "\n".join(lines)).strip("\n")
    sung = list_sung_lines(lyric)
    if text.strip() and not sung:
        raise ValueError("expected at least 1 line to sing")
    if len(sung) > MOST_LINES:
        raise ValueError(f"expected at most {MOST_LINES} lines to sing, got {len(sung)}")
    longest = {"a line": max(sung, key=len, default=""), "the spoken line": read_spoken_line(lyric)}
    for called, line in longest.items():
        if is_longer_than(line, LONGEST_LINE):
            expected = f"expected at most {LONGEST_LINE} characters in {called}"
            raise ValueError(f"{expected}, got one of {len(line)}")
    return lyric


PICTURES = ("images", "logo")
"""The fields that hold pictures."""

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
Genre = Annotated[str, AfterValidator(normalize_text), Length(100), Written("several")]


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
