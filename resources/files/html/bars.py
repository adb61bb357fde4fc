"""Bars as inline SVG. Pure."""

from collections.abc import Iterable

from resources.files.html.markup import Markup, element

_WIDTH = 1000.0


def bar(parts: Iterable[tuple[float, str]], whole: float, label: str, kind: str = "bar") -> Markup:
    """A bar of parts (amount, colour), as long as their share of `whole`; `label` says it in words."""
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
    """A dot of this colour."""
    dot = element("circle", cx=5, cy=5, r=5, fill=colour)
    return element("svg", dot, class_="swatch", viewBox="0 0 10 10", aria_hidden="true")
