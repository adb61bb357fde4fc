"""Which characters of a customer's text a film cannot show."""

import unicodedata

from studio.camera.fonts import find_font
from studio.errors import MissingPartError


def find_undrawable(text: str) -> str:
    """Return the visible characters that films leave out of a text, each once; none where there is no font.

    Tones of skin do not count: the emoji before them is drawn.
    """
    try:
        font = find_font()
    except MissingPartError:
        return ""
    kinds = {each: unicodedata.category(each) for each in unicodedata.normalize("NFC", text)}
    visible = (each for each, kind in kinds.items() if kind[0] not in "CZM" and kind != "Sk")
    return "".join(each for each in visible if not font.has(each))
