"""The text of a RenderScript: a title card, an end card, and every line while it is sung. Pure.

Documented (creatomate.com/docs/api/render-script) and relied upon: text that sizes itself between two font sizes
inside fixed dimensions and wraps, `stroke_*`, `shadow_*`, and fades as `animations`. Undocumented is whether text
may hold markup or expressions; see `plain`. That "Noto Sans KR" is available is inferred from the vendor's Google
fonts.
"""

from dataclasses import dataclass

from resources.contract.protocol import StageInput
from resources.providers.creatomate.backdrop import Element, css_colour, span
from resources.providers.creatomate.brand import (
    BRAND_BOXES,
    BrandBoxes,
    code_elements,
    contact_text,
    is_told,
    logo_element,
)
from studio.genres import choose_genre
from studio.screenplay import FPS, Palette, brand_palette, colour_of

_FONT = "Noto Sans KR"
_WIDTH = "86%"
_TITLE_SECONDS = 3.5
_END_SECONDS, _SHORTEST_END = 3.5, 1.0
# With more to read, an end card lasts this share of the film, but no longer than that.
_READING_SHARE, _LONGEST_END = 0.27, 6.0
_HELD_SECONDS = 0.4
_SHORTEST = 1 / FPS
_TITLE, _REGION, _CAPTION, _CONTACT, _GROUND, _CODE, _LOGO = range(7)
_CARD_BOX = (4, 7)
_MARKUP = str.maketrans("[]{}<>", "［］｛｝＜＞")


@dataclass(frozen=True)
class Box:
    """The position and size of a text.

    Middle and height in percent of the frame's height, font sizes in percent of its shorter side.
    """

    middle: float
    height: float
    smallest: float
    largest: float


@dataclass(frozen=True)
class Layout:
    """The boxes of a frame. In a vertical one, apps cover the top seventh and the bottom quarter."""

    title: Box
    title_under_logo: Box
    region: Box
    caption: Box


LAYOUTS = {
    "vertical": Layout(
        Box(24, 16, 4, 11), Box(26.5, 11, 4, 11), Box(35, 6, 3, 5), Box(63, 20, 4, 7)
    ),
    "horizontal": Layout(
        Box(30, 26, 4, 11), Box(30, 26, 4, 11), Box(49, 10, 3, 5), Box(78, 24, 4, 7)
    ),
}


def plain(text: str) -> str:
    """The text with full-width brackets instead of those that might be markup or an expression.

    RenderScript's documentation mentions neither; that text is shown as it is, is inferred.
    """
    return text.encode("utf-8", "replace").decode().translate(_MARKUP)


def palette_of(job_input: StageInput) -> Palette:
    """The colours of the film: the genre's, or the brand's."""
    genre, _ = choose_genre(job_input["genre"])
    brand = [colour_of(each) for each in job_input.get("brand_colors", ())]
    return brand_palette(genre.name, job_input["seed"], brand)


def text_elements(
    job_input: StageInput, logo: str | None, seconds: float, track: int
) -> list[Element]:
    """Title card, end card and captions of a film of that length, on seven tracks from `track`."""
    layout = LAYOUTS[job_input["orientation"]]
    return [
        {**element, "track": track + element["track"]}
        for element in (
            *_title_card(job_input, logo, layout, seconds),
            *(_brand_card if is_told(job_input) else _end_card)(job_input, logo, layout, seconds),
            *_captions(job_input, layout, seconds),
        )
    ]


def text_fades(job_input: StageInput, seconds: float) -> list[tuple[float, float]]:
    """Return the spans of a film of that length in which one of its texts comes or goes."""
    spans = []
    for element in text_elements(job_input, None, seconds, 0):
        begin, lasts = element["time"], element["duration"]
        fade = max((each["duration"] for each in element.get("animations", ())), default=0.0)
        spans += [(begin, begin + fade), (begin + lasts - fade, begin + lasts)]
    return spans


def _title_card(
    job_input: StageInput, logo: str | None, layout: Layout, seconds: float
) -> list[Element]:
    accent = css_colour(palette_of(job_input).accent)
    until = min(_TITLE_SECONDS, seconds)
    title = _text(
        job_input["customer_name"], layout.title_under_logo if logo else layout.title, 0, until
    )
    region = _text(job_input["region"], layout.region, 0, until)
    boxes = BRAND_BOXES[job_input["orientation"]]
    shown = [logo_element(logo, boxes.title_logo, 0, until)] if logo else []
    return [
        {**title, "name": "Title", "track": _TITLE, "font_weight": 800},
        {**region, "name": "Region", "track": _REGION, "fill_color": accent},
        *({**each, "name": "TitleLogo", "track": _CONTACT} for each in shown),
    ]


def _brand_card(
    job_input: StageInput, logo: str | None, layout: Layout, seconds: float
) -> list[Element]:
    """Logo, name, how to reach the business, QR code and call; empty where there is no time for it."""
    longest = min(_LONGEST_END, max(_END_SECONDS, _READING_SHARE * seconds))
    times = max(_TITLE_SECONDS, seconds - longest), seconds
    if times[1] - times[0] < _SHORTEST_END:
        return []
    boxes = BRAND_BOXES[job_input["orientation"]]
    name = _text(job_input["customer_name"], Box(*boxes.name, *_CARD_BOX), *times)
    found = [{**name, "name": "EndName", "track": _REGION, "font_weight": 800}]
    if logo:
        found.append({**logo_element(logo, boxes.logo, *times), "name": "EndLogo", "track": _LOGO})
    found += _contact(job_input, boxes, times)
    if job_input["call_to_action"]:
        call = _text(job_input["call_to_action"], Box(*boxes.call, *_CARD_BOX), *times)
        found.append({**call, "name": "CallToAction", "track": _TITLE, "font_weight": 800})
    return found


def _contact(job_input: StageInput, boxes: BrandBoxes, times: tuple[float, float]) -> list[Element]:
    """How to reach the business, and to the left of it the QR code of its link."""
    told, link = contact_text(job_input), job_input.get("link")
    if not told:
        return []
    contact = {**_text(told, Box(*boxes.contact, 3, 6), *times), "name": "Contact"}
    if not link:
        return [{**contact, "track": _CONTACT}]
    beside = {
        "x": f"{(boxes.beside_x + boxes.right_x) / 2:g}%",
        "width": f"{boxes.right_x - boxes.beside_x:g}%",
        "x_alignment": "0%",
    }
    ground, code = code_elements(link, boxes, times)
    return [
        {**contact, **beside, "track": _CONTACT},
        {**ground, "track": _GROUND},
        {**code, "track": _CODE},
    ]


def _end_card(
    job_input: StageInput, logo: str | None, layout: Layout, seconds: float
) -> list[Element]:
    """The call to action above the customer's name at the end of the film; empty where there is no time for it."""
    since = max(_TITLE_SECONDS, seconds - _END_SECONDS)
    if not job_input["call_to_action"] or seconds - since < _SHORTEST_END:
        return []
    call = _text(job_input["call_to_action"], layout.title, since, seconds)
    name = _text(job_input["customer_name"], layout.region, since, seconds)
    return [
        {**call, "name": "CallToAction", "track": _TITLE, "font_weight": 800},
        {**name, "name": "EndName", "track": _REGION},
    ]


def _captions(job_input: StageInput, layout: Layout, seconds: float) -> list[Element]:
    """One element per sung line; each ends when the next one starts."""
    lines = sorted(job_input["timeline"], key=lambda line: line["start"])
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


def _text(text: str, box: Box, start: float, end: float) -> Element:
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
