"""Write HTML pages of reports, with bars and charts; text is escaped by construction."""

import html
import unicodedata
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_DASHES = str.maketrans("_", "-")
_WIDTH = 1000.0
_ROW, _LABEL, _BARS, _VALUE = 26, 230, 360, 130
_LONGEST_LABEL = 32
# Grey that can be read on a light and on a dark ground.
_INK = "#7d8590"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The Content-Security-Policy of every page."""

Cell = tuple[str, str]
"""A class and the content."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: object) -> Markup:
    """Build the element and escape the children that are no Markup. `class_` is `class`, and `a_b` is `a-b`."""
    shown = "".join(
        f' {key.rstrip("_").translate(_DASHES)}="{_escape(str(value))}"'
        for key, value in attributes.items()
    )
    return Markup(f"<{name}{shown}>{joined(*children)}</{name}>")


def joined(*children: str) -> Markup:
    """Join the children one after the other."""
    return Markup(
        "".join(child if isinstance(child, Markup) else _escape(child) for child in children)
    )


def _escape(text: str) -> str:
    return html.escape(visible(text))


def visible(text: str) -> str:
    """Escape characters that cannot be seen, or that turn the direction of writing."""
    return "".join(each if _is_visible(each) else ascii(each)[1:-1] for each in text)


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def page(title: str, language: str, *parts: Markup) -> str:
    """Write the page of this title, which is in this language (`en`, `ko`)."""
    head = joined(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", title),
        element("style", _read_style()),
    )
    body = element("body", element("h1", title), *parts)
    return f"<!doctype html>\n{element('html', element('head', head), body, lang=language)}\n"


@cache
def _read_style() -> Markup:
    return Markup(Path(__file__).with_name("page.css").read_text("utf-8"))


def section(title: str, *parts: Markup) -> Markup:
    """Build a part of the page under its own heading."""
    return element("section", element("h2", title), *parts)


def tiles(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Lay out figures, each in a tile below its label."""
    found = [element("div", element("dt", label), element("dd", value)) for label, value in pairs]
    return element("dl", *found, class_="tiles")


def table(heads: Sequence[str], rows: Sequence[Sequence[Cell]], nothing: str) -> Markup:
    """Build a table of the rows under their heads; the text `nothing` where there are no rows."""
    if not rows:
        return element("p", nothing, class_="none")
    kinds = [kind for kind, _ in rows[0]]
    head = [
        element("th", title, scope="col", class_=kind)
        for kind, title in zip(kinds, heads, strict=True)
    ]
    found = element(
        "table",
        element("thead", element("tr", *head)),
        element("tbody", *(element("tr", *_build_cells(row)) for row in rows)),
    )
    return element("div", found, class_="wide")


def _build_cells(row: Iterable[Cell]) -> Iterable[Markup]:
    return [element("td", content, class_=kind) for kind, content in row]


def bar(parts: Iterable[tuple[float, str]], whole: float, label: str, kind: str = "bar") -> Markup:
    """Draw a bar of parts (amount, colour), as long as their share of `whole`; `label` says it in words."""
    rectangles, start = [], 0.0
    for amount, colour in parts:
        width = _WIDTH * amount / whole if whole else 0.0
        if width > 0:
            rectangles.append(
                element("rect", x=f"{start:.2f}", width=f"{width:.2f}", height=10, fill=colour)
            )
        start += width
    return element(
        "svg",
        *rectangles,
        class_=kind,
        viewBox=f"0 0 {_WIDTH:g} 10",
        preserveAspectRatio="none",
        role="img",
        aria_label=label,
    )


def swatch(colour: str) -> Markup:
    """Draw a dot of this colour."""
    dot = element("circle", cx=5, cy=5, r=5, fill=colour)
    return element("svg", dot, class_="swatch", viewBox="0 0 10 10", aria_hidden="true")


@dataclass(frozen=True)
class ChartRow:
    """A label, the parts (amount, colour) of its bar, and the value behind the bar."""

    label: str
    parts: Sequence[tuple[float, str]]
    value: str


def chart(rows: Sequence[ChartRow], title: str) -> Markup:
    """Draw the rows' bars beside each other; the longest takes the whole width."""
    most = max((sum(amount for amount, _ in row.parts) for row in rows), default=0)
    width, height = _LABEL + _BARS + _VALUE, _ROW * len(rows)
    drawn = [each for at, row in enumerate(rows) for each in _draw_row(row, at * _ROW, most)]
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


def _draw_row(row: ChartRow, top: int, most: float) -> list[Markup]:
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
    """Encode the image as a link that holds it."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
