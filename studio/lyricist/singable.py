"""What of a customer's words can stand in a sung line, and how long it is. Pure."""

import re
import unicodedata
from collections.abc import Sequence

from studio.content import cache_content, read_words
from studio.words import count_each, split_syllables

HANGUL = re.compile(r"[가-힣]")
# Section marks are written in brackets, captions in braces and backslashes: none of them is sung.
KEPT_MARKS = frozenset(" '’‘\"“”&+-–—.,!?():;%/·…~$¡¿、。")
END_MARKS = " ,.!?…;:~、。"
# Letters by category, but drawn as nothing.
INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0\u2800")
VARIATION_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180f]")
# 'Ｃａｆｅ' and '𝓒𝓪𝓯𝓮' are ordinary letters in costume.
COSTUMED = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff]")
MOST_SYLLABLES_OF_REGION = 10
KOREAN_NUMBER = re.compile(r"(?<=\s)(?:산\s?)?\d+(?:-\d+)*(?:번지|호|층|(?<=\d{3})동)?,?(?=\s|$)")
ENGLISH_NUMBER = re.compile(
    r"^\d+[a-z]?\s+(?=(?:\w+\s+){1,3}(?:st|street|ave|avenue|rd|road|lane|drive|blvd)\b)", re.I
)
PLAIN_WORD = re.compile(r"[A-Z][a-zé]+(?:-[a-zé]+)*|A")
CAPITAL = re.compile(r"(?<![A-Za-z'’-])[A-Z]")


def count_syllables(line: str) -> int:
    """Count the syllables that are sung in a line."""
    return sum(count_each(split_syllables(line)))


def keep_singable(text: str) -> str:
    """Return a text in one line and in composed form, without what is neither read aloud nor drawn.

    Gone are emoji, symbols, controls, brackets, braces and backslashes; "" where no letter or digit remains.
    """
    plain = COSTUMED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    composed = unicodedata.normalize("NFC", VARIATION_SELECTORS.sub("", plain))
    kept = "".join(character if _is_kept(character) else " " for character in composed)
    words = filter(None, map(_strip_stray_marks, kept.split()))
    line = unicodedata.normalize("NFC", " ".join(words))
    return line if any(character.isalnum() for character in line) else ""


def strip_end_marks(line: str) -> str:
    """Return a name as it stands inside of a sentence, where its own full stop would end it."""
    return line.rstrip(END_MARKS)


def shorten_region(text: str) -> str:
    """Return the region without a house number, short enough to be sung.

    Of a long one it is the nearest part, which Korean names last, others first.
    """
    numbered = keep_singable(text)
    number = KOREAN_NUMBER if HANGUL.search(numbered) else ENGLISH_NUMBER
    region = strip_end_marks(" ".join(number.sub("", numbered).split()))
    if count_syllables(region) <= MOST_SYLLABLES_OF_REGION:
        return region
    part = region if HANGUL.search(region) else region.split(",")[0]
    return strip_end_marks(" ".join(drop_words(part, MOST_SYLLABLES_OF_REGION)))


def drop_words(text: str, most: float) -> list[str]:
    """Return the words of a text without those that are too many syllables; a Korean one keeps its end."""
    words, korean = text.split(), HANGUL.search(text)
    while len(words) > 1 and count_syllables(" ".join(words)) > most:
        words = words[1:] if korean else words[:-1]
    return words


def lower_first(phrases: Sequence[str], named: str = "") -> list[str]:
    """Return English phrases, the first one without its capital where only the order's sentence gave it one.

    That is where a later phrase begins with a small letter, or where one phrase is all and its other words are
    small. Names, days, months, nationalities and words of the text `named` keep theirs.
    """
    if not phrases or not phrases[0]:
        return [*phrases]
    first, *others = phrases
    small = any(phrase[:1].islower() for phrase in others) if others else " " in first
    if not small or not _begins_a_sentence(first, named):
        return [*phrases]
    return [first[0].lower() + first[1:], *others]


@cache_content
def get_capitals() -> frozenset[str]:
    """Return the English words that keep their capital inside of a sentence."""
    return frozenset(read_words("english")["names"])


def _begins_a_sentence(phrase: str, named: str) -> bool:
    """Return whether its first word is a plain one, and the only one that has a capital and is no known name."""
    word, *others = phrase.split()
    known = get_capitals().union(named.split())
    unknown = " ".join(other for other in others if other.strip(".,!?:;") not in known)
    return bool(PLAIN_WORD.fullmatch(word)) and word not in known and not CAPITAL.search(unknown)


def _strip_stray_marks(word: str) -> str:
    """Return the word from its first character on that is not to be drawn over another."""
    bases = [unicodedata.category(character)[0] != "M" for character in word]
    return word[bases.index(True) :] if any(bases) else ""


def _is_kept(character: str) -> bool:
    if character in INVISIBLE:
        return False
    category = unicodedata.category(character)
    return character in KEPT_MARKS or category[0] in "LN" or category in ("Mn", "Mc")
