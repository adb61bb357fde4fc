"""Write HTML pages of reports, with bars and charts, by the macros of page.html, which escape all text."""

import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The Content-Security-Policy of every page."""

_FOLDER = Path(__file__).parent
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Categories of characters in Unicode."""


def escape_invisible(text: str) -> str:
    """Replace invisible characters, and those that turn the direction of writing, by their escapes."""
    return "".join(
        ascii(each)[1:-1] if unicodedata.category(each) in _INVISIBLE else each for each in text
    )


@cache
def _load_document(folder: Path) -> Any:
    # Most processes write no page.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader((folder, _FOLDER)),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else escape_invisible(str(value)),
        trim_blocks=True,
    )
    return environment.get_template("document.html")


def render_page(template: Path, title: str, language: str, **values: object) -> str:
    """Render a page around a template file, which may import the macros of page.html; all text is escaped."""
    given = {"title": title, "language": language, "policy": POLICY, "style": _load_style()}
    return str(_load_document(template.parent).render(**given, content=template.name, **values))


@cache
def _load_style() -> Markup:
    return Markup((_FOLDER / "page.css").read_text("utf-8"))  # noqa: S704 - our own file
