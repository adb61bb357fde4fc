"""One typeface with Korean in it and one of emoji, and how texts are set in them: in rows that fit."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import accumulate, chain, groupby, pairwise
from pathlib import Path

from PIL import ImageFont

from studio.errors import MissingPartError

KOREAN = ("pylopdf_fonts_ko", "NotoSansKR-Regular.otf")
# Where there is no Korean font, names in other letters can still be read.
LATIN = ("manimgx_fonts", "NotoSans[wght].ttf")
INSTALL = "install the Python package pylopdf-fonts-ko"
# Outlines of one colour: libass draws no pictures that are glyphs.
EMOJI, EMOJI_FAMILY = ("manimgx_fonts", "NotoEmoji[wght].ttf"), "Noto Emoji"
SYSTEM_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path("/Library/Fonts"))
SYSTEM_NAMES = (
    "NotoSansKR*.otf",
    "NotoSansKR*.ttf",
    "NotoSansCJK-Regular.ttc",
    "Pretendard*.otf",
    "NanumGothic*.ttf",
    "NanumBarunGothic*.ttf",
    "AppleGothic.ttf",
)
LATIN_NAMES = ("NotoSans-Regular.ttf", "DejaVuSans.ttf", "LiberationSans-Regular.ttf")
# Most fonts are drawn on a square of 1000 units, so that nothing is rounded at this size.
MEASURE_SIZE = 1000
# A code point that Unicode promises never to use: it always shows the font's "no such character" box.
NO_CHARACTER = "\uffff"
# The letters of flags, which are nothing alone.
FLAG_LETTERS = range(0x1F1E6, 0x1F200)
UNDRAWABLE_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")

SHRINK = 0.94
# A word is broken only where the letters would have to be smaller than this share of their size to keep it whole.
KEEPS_WORDS = 0.35
SAVES_ROWS = 0.8
# libass reads these three as commands; the lookalikes are in the font.
LOOKALIKES = str.maketrans({"{": "｛", "}": "｝", "\\": "＼"})
# What belongs to the word after it, and looks lost at the end of a row; and marks that belong to the one before.
LEADS = frozenset({
    "&", "+", "×", "x", "·", "•", "|", "/", "-", "–", "—", "~", "@", "and", "or", "the", "a", "an", "of",
    "at", "by", "in", "on", "to", "for", "with", "및", "와", "과", "또는", "그리고",
})  # fmt: skip
TRAILS = frozenset(("!", "?", ".", ",", "…", ")", "]", "♥", "♡", "★", "☆"))
BREAKABLE = re.compile(r"[-/.,@&?=_~:]")
ENDS_A_ROW_WELL = tuple(",.?!:;…、。，？！：；")
# What a break costs beside the squares of the rows' shares of the width, of which even rows have the smallest sum.
AT_MARK, IN_PHRASE, ENDS_BADLY = -0.3, 4.0, 1.0
# A Korean word of one syllable belongs to the next one: 한 시간, 귀 기울여.
ONE_SYLLABLE = re.compile(r"[가-힣]")
Measure = Callable[[str], float]


@dataclass(frozen=True)
class Font:
    """A font file and the family name by which libass finds it in the file's folder; and one of emoji, if any."""

    path: Path
    family: str
    emoji: Path | None = None

    def has(self, character: str) -> bool:
        """Return whether there is a picture for this character."""
        return _has(str(self.path), character) or self.is_emoji(character)

    def is_emoji(self, character: str) -> bool:
        """Return whether it is drawn in the font of emoji."""
        return self.emoji is not None and _is_emoji(str(self.path), str(self.emoji), character)

    def split_runs(self, text: str) -> Iterator[tuple[str, bool]]:
        """Split the text into pieces of one font, each with whether that is the font of emoji."""
        for in_emoji, characters in groupby(text, self.is_emoji):
            yield "".join(characters), in_emoji

    def measure(self, text: str) -> float:
        """Return how wide `text` is, in units of the em size."""
        return _measure(self, text)

    @property
    def is_korean(self) -> bool:
        """Whether it has Korean letters."""
        return self.has("가")

    @property
    def remarks(self) -> list[str]:
        """A sentence for the customer where it is not the packaged font, else nothing."""
        if not self.is_korean:
            return [f"the film shows no Korean text: it has no Korean font; {INSTALL}"]
        if self.path.name != KOREAN[1]:
            return [f"the film's text is set in {self.family}; {INSTALL} for Noto Sans KR"]
        return []

    @property
    def line_height(self) -> float:
        """Ascent and descent together in em: libass divides its font size by this to get the em size."""
        return _measure_line(str(self.path))

    @property
    def emoji_height(self) -> float:
        """The same of emoji, relative to that of letters."""
        return _measure_line(str(self.emoji)) / self.line_height if self.emoji else 1.0

    @property
    def rise(self) -> float:
        """How far the middle of a letter lies below the middle of its line, in em: libass centres lines."""
        font, letter = _open(str(self.path)), "가" if self.is_korean else "H"
        ascent, descent = font.getmetrics()
        _, top, _, bottom = font.getbbox(letter, anchor="ls")
        return (ascent - descent + top + bottom) / 2 / MEASURE_SIZE


def find_font(candidates: Iterable[Path] | None = None) -> Font:
    """Find the packaged Noto Sans KR, a Korean font of the system, or a Latin one, or raise MissingPartError."""
    if candidates is None:
        korean = chain(_find_packaged(KOREAN), _find_installed(SYSTEM_NAMES))
        candidates = chain(korean, _find_packaged(LATIN), _find_installed(LATIN_NAMES))
    for path in candidates:
        if path.is_file():
            emoji = next(filter(Path.is_file, _find_packaged(EMOJI)), None)
            return Font(path, str(_open(str(path)).getname()[0]), emoji)
    raise MissingPartError(
        f"no Korean font was found; {INSTALL} or a font such as Noto Sans KR", code="font_missing"
    )


def make_drawable(text: str, font: Font) -> str:
    """Write `text` as it is shown: what the font has, in single blanks, and no command of libass."""
    shown = "".join(
        " " if character.isspace() else character
        for character in unicodedata.normalize("NFC", text)
        if character.isspace() or font.has(character)
    )
    return " ".join(shown.split()).translate(LOOKALIKES)


@dataclass(frozen=True)
class Block:
    """Rows of text and the em size in pixels at which they fit."""

    rows: tuple[str, ...]
    size: float

    def measure_width(self, font: Font) -> float:
        """Return how wide the widest row is, in pixels."""
        return max((font.measure(row) for row in self.rows), default=0.0) * self.size

    def measure_height(self, leading: float) -> float:
        """Return how high the rows are together, in pixels."""
        return len(self.rows) * self.size * leading


def fit(text: str, font: Font, width: float, size: float, most_rows: int) -> Block:
    """Set `text` in at most `most_rows` rows no wider than `width` and letters of at most `size`.

    However long it is, all of it is there: the letters get smaller until it fits. They also get a little smaller
    where that saves a row. Words stay whole, and rows end well, unless the letters would be smaller than
    `KEEPS_WORDS` of `size`; a word that is too long even then is broken, in letters as large as others.
    """
    longest = max(map(font.measure, _split_words(text)), default=0.0)
    least = size * KEEPS_WORDS if longest * size * KEEPS_WORDS <= width else size
    largest, found = size, list[Block]()
    while not found or size >= largest * SAVES_ROWS:
        rows = balance(text, font.measure, width / size)
        whole = " ".join(rows) == text and all(map(ends_well, rows[:-1]))
        if len(rows) <= most_rows and (size <= least or whole):
            found.append(Block(tuple(rows), size))
        size *= SHRINK
    return min(found, key=lambda block: len(block.rows))


def ends_well(row: str) -> bool:
    """Return whether a row may end so: not in a word that belongs to the next one."""
    return row.rstrip().rpartition(" ")[2].casefold() not in LEADS


def balance(text: str, measure: Measure, width: float) -> list[str]:
    """Wrap the text in rows of even length instead of a full one above a short one."""
    rows = wrap(text, measure, width)
    narrow, wide = width / 2, width
    for _ in range(6 if len(rows) > 1 else 0):
        middle = (narrow + wide) / 2
        tried = wrap(text, measure, middle)
        if len(tried) > len(rows) or _count_flaws(tried) > _count_flaws(rows):
            narrow = middle
        else:
            wide, rows = middle, tried
    return rows


def wrap(text: str, measure: Measure, width: float) -> list[str]:
    """Break the text into rows no wider than `width`: at blanks, and inside of a word that is wider than a row."""
    rows: list[str] = []
    for group in _group_words(text):
        for words in [group] if measure(group) <= width else _split_words(group):
            joined = f"{rows[-1]} {words}" if rows else words
            if rows and measure(joined) <= width:
                rows[-1] = joined
            else:
                rows += break_word(words, measure, width)
    return rows


def break_word(word: str, measure: Measure, width: float) -> list[str]:
    """Break a word into pieces no wider than `width`, of one character at least; after a mark if possible."""
    pieces = []
    while measure(word) > width and len(word) > 1:
        most, fails = 1, len(word)
        while fails - most > 1:
            middle = (most + fails) // 2
            fits = measure(word[:middle]) <= width
            most, fails = (middle, fails) if fits else (most, middle)
        end = max((match.end() for match in BREAKABLE.finditer(word[:most])), default=0)
        if 2 * end < most or measure(word[end : most + 1]) > width:
            end = most
        pieces.append(word[:end])
        word = word[end:]
    return [*pieces, word]


def find_best_rows(
    words: Sequence[str], rows: int, measure: Measure, width: float, phrases: Sequence[str]
) -> list[tuple[int, int]] | None:
    """Return the first word and the end of every one of so many rows; None where the words do not fit into these.

    `words` have the blanks between them. `phrases` are better not broken.
    """
    inside = {*find_breaks_inside(words, phrases)}
    reached: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, (0,))}
    for _ in range(rows):
        following: dict[int, tuple[float, tuple[int, ...]]] = {}
        for first, (cost, ends) in reached.items():
            for end in range(first + 1, len(words) + 1):
                wide = measure("".join(words[first:end]).strip())
                if wide > width:
                    break
                share = wide / width
                total = cost + share * share + _cost_break(words, end, end in inside)
                if end not in following or total < following[end][0]:
                    following[end] = (total, (*ends, end))
        reached = following
    if len(words) not in reached:
        return None
    return list(pairwise(reached[len(words)][1]))


def find_breaks_inside(words: Sequence[str], phrases: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the words before which a break would tear a phrase."""
    text = "".join(words)
    spans = [
        match.span()
        for phrase in phrases
        if phrase
        for match in re.finditer(re.escape(phrase), text, re.IGNORECASE)
    ]
    for number, offset in enumerate(accumulate(map(len, words), initial=0)):
        if any(first < offset < last for first, last in spans):
            yield number


def _cost_break(words: Sequence[str], end: int, torn: bool) -> float:
    if end == len(words):
        return 0.0
    last = words[end - 1].rstrip()
    at_mark = AT_MARK * last.endswith(ENDS_A_ROW_WELL)
    badly = not ends_well(last) or bool(ONE_SYLLABLE.fullmatch(last))
    return at_mark + IN_PHRASE * torn + ENDS_BADLY * badly


def _split_words(text: str) -> list[str]:
    return [word for word in text.split(" ") if word]


def _group_words(text: str) -> list[str]:
    """Join the words with those that lead to them, and the marks and emoji that trail them."""
    groups: list[str] = []
    for word in _split_words(text):
        trails = word in TRAILS or {unicodedata.category(letter) for letter in word} == {"So"}
        if groups and (trails or not ends_well(groups[-1])):
            groups[-1] += f" {word}"
        else:
            groups.append(word)
    return groups


def _count_flaws(rows: Sequence[str]) -> int:
    """Count the words, of which a broken one makes two, and the rows that end badly."""
    words = sum(len(_split_words(row)) for row in rows)
    return words + sum(not ends_well(row) for row in rows[:-1])


def _find_packaged(wanted: tuple[str, str]) -> list[Path]:
    package, file = wanted
    found = find_spec(package)
    folders = (found.submodule_search_locations if found else None) or ()
    return [Path(folder) / file for folder in folders]


def _find_installed(names: Sequence[str]) -> Iterator[Path]:
    for folder in SYSTEM_FOLDERS:
        for name in names:
            yield from sorted(folder.rglob(name))


def _measure_line(path: str) -> float:
    ascent, descent = _open(path).getmetrics()
    return (ascent + descent) / MEASURE_SIZE


@lru_cache(maxsize=4)
def _open(path: str) -> ImageFont.FreeTypeFont:
    """Open the font for measuring, shaped by HarfBuzz as in libass: kerning differs from plain widths."""
    return ImageFont.truetype(path, MEASURE_SIZE, layout_engine=ImageFont.Layout.RAQM)


@lru_cache(maxsize=20_000)
def _measure(font: Font, text: str) -> float:
    return sum(
        _open(str(font.emoji if in_emoji else font.path)).getlength(run) / MEASURE_SIZE
        for run, in_emoji in font.split_runs(text)
    )


@lru_cache(maxsize=4)
def _open_small(path: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, 24, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=20_000)
def _has(path: str, character: str) -> bool:
    if unicodedata.category(character) in UNDRAWABLE_CATEGORIES:
        return False
    font = _open_small(path)
    picture, nothing = font.getmask(character), font.getmask(NO_CHARACTER)
    return (picture.size, bytes(picture)) != (nothing.size, bytes(nothing))


@lru_cache(maxsize=20_000)
def _is_emoji(path: str, emoji: str, character: str) -> bool:
    """Return whether only the font of emoji has it; letters of flags, tones of skin and joiners are none."""
    return (
        unicodedata.category(character) == "So"
        and ord(character) not in FLAG_LETTERS
        and not _has(path, character)
        and _has(emoji, character)
    )
