"""The film of an order as a RenderScript or as a template's modifications. Pure.

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


def links_of(order: StageInput, link_to: LinkTo | None) -> Links:
    """The links of an order's song and pictures; `link_to` makes those of stored files.

    Raises PermanentError `public_url_missing` where the vendor could not fetch one of them.
    """
    song = order.get("song_url") or public_link(order["song"], link_to)
    return Links(
        song=str(song),
        images=tuple(_picture_link(image, link_to) for image in order["images"]),
        logo=_picture_link(order["logo"], link_to) if "logo" in order else None,
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


def frame_of(order: StageInput) -> tuple[int, int]:
    """Width and height of the film in pixels."""
    return FRAMES[order["orientation"]]


def film_seconds(order: StageInput) -> float:
    """The film's length in whole milliseconds."""
    return round(float(order["song_seconds"]), 3)


def modifications(order: StageInput, links: Links) -> dict[str, str]:
    """The values for a template's placeholders, by `Element.property`; a template may use only these."""
    images = {f"Image-{number}.source": link for number, link in enumerate(links.images, 1)}
    call, contact = order["call_to_action"], contact_text(order)
    return {
        "Title.text": plain(order["customer_name"]),
        "Region.text": plain(order["region"]),
        "Lyrics.text": plain("\n".join(line["text"] for line in order["timeline"])),
        "Song.source": links.song,
        **({"CallToAction.text": plain(call)} if call else {}),
        **({"Contact.text": plain(contact)} if contact else {}),
        **({"Logo.source": links.logo} if links.logo else {}),
        **images,
    }


def render_script(order: StageInput, links: Links) -> dict[str, Any]:
    """The film: pictures or moving light, the song, a title card, and every line while it is sung."""
    width, height = frame_of(order)
    seconds = film_seconds(order)
    caption = LAYOUTS[order["orientation"]].caption
    return {
        "output_format": "mp4",
        "width": width,
        "height": height,
        "frame_rate": FPS,
        "duration": seconds,
        "elements": [
            *_backdrop(order, links, seconds),
            shade_element(caption.middle, 1.8 * caption.height, seconds, _SHADE),
            *text_elements(order, links.logo, seconds, _TEXT),
            _song(order, links, seconds),
        ],
    }


def unused_picture_notes(order: StageInput) -> list[str]:
    """A sentence for the customer where the film leaves out pictures of the brief; else empty."""
    return left_out(_shots(order), len(order["images"]), film_seconds(order))


def length_notes(order: StageInput, seconds: float) -> list[str]:
    """A sentence for the customer where the film is notably longer or shorter than ordered; else empty."""
    ordered = film_seconds(order)
    if abs(seconds - ordered) <= _TOLERANCE_SECONDS:
        return []
    return [f"the film lasts {seconds:g} s, {ordered:g} s were ordered"]


def size_notes(order: StageInput, size: tuple[int, int]) -> list[str]:
    """A sentence for the customer where the film has another size, as on the vendor's free plan; else empty."""
    if size == frame_of(order):
        return []
    made, ordered = (f"{width}x{height}" for width, height in (size, frame_of(order)))
    return [f"the film is {made}, {ordered} was ordered; Creatomate's free plan makes small films"]


def _shots(order: StageInput) -> tuple[Shot, ...]:
    moments = sorted(line["start"] for line in order["timeline"])
    return plan_shots(film_seconds(order), moments, max(1, len(order["images"])), order["seed"])


def _backdrop(order: StageInput, links: Links, seconds: float) -> list[Element]:
    if links.images:
        return picture_elements(_shots(order), links.images, _BACKDROP)
    return light_elements(palette_of(order), seconds, order["seed"], _BACKDROP)


def _song(order: StageInput, links: Links, seconds: float) -> Element:
    fade = min(_FADE_OUT_SECONDS, seconds) if order.get("song_fades", True) else 0
    return {
        "type": "audio",
        "name": "Song",
        "track": _SONG,
        **span(0, seconds),
        "source": links.song,
        "trim_start": round(float(order.get("song_start", 0.0)), 3),
        "trim_duration": seconds,
        "audio_fade_out": fade,
    }
