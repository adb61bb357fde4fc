"""A bar chart as an SVG of its own, for places that show an image only. Pure."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass

from resources.files.html.markup import Markup, element

_ROW, _LABEL, _BARS, _VALUE = 26, 230, 360, 130
_LONGEST_LABEL = 32
# Grey that can be read on a light and on a dark ground.
_INK = "#7d8590"


@dataclass(frozen=True)
class ChartRow:
    """A label, the parts (amount, colour) of its bar, and the value behind the bar."""

    label: str
    parts: Sequence[tuple[float, str]]
    value: str


def chart(rows: Sequence[ChartRow], title: str) -> Markup:
    """The rows' bars beside each other, the longest as long as there is room."""
    most = max((sum(amount for amount, _ in row.parts) for row in rows), default=0)
    width, height = _LABEL + _BARS + _VALUE, _ROW * len(rows)
    drawn = [each for at, row in enumerate(rows) for each in _row(row, at * _ROW, most)]
    return element(
        "svg",
        *drawn,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=title,
        font_family="system-ui, sans-serif",
        font_size=13,
    )


def _row(row: ChartRow, top: int, most: float) -> list[Markup]:
    label = row.label if len(row.label) <= _LONGEST_LABEL else f"{row.label[:_LONGEST_LABEL]}…"
    found, start = [element("text", label, x=0, y=top + 17, fill=_INK)], float(_LABEL)
    for amount, colour in row.parts:
        width = _BARS * amount / most if most else 0.0
        if width > 0:
            x, wide = f"{start:.1f}", f"{width:.1f}"
            found.append(element("rect", x=x, y=top + 5, width=wide, height=16, fill=colour))
        start += width
    found.append(element("text", row.value, x=f"{start + 8:.1f}", y=top + 17, fill=_INK))
    return found


def data_uri(svg: Markup) -> str:
    """The image as a link that holds it."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
