"""The film of a job as a RenderScript or as a template's modifications. Pure.

RenderScript is a top level (`output_format`, `width`, `height`, `frame_rate`, `duration`, `elements`) and elements
with a track (a higher one is in front), a time and a duration in seconds (creatomate.com/docs/api/render-script).
Documented there and relied upon for sound: `trim_start`, `trim_duration` and `audio_fade_out`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from resources.contract.errors import PermanentError
from resources.contract.protocol import Json, StageInput
from resources.providers.creatomate.backdrop import (
    Element,
    light_elements,
    picture_elements,
    shade_element,
    span,
)
from resources.providers.creatomate.brand import contact_text
from resources.providers.creatomate.script_text import LAYOUTS, palette_of, plain, text_elements
from studio.screenplay import FPS, FRAMES, Shot, left_out, plan_shots

_FADE_OUT_SECONDS = 1.0
_TOLERANCE_SECONDS = 1.0
LinkTo = Callable[[str], str]
"""From the path of a stored file to the link from which a vendor fetches it."""
_BACKDROP, _SHADE, _TEXT, _SONG = 1, 5, 6, 13


@dataclass(frozen=True)
class Links:
    """The links from which the vendor fetches the song, the pictures, in sequence, and the logo."""

    song: str
    images: tuple[str, ...]
    logo: str | None = None


def links_of(job_input: StageInput, link_to: LinkTo | None) -> Links:
    """The links of a job's song and pictures; `link_to` makes those of stored files.

    Raises PermanentError `public_url_missing` where the vendor could not fetch one of them.
    """
    song = job_input.get("song_url") or public_link(job_input["song"], link_to)
    return Links(
        song=str(song),
        images=tuple(_picture_link(image, link_to) for image in job_input["images"]),
        logo=_picture_link(job_input["logo"], link_to) if "logo" in job_input else None,
    )


def _picture_link(image: Mapping[str, Json], link_to: LinkTo | None) -> str:
    return str(image.get("url") or public_link(image, link_to))


def public_link(reference: Mapping[str, Json], link_to: LinkTo | None) -> str:
    """The link from which the vendor fetches a stored file. Raises PermanentError `public_url_missing`."""
    if link_to is None:
        raise PermanentError(
            f"creatomate: the vendor cannot fetch {reference['name']} from this machine; set CASTAD_PUBLIC_URL "
            "to the address where vendors can fetch files",
            code="public_url_missing",
        )
    return link_to(str(reference["where"]))


def frame_of(job_input: StageInput) -> tuple[int, int]:
    """Width and height of the film in pixels."""
    return FRAMES[job_input["orientation"]]


def film_seconds(job_input: StageInput) -> float:
    """The film's length in whole milliseconds."""
    return round(float(job_input["song_seconds"]), 3)


def modifications(job_input: StageInput, links: Links) -> dict[str, str]:
    """The values for a template's placeholders, by `Element.property`; a template may use only these."""
    images = {f"Image-{number}.source": link for number, link in enumerate(links.images, 1)}
    call, contact = job_input["call_to_action"], contact_text(job_input)
    return {
        "Title.text": plain(job_input["customer_name"]),
        "Region.text": plain(job_input["region"]),
        "Lyrics.text": plain("\n".join(line["text"] for line in job_input["timeline"])),
        "Song.source": links.song,
        **({"CallToAction.text": plain(call)} if call else {}),
        **({"Contact.text": plain(contact)} if contact else {}),
        **({"Logo.source": links.logo} if links.logo else {}),
        **images,
    }


def render_script(job_input: StageInput, links: Links) -> dict[str, Any]:
    """The film: pictures or moving light, the song, a title card, and every line while it is sung."""
    width, height = frame_of(job_input)
    seconds = film_seconds(job_input)
    caption = LAYOUTS[job_input["orientation"]].caption
    return {
        "output_format": "mp4",
        "width": width,
        "height": height,
        "frame_rate": FPS,
        "duration": seconds,
        "elements": [
            *_backdrop(job_input, links, seconds),
            shade_element(caption.middle, 1.8 * caption.height, seconds, _SHADE),
            *text_elements(job_input, links.logo, seconds, _TEXT),
            _song(job_input, links, seconds),
        ],
    }


def unused_picture_notes(job_input: StageInput) -> list[str]:
    """A sentence for the customer where the film leaves out pictures of the brief; else empty."""
    return left_out(_shots(job_input), len(job_input["images"]), film_seconds(job_input))


def length_notes(job_input: StageInput, seconds: float) -> list[str]:
    """A sentence for the customer where the film is notably longer or shorter than ordered; else empty."""
    ordered = film_seconds(job_input)
    if abs(seconds - ordered) <= _TOLERANCE_SECONDS:
        return []
    return [f"the film lasts {seconds:g} s, {ordered:g} s were ordered"]


def size_notes(job_input: StageInput, size: tuple[int, int]) -> list[str]:
    """A sentence for the customer where the film has another size, as on the vendor's free plan; else empty."""
    if size == frame_of(job_input):
        return []
    made, ordered = (f"{width}x{height}" for width, height in (size, frame_of(job_input)))
    return [f"the film is {made}, {ordered} was ordered; Creatomate's free plan makes small films"]


def _shots(job_input: StageInput) -> tuple[Shot, ...]:
    moments = sorted(line["start"] for line in job_input["timeline"])
    return plan_shots(
        film_seconds(job_input), moments, max(1, len(job_input["images"])), job_input["seed"]
    )


def _backdrop(job_input: StageInput, links: Links, seconds: float) -> list[Element]:
    if links.images:
        return picture_elements(_shots(job_input), links.images, _BACKDROP)
    return light_elements(palette_of(job_input), seconds, job_input["seed"], _BACKDROP)


def _song(job_input: StageInput, links: Links, seconds: float) -> Element:
    fade = min(_FADE_OUT_SECONDS, seconds) if job_input.get("song_fades", True) else 0
    return {
        "type": "audio",
        "name": "Song",
        "track": _SONG,
        **span(0, seconds),
        "source": links.song,
        "trim_start": round(float(job_input.get("song_start", 0.0)), 3),
        "trim_duration": seconds,
        "audio_fade_out": fade,
    }
