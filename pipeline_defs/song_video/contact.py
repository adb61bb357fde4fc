"""What an end card tells of a business beyond its name, validated field by field. Pure."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from pipeline_defs.fields import Length, check_text, is_visible, normalize_line, normalize_text

MOST_HOURS_LINES = 4
FEWEST_DIGITS = 3
LONGEST_LINK = 300
_COLOR = re.compile(r"#?([0-9a-fA-F]{6})")


def _color(text: str) -> str:
    found = _COLOR.fullmatch(text)
    if found is None:
        raise ValueError("expected a color of six hexadecimal digits, such as #e4572e")
    return f"#{found[1].lower()}"


def _line(text: str) -> str:
    return normalize_line(text) if text else ""


def _phone(text: str) -> str:
    if text and sum(map(str.isdecimal, text)) < FEWEST_DIGITS:
        raise ValueError(f"expected a phone number with at least {FEWEST_DIGITS} digits")
    return _line(text)


def _hours(text: str) -> str:
    lines = [" ".join(line.split()) for line in normalize_text(text).splitlines()]
    given = [line for line in lines if line]
    if len(given) > MOST_HOURS_LINES:
        raise ValueError(f"expected at most {MOST_HOURS_LINES} lines, got {len(given)}")
    if given and not is_visible("".join(given)):
        raise ValueError("expected at least 1 visible character")
    return "\n".join(given)


def _web_link(text: str) -> str:
    """A link that a phone opens in its browser; its length counts as the QR code has it, in octets of UTF-8."""
    if not text:
        return ""
    try:
        parts = urlsplit(check_text(text))
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and "@" not in parts.netloc and not any(map(str.isspace, text))
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(
            "expected a link that begins with https:// or http:// and has no user name"
        )
    if len(text.encode()) > LONGEST_LINK:
        raise ValueError(
            f"expected at most {LONGEST_LINK} characters; a Korean one counts as three"
        )
    return text


Color = Annotated[str, AfterValidator(_color)]
Phone = Annotated[str, AfterValidator(_phone), Length(40)]
Address = Annotated[str, AfterValidator(_line), Length(120)]
OpeningHours = Annotated[str, AfterValidator(_hours), Length(160)]
WebLink = Annotated[str, Field(max_length=LONGEST_LINK), AfterValidator(_web_link)]
