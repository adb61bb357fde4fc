"""HTML that is escaped by construction. Pure."""

import html
import unicodedata

_DASHES = str.maketrans("_", "-")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: object) -> Markup:
    """The element; what is no Markup is escaped. `class_` is `class`, and `a_b` is `a-b`."""
    shown = "".join(
        f' {key.rstrip("_").translate(_DASHES)}="{_escaped(str(value))}"'
        for key, value in attributes.items()
    )
    return Markup(f"<{name}{shown}>{joined(*children)}</{name}>")


def joined(*children: str) -> Markup:
    """The children one after the other."""
    return Markup(
        "".join(child if isinstance(child, Markup) else _escaped(child) for child in children)
    )


def visible(text: str) -> str:
    """The text with characters that cannot be seen, or that turn the direction of writing, escaped."""
    return "".join(each if _is_visible(each) else ascii(each)[1:-1] for each in text)


def _escaped(text: str) -> str:
    return html.escape(visible(text))


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
