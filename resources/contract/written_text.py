"""Compose text that people write (NFC), and measure it as it is seen. Pure.

What is typed or pasted may be composed or decomposed, as macOS names files; both look the same. Addresses of the
web and of files, secrets and tokens are not text in this sense: they stay as they are.
"""

import math
import unicodedata

_MOST_PARTS = 16
"""Code points of one seen character; an emoji of a family has up to eleven. A longer one counts as several."""


def normalize_to_nfc(text: str) -> str:
    """Return the text in Unicode's composed form, NFC."""
    return unicodedata.normalize("NFC", text)


def list_normal_forms(text: str) -> tuple[str, ...]:
    """Return the distinct forms of the text: NFC, NFD and as given; stored text may have any of them."""
    return tuple(dict.fromkeys((normalize_to_nfc(text), unicodedata.normalize("NFD", text), text)))


def is_longer_than(text: str, most: int) -> bool:
    """Return whether the text has more than `most` characters, as a reader counts them.

    A character is a grapheme cluster of Unicode (UAX 29): an emoji of several people, a flag, a letter with its
    marks or a syllable of Hangul jamo is one.
    """
    plain = normalize_to_nfc(text)
    if len(plain) <= most:
        return False
    if len(plain) > most * _MOST_PARTS:
        return True
    # Most texts are short enough by their code points, and loading the tables takes longer than most commands.
    from wcwidth import iter_graphemes

    seen = 0
    for cluster in iter_graphemes(plain):
        seen += math.ceil(len(cluster) / _MOST_PARTS)
        if seen > most:
            return True
    return False
