"""A report as one HTML page: no script, nothing from elsewhere, readable in light and dark. Pure."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from resources.files.html.markup import Markup, element, joined

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The Content-Security-Policy of every page."""

Cell = tuple[str, str]
"""A class and the content."""


def page(title: str, language: str, *parts: Markup) -> str:
    """The page of this title, which is in this language (`en`, `ko`)."""
    head = joined(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", title),
        element("style", _style()),
    )
    body = element("body", element("h1", title), *parts)
    return f"<!doctype html>\n{element('html', element('head', head), body, lang=language)}\n"


@cache
def _style() -> Markup:
    return Markup(Path(__file__).with_name("page.css").read_text("utf-8"))


def section(title: str, *parts: Markup) -> Markup:
    """A part of the page under a heading of its own."""
    return element("section", element("h2", title), *parts)


def tiles(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Figures, each in a tile below its label."""
    found = [element("div", element("dt", label), element("dd", value)) for label, value in pairs]
    return element("dl", *found, class_="tiles")


def table(heads: Sequence[str], rows: Sequence[Sequence[Cell]], nothing: str) -> Markup:
    """The rows under their heads; the text `nothing` where there are no rows."""
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
        element("tbody", *(element("tr", *_cells(row)) for row in rows)),
    )
    return element("div", found, class_="wide")


def _cells(row: Iterable[Cell]) -> Iterable[Markup]:
    return [element("td", content, class_=kind) for kind, content in row]
