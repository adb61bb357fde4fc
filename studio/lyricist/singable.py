"""What of a foreign text can stand in a sung line. Pure."""

import re
import unicodedata

# Section marks are written in brackets, captions in braces and backslashes: none of them is sung.
KEPT_MARKS = frozenset(" '’‘\"“”&+-–—.,!?():;%/·…~$¡¿、。")
END_MARKS = " ,.!?…;:~、。"
# Letters by category, but drawn as nothing.
INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0\u2800")
VARIATION_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180f]")
# 'Ｃａｆｅ' and '𝓒𝓪𝓯𝓮' are ordinary letters in costume.
COSTUMED = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff]")


def singable(text: str) -> str:
    """`text` in one line and in composed form, without what is neither read aloud nor drawn.

    Gone are emoji, symbols, controls, brackets, braces and backslashes; "" where no letter or digit remains.
    """
    plain = COSTUMED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    composed = unicodedata.normalize("NFC", VARIATION_SELECTORS.sub("", plain))
    kept = "".join(character if _is_kept(character) else " " for character in composed)
    words = filter(None, map(_without_stray_marks, kept.split()))
    line = unicodedata.normalize("NFC", " ".join(words))
    return line if any(character.isalnum() for character in line) else ""


def without_end_marks(line: str) -> str:
    """A name as it stands inside of a sentence, where its own full stop would end it."""
    return line.rstrip(END_MARKS)


def _without_stray_marks(word: str) -> str:
    """The word from its first character on that is not to be drawn over another."""
    bases = [unicodedata.category(character)[0] != "M" for character in word]
    return word[bases.index(True) :] if any(bases) else ""


def _is_kept(character: str) -> bool:
    if character in INVISIBLE:
        return False
    category = unicodedata.category(character)
    return character in KEPT_MARKS or category[0] in "LN" or category in ("Mn", "Mc")
