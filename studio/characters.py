"""Which characters of a customer's text a film cannot show."""

import unicodedata

from studio.camera.fonts import find_font
from studio.errors import MissingPartError

__all__ = ["left_out"]


def left_out(text: str) -> str:
    """The visible characters that the studio's films leave out of a text, each once; none without a font.

    Tones of skin do not count: the emoji before them is drawn.
    """
    try:
        font = find_font()
    except MissingPartError:
        return ""
    composed = unicodedata.normalize("NFC", text)
    visible = (
        each
        for each in composed
        if (kind := unicodedata.category(each))[0] not in "CZM" and kind != "Sk"
    )
    return "".join(each for each in dict.fromkeys(visible) if not font.has(each))
