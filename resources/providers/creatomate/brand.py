"""A brand on the cards of a RenderScript: its logo, how to reach it, and its QR code. Pure.

Documented (creatomate.com/docs/api/render-script) and relied upon: `image` with `fit`, `shape` with a `path`, `x`
and `x_alignment`. That a path may have several parts, as SVG's, is inferred: where the guess is wrong, the code
cannot be scanned, and the address is still there to read.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from resources.contract.protocol import StageInput
from resources.providers.creatomate.backdrop import Element, rectangle, span
from studio.screenplay import QUIET, dark_runs, squares

CODE_VMIN = 30
_COLORS = ("#ffffff", "#0a0a0c")


@dataclass(frozen=True)
class BrandBoxes:
    """Where a brand stands on its cards: middles and heights in percent of the frame's height.

    The code's middle is at `code_x` percent of the width; beside it, text goes from `beside_x` to `right_x`.
    """

    logo: tuple[float, float]
    title_logo: tuple[float, float]
    name: tuple[float, float]
    contact: tuple[float, float]
    call: tuple[float, float]
    code_x: float
    beside_x: float
    right_x: float


BRAND_BOXES = {
    "vertical": BrandBoxes((18.5, 6), (18, 5), (26, 6), (38, 15.5), (50, 5), 29, 46, 86),
    "horizontal": BrandBoxes((12, 10), (11, 9), (22, 9), (43, 28), (61, 7), 28, 39, 90),
}


def is_told(job_input: StageInput) -> bool:
    """Whether the job's input says how to reach the business, or shows its logo."""
    return any(
        job_input.get(name) for name in ("phone", "address", "opening_hours", "link", "logo")
    )


def contact_text(job_input: StageInput) -> str:
    """How to reach it, in lines; a phone number is not broken inside."""
    link = str(job_input.get("link", "")).partition("://")[2].removeprefix("www.").rstrip("/")
    lines = (
        str(job_input.get("phone", "")).replace(" ", "\u00a0"),
        job_input.get("address", ""),
        job_input.get("opening_hours", ""),
        link.partition("/")[0],
    )
    return "\n".join(line for line in lines if line)


def logo_element(source: str, box: tuple[float, float], start: float, end: float) -> Element:
    """The logo, whole, in a box of so many percent of the frame's height."""
    return {
        "type": "image",
        "name": "Logo",
        **span(start, end),
        "source": source,
        "x": "50%",
        "y": f"{box[0]:g}%",
        "width": "60%",
        "height": f"{box[1]:g}%",
        "fit": "contain",
    }


def code_elements(link: str, boxes: BrandBoxes, times: tuple[float, float]) -> Iterator[Element]:
    """The link's QR code: a light square with its quiet zone, and the dark squares on it."""
    rows = squares(link)
    whole = len(rows) + 2 * QUIET
    for name, path, color in zip(
        ("CodeGround", "Code"),
        (rectangle(0, 0, 100, 100), _path(rows, whole)),
        _COLORS,
        strict=True,
    ):
        yield {
            "type": "shape",
            "name": name,
            **span(*times),
            "path": path,
            "x": f"{boxes.code_x:g}%",
            "y": f"{boxes.contact[0]:g}%",
            "width": f"{CODE_VMIN} vmin",
            "height": f"{CODE_VMIN} vmin",
            "fill_color": color,
        }


def _path(rows: tuple[tuple[bool, ...], ...], whole: int) -> str:
    """Every run of dark squares as a rectangle, in percent of the whole."""
    unit = 100 / whole
    return " ".join(
        rectangle(
            (begin + QUIET) * unit,
            (row + QUIET) * unit,
            (end + QUIET) * unit,
            (row + QUIET + 1) * unit,
        )
        for row, begin, end in dark_runs(rows)
    )
