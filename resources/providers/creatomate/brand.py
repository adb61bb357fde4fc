"""Draw the backdrop of a RenderScript, and the brand on its cards. Pure.

The backdrop is the brief's pictures, or moving light in the genre's colours; a brand is a logo, how to reach
it and a QR code. Documented are `image`, `shape`, `fit`, `path`, `animations` and keyframes
(creatomate.com/docs/json and docs/api/render-script); the names of the gradient's and the zoom's properties
are those of the vendor's own SDK (Creatomate/creatomate-php). Inferred are how far a zoom's anchor moves the
picture, and that a path may have several parts, as SVG's. Where the guess is wrong, the film moves less, or
the code cannot be scanned beside its address.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from resources.contract.protocol import StageInput
from studio.screenplay import MARGIN, QUIET, Colour, Palette, Shot, dark_runs, squares

Element = dict[str, Any]
_WAYPOINT_SECONDS = 5.0
LOOK: Mapping[str, Any] = json.loads(Path(__file__).with_name("look.json").read_text("utf-8"))
"""What elements have in common, and in `boxes` where they stand in a frame.

A box is a middle and a height in percent of the frame's height; of a text also its font sizes in percent of the
frame's shorter side. In a vertical frame, apps cover the top seventh and the bottom quarter. The code's middle is
at `code_x` percent of the width; text stands `beside` it from the one percentage to the other.
"""


def draw_pictures(shots: Sequence[Shot], sources: Sequence[str], track: int) -> list[Element]:
    """Build the elements that fill the frame: one picture per shot, with a slow zoom. `sources` are their URLs."""
    drawn = []
    for number, shot in enumerate(shots, 1):
        seen, near = build_timing(shot.start, shot.end), min(shot.before, shot.after)
        zoom = {
            **LOOK["zoom"],
            "start_scale": _format_percent(MARGIN / shot.before[0]),
            "end_scale": _format_percent(MARGIN / shot.after[0]),
            "x_anchor": _format_percent(near[1]),
            "y_anchor": _format_percent(near[2]),
            "duration": seen["duration"],
        }
        picture = {
            **LOOK["picture"],
            "name": f"Shot-{number}",
            "track": track,
            **seen,
            "source": sources[shot.picture],
            "animations": [zoom],
        }
        drawn.append(picture)
    return drawn


def draw_lights(palette: Palette, seconds: float, seed: str, track: int) -> list[Element]:
    """Build a sky in the palette's colours and three lights that move over it, on four tracks from `track`."""
    chance = random.Random(f"lights {seed}")  # noqa: S311
    stops = [*palette.sky, palette.ground[1]]
    sky = [_build_stop(place / (len(stops) - 1), colour, 1) for place, colour in enumerate(stops)]
    lights = [
        {
            **_draw_shape(f"Light-{number}", track + number, seconds),
            **LOOK["light"],
            "x": _plan_path(chance, seconds),
            "y": _plan_path(chance, seconds),
            **LOOK["outwards"],
            "fill_color": [_build_stop(0, colour, 0.6), _build_stop(1, colour, 0)],
        }
        for number, colour in enumerate((palette.light, palette.accent, palette.sky[1]), 1)
    ]
    return [{**_draw_shape("Sky", track, seconds), **LOOK["downwards"], "fill_color": sky}, *lights]


def _plan_path(chance: random.Random, seconds: float) -> list[Element]:
    """Build the keyframes of a random path, in percent of the frame."""
    legs = max(1, round(seconds / _WAYPOINT_SECONDS))
    return [
        {
            "time": round(seconds * leg / legs, 3),
            "value": _format_percent(chance.random()),
            "easing": "sinusoid-in-out",
        }
        for leg in range(legs + 1)
    ]


def draw_shade(middle: float, height: float, seconds: float, track: int) -> Element:
    """Build a dark band that fades out upwards and downwards, with its `middle` and `height` in percent."""
    black = (0, 0, 0)
    return {
        **_draw_shape("Shade", track, seconds),
        "y": f"{middle:g}%",
        "height": f"{height:g}%",
        **LOOK["downwards"],
        "fill_color": [
            _build_stop(at, black, alpha) for at, alpha in ((0, 0), (0.5, 0.55), (1, 0))
        ],
    }


def _draw_shape(name: str, track: int, seconds: float) -> Element:
    return {
        "type": "shape",
        "name": name,
        "track": track,
        **build_timing(0, seconds),
        "path": trace_rectangle(0, 0, 100, 100),
    }


def _build_stop(offset: float, colour: Colour, alpha: float) -> dict[str, str]:
    """Build a stop of a colour gradient; `offset` and `alpha` are in [0, 1]."""
    red, green, blue = colour
    return {"offset": _format_percent(offset), "color": f"rgba({red},{green},{blue},{alpha:g})"}


def has_brand(job_input: StageInput) -> bool:
    """Return whether the job's input has contact data of the business, or its logo."""
    return any(
        job_input.get(name) for name in ("phone", "address", "opening_hours", "link", "logo")
    )


def write_contact(job_input: StageInput) -> str:
    """Return the contact data of the business in lines, with no break inside of a phone number; "" without any."""
    link = str(job_input.get("link", "")).partition("://")[2].removeprefix("www.").rstrip("/")
    lines = (
        str(job_input.get("phone", "")).replace(" ", "\u00a0"),
        job_input.get("address", ""),
        job_input.get("opening_hours", ""),
        link.partition("/")[0],
    )
    return "\n".join(line for line in lines if line)


def draw_logo(source: str, box: Sequence[float], start: float, end: float) -> Element:
    """Build the element of the logo, fitted into a box of middle and height in percent; times are in seconds."""
    place = {"y": f"{box[0]:g}%", "height": f"{box[1]:g}%"}
    return {**LOOK["logo"], **build_timing(start, end), "source": source, **place}


def draw_code(link: str, boxes: Mapping[str, Any], times: tuple[float, float]) -> Iterator[Element]:
    """Yield the two elements of the link's QR code: a light square with its margin, and the dark squares."""
    rows = squares(link)
    unit = 100 / (len(rows) + 2 * QUIET)
    dark = " ".join(
        trace_rectangle(
            (begin + QUIET) * unit,
            (row + QUIET) * unit,
            (end + QUIET) * unit,
            (row + QUIET + 1) * unit,
        )
        for row, begin, end in dark_runs(rows)
    )
    paths = (trace_rectangle(0, 0, 100, 100), dark)
    place = {"x": f"{boxes['code_x']:g}%", "y": f"{boxes['contact'][0]:g}%"}
    for name, path, color in zip(("CodeGround", "Code"), paths, LOOK["code_colors"], strict=True):
        drawn = {"name": name, **build_timing(*times), "path": path, "fill_color": color}
        yield {**LOOK["code"], **drawn, **place}


def trace_rectangle(left: float, top: float, right: float, bottom: float) -> str:
    """Build the path of a rectangle; its sides are in percent of the shape."""
    corners = ((left, top), (right, top), (right, bottom), (left, bottom), (left, top))
    steps = (f"{x:.5g} {y:.5g}" for x, y in corners)
    return f"M {' L '.join(steps)} Z"


def build_timing(start: float, end: float) -> dict[str, float]:
    """Build an element's `time` and `duration` from its start and end in seconds, rounded to milliseconds."""
    return {"time": round(start, 3), "duration": round(round(end, 3) - round(start, 3), 3)}


def format_colour(colour: Colour) -> str:
    """Format the colour as `#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _format_percent(share: float) -> str:
    return f"{100 * share:.1f}%"
