"""Emoji in events for libass: their runs are set in a font of their own. Pure but for the font."""

import re

from studio.camera.fonts import EMOJI_FAMILY, Font

TAGS = re.compile(r"(\{[^}]*\})")
SIZE = re.compile(r"\\fs([\d.]+)")
FIELDS = 9


def with_emoji(event: str, font: Font) -> str:
    """The event with tags around its emoji, as large as its letters; without emoji it stays as it is.

    libass would choose a font of the machine, and does so letter by letter.
    """
    *fields, text = event.split(",", FIELDS)
    size = SIZE.search(text)
    if not size or not any(map(font.is_emoji, text)):
        return event
    high = float(size[1])
    into = f"{{\\fn{EMOJI_FAMILY}\\fs{high * font.emoji_height:.1f}}}"
    back = f"{{\\fn{font.family}\\fs{high:.1f}}}"
    parts = (
        f"{into}{run}{back}" if in_emoji else run
        for part in TAGS.split(text)
        for run, in_emoji in ([(part, False)] if part.startswith("{") else font.runs(part))
    )
    return ",".join((*fields, "".join(parts)))
