"""The film of an order in Creatomate's own words: a RenderScript, or a template's modifications. Pure.

RenderScript is a top level (`output_format`, `width`, `height`, `frame_rate`, `duration`, `elements`) and elements
with a track (a higher one is in front), a time and a duration in seconds (notes/providers.md A.3;
creatomate.com/docs/api/render-script). Documented there and relied upon: text that sizes itself between two font
sizes inside fixed dimensions and wraps by itself, `stroke_*`, `shadow_*`, fades as `animations`, and of sound
`trim_start`, `trim_duration` and `audio_fade_out`. Undocumented is whether text may hold markup or expressions;
see `plain`. That "Noto Sans KR" is there is inferred from the Google fonts the vendor offers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from resources.providers.backdrop import (
    Element,
    css_colour,
    light_elements,
    picture_elements,
    shade_element,
    span,
)
from resources.providers.errors import PermanentError
from resources.providers.protocol import Json, Order
from resources.studio.camera.film import FRAMES
from resources.studio.camera.palettes import palette_for
from resources.studio.camera.shots import FPS, Shot, left_out, plan_shots
from resources.studio.genres import choose_genre

_FONT = "Noto Sans KR"
_WIDTH = "86%"
_TITLE_SECONDS = 3.5
_FADE_OUT_SECONDS = 1.0
_HELD_SECONDS = 0.4
_TOLERANCE_SECONDS = 1.0
_SHORTEST = 1 / FPS
_BACKDROP, _SHADE, _TITLE, _REGION, _CAPTION, _SONG = 1, 5, 6, 7, 8, 9
_MARKUP = str.maketrans("[]{}<>", "［］｛｝＜＞")


@dataclass(frozen=True)
class Links:
    """Where the vendor fetches the song and the pictures, in order."""

    song: str
    images: tuple[str, ...]


@dataclass(frozen=True)
class _Box:
    """Where a text stands and how large it may be.

    Middle and height in percent of the frame's height, font sizes in percent of its shorter side.
    """

    middle: float
    height: float
    smallest: float
    largest: float


@dataclass(frozen=True)
class _Layout:
    """Upright, the apps that show such films cover the top seventh and the bottom quarter."""

    title: _Box
    region: _Box
    caption: _Box


_LAYOUTS = {
    "vertical": _Layout(_Box(24, 16, 4, 11), _Box(35, 6, 3, 5), _Box(63, 20, 4, 7)),
    "horizontal": _Layout(_Box(30, 26, 4, 11), _Box(49, 10, 3, 5), _Box(78, 24, 4, 7)),
}


def links_of(order: Order, public_url: str | None) -> Links:
    """The links of an order's song and pictures; files of this machine are under the public address.

    Raises PermanentError `public_url_missing` where the vendor could not fetch one of them.
    """
    song = order.get("song_url") or public_link(order["song"], public_url)
    return Links(
        song=str(song),
        images=tuple(
            str(image.get("url") or public_link(image, public_url)) for image in order["images"]
        ),
    )


def public_link(reference: Mapping[str, Json], public_url: str | None) -> str:
    """Where the vendor fetches a kept file. Raises PermanentError `public_url_missing`."""
    if public_url is None:
        raise PermanentError(
            f"creatomate: it cannot fetch {reference['name']} from this machine; set CASTAD_PUBLIC_URL "
            "to the address where vendors can fetch files",
            code="public_url_missing",
        )
    return f"{public_url}/artifacts/{quote(str(reference['where']))}"


def frame_of(order: Order) -> tuple[int, int]:
    """Width and height of the film in pixels."""
    return FRAMES[order["orientation"]]


def film_seconds(order: Order) -> float:
    """The film's length in whole milliseconds."""
    return round(float(order["song_seconds"]), 3)


def plain(text: str) -> str:
    """The text without what might be markup or an expression: its brackets are full-width ones.

    RenderScript's documentation names neither; that text is shown as it is, is inferred.
    """
    return text.encode("utf-8", "replace").decode().translate(_MARKUP)


def modifications(order: Order, links: Links) -> dict[str, str]:
    """What replaces the placeholders of a template: `Element.property` (A.3), and these elements only."""
    images = {f"Image-{number}.source": link for number, link in enumerate(links.images, 1)}
    return {
        "Title.text": plain(order["customer_name"]),
        "Region.text": plain(order["region"]),
        "Lyrics.text": plain("\n".join(line["text"] for line in order["timeline"])),
        "Song.source": links.song,
        **images,
    }


def render_script(order: Order, links: Links) -> dict[str, Any]:
    """The film: pictures or moving light, the song, a title card, and every line while it is sung."""
    width, height = frame_of(order)
    seconds = film_seconds(order)
    layout = _LAYOUTS[order["orientation"]]
    caption = layout.caption
    return {
        "output_format": "mp4",
        "width": width,
        "height": height,
        "frame_rate": FPS,
        "duration": seconds,
        "elements": [
            *_backdrop(order, links, seconds),
            shade_element(caption.middle, 1.8 * caption.height, seconds, _SHADE),
            *_title_card(order, layout, seconds),
            *_captions(order, layout, seconds),
            _song(order, links, seconds),
        ],
    }


def unseen_pictures(order: Order) -> list[str]:
    """A sentence for the customer where not every picture of the brief has its turn, else nothing."""
    return left_out(_shots(order), len(order["images"]), film_seconds(order))


def other_length(order: Order, seconds: float) -> list[str]:
    """A sentence for the customer where the film lasts notably longer or shorter than ordered."""
    ordered = film_seconds(order)
    if abs(seconds - ordered) <= _TOLERANCE_SECONDS:
        return []
    return [f"the film lasts {seconds:g} s, {ordered:g} s were ordered"]


def other_size(order: Order, size: tuple[int, int]) -> list[str]:
    """A sentence for the customer where the film has another size; the free plan's are small (A.3, [S])."""
    if size == frame_of(order):
        return []
    made, ordered = (f"{width}x{height}" for width, height in (size, frame_of(order)))
    return [f"the film is {made}, {ordered} was ordered; Creatomate's free plan makes small films"]


def _shots(order: Order) -> tuple[Shot, ...]:
    moments = sorted(line["start"] for line in order["timeline"])
    return plan_shots(film_seconds(order), moments, max(1, len(order["images"])), order["seed"])


def _backdrop(order: Order, links: Links, seconds: float) -> list[Element]:
    if links.images:
        return picture_elements(_shots(order), links.images, _BACKDROP)
    genre, _ = choose_genre(order["genre"])
    return light_elements(palette_for(genre.name, order["seed"]), seconds, order["seed"], _BACKDROP)


def _title_card(order: Order, layout: _Layout, seconds: float) -> list[Element]:
    genre, _ = choose_genre(order["genre"])
    accent = css_colour(palette_for(genre.name, order["seed"]).accent)
    until = min(_TITLE_SECONDS, seconds)
    title = _text(order["customer_name"], layout.title, 0, until)
    region = _text(order["region"], layout.region, 0, until)
    return [
        {**title, "name": "Title", "track": _TITLE, "font_weight": 800},
        {**region, "name": "Region", "track": _REGION, "fill_color": accent},
    ]


def _captions(order: Order, layout: _Layout, seconds: float) -> list[Element]:
    """One element per sung line; each is gone when the next one comes."""
    lines = sorted(order["timeline"], key=lambda line: line["start"])
    starts = [min(max(line["start"], 0.0), seconds) for line in lines]
    captions: list[Element] = []
    for line, start, following in zip(lines, starts, [*starts[1:], seconds], strict=False):
        end = min(line["end"] + _HELD_SECONDS, following)
        if end - start < _SHORTEST:
            continue
        caption = _text(line["text"], layout.caption, start, end)
        name = f"Caption-{len(captions) + 1}"
        captions.append({**caption, "name": name, "track": _CAPTION})
    return captions


def _text(text: str, box: _Box, start: float, end: float) -> Element:
    fade = round(min(0.25, (end - start) / 4), 3)
    return {
        "type": "text",
        **span(start, end),
        "text": plain(text),
        "y": f"{box.middle:g}%",
        "width": _WIDTH,
        "height": f"{box.height:g}%",
        "x_alignment": "50%",
        "y_alignment": "50%",
        "font_family": _FONT,
        "font_weight": 700,
        "font_size_minimum": f"{box.smallest:g} vmin",
        "font_size_maximum": f"{box.largest:g} vmin",
        "fill_color": "#ffffff",
        "stroke_color": "rgba(0,0,0,0.75)",
        "stroke_width": "0.5 vmin",
        "shadow_color": "rgba(0,0,0,0.6)",
        "shadow_blur": "2 vmin",
        "animations": [
            {"type": "fade", "time": "start", "duration": fade},
            {"type": "fade", "time": "end", "duration": fade, "reversed": True},
        ],
    }


def _song(order: Order, links: Links, seconds: float) -> Element:
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
