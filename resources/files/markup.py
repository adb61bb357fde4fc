"""Write HTML pages of reports, with bars and charts, by the macros of page.html, which escape all text."""

import unicodedata
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The Content-Security-Policy of every page."""

_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Categories of characters in Unicode."""

Cell = tuple[str, str]
"""A class and the content."""


def escape_invisible(text: str) -> str:
    """Replace invisible characters, and those that turn the direction of writing, by their escapes."""
    return "".join(
        ascii(each)[1:-1] if unicodedata.category(each) in _INVISIBLE else each for each in text
    )


@cache
def _load_macros() -> Any:
    # Most processes write no page.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else escape_invisible(str(value)),
    )
    return environment.get_template("page.html").module


def _call_macro(macro: str, *values: object) -> Markup:
    return Markup(getattr(_load_macros(), macro)(*values))  # noqa: S704 - the macro escapes them


@cache
def _load_style() -> Markup:
    return Markup(Path(__file__).with_name("page.css").read_text("utf-8"))  # noqa: S704 - our own file


def build_page(title: str, language: str, *parts: Markup) -> str:
    """Build a whole HTML page; `language` is `en` or `ko`."""
    return f"{_call_macro('page', title, language, Markup(POLICY), _load_style(), parts)}"  # noqa: S704


def join_parts(*parts: str) -> Markup:
    """Concatenate the parts; text that is no Markup is escaped."""
    return Markup().join(
        part if isinstance(part, Markup) else escape_invisible(part) for part in parts
    )


def build_section(title: str, *parts: Markup) -> Markup:
    """Build a section of the page, under its own heading."""
    return _call_macro("section", title, parts)


def build_note(text: str, kind: str) -> Markup:
    """Build a paragraph of the text; `kind` is its CSS class."""
    return _call_macro("note", text, kind)


def build_tiles(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Build a grid of figures, each in a tile below its label, from pairs of label and figure."""
    return _call_macro("tiles", pairs)


def build_table(heads: Sequence[str], rows: Sequence[Sequence[Cell]], nothing: str) -> Markup:
    """Build a table with the column headings `heads`; without rows, a paragraph with the text `nothing`."""
    return _call_macro("table", heads, rows) if rows else build_note(nothing, "none")


def build_bar(
    parts: Iterable[tuple[float, str]], whole: float, label: str, kind: str = "bar"
) -> Markup:
    """Build a bar of parts (amount, colour), each as long as its share of `whole`; `label` is its alt text."""
    return _call_macro("bar", parts, whole, label, kind)


def build_swatch(colour: str, text: str = "") -> Markup:
    """Build a dot of this colour, followed by the text."""
    return _call_macro("swatch", colour, text)


def build_legend(entries: Iterable[tuple[str, str]]) -> Markup:
    """Build the legend of a chart from pairs of colour and text."""
    return _call_macro("legend", entries)


@dataclass(frozen=True)
class ChartRow:
    """A row of a chart: a label, the parts (amount, colour) of its bar, and the value shown behind the bar."""

    label: str
    parts: Sequence[tuple[float, str]]
    value: str


def build_chart(rows: Sequence[ChartRow], title: str) -> Markup:
    """Build a bar chart of the rows, scaled so that the longest bar takes the whole width."""
    most = max((sum(amount for amount, _ in row.parts) for row in rows), default=0)
    return _call_macro("chart", rows, most, title)


def build_data_uri(svg: Markup) -> str:
    """Encode the image as a link that holds it."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
