"""Write HTML pages of reports, with bars and charts, by the macros of page.html, which escape all text."""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The Content-Security-Policy of every page."""

_FOLDER = Path(__file__).parent
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
def _load_template(file: Path) -> Any:
    # Most processes write no page.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader((file.parent, _FOLDER)),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else escape_invisible(str(value)),
        trim_blocks=True,
    )
    return environment.get_template(file.name)


def render_page(template: Path, title: str, language: str, **values: object) -> str:
    """Render a page from a template file, which may import the macros of page.html; all text is escaped."""
    given = {"title": title, "language": language, "policy": POLICY, "style": _load_style()}
    return str(_load_template(template).render(**given, **values))


def _call_macro(macro: str, *values: object) -> Markup:
    return Markup(getattr(_load_template(_FOLDER / "page.html").module, macro)(*values))  # noqa: S704 - the macro escapes them


@cache
def _load_style() -> Markup:
    return Markup((_FOLDER / "page.css").read_text("utf-8"))  # noqa: S704 - our own file


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
