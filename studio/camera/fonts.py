"""One typeface with Korean in it, and one of emoji: where they lie, what they can draw, how wide words are."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import chain, groupby
from pathlib import Path

from PIL import ImageFont

from studio.errors import MissingPartError

PACKAGED = ("pylopdf_fonts_ko", "NotoSansKR-Regular.otf")
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
# Most fonts are drawn on a square of 1000 units, so that nothing is rounded at this size.
MEASURE_SIZE = 1000
# A code point that Unicode promises never to use: it always shows the font's "no such character" box.
NO_CHARACTER = "\uffff"
# The letters of flags, which are nothing alone.
FLAG_LETTERS = range(0x1F1E6, 0x1F200)
UNDRAWABLE_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


@dataclass(frozen=True)
class Font:
    """A font file and the family name by which libass finds it in the file's folder; and one of emoji, if any."""

    path: Path
    family: str
    emoji: Path | None = None

    def has(self, character: str) -> bool:
        """Whether there is a picture for this character."""
        return _has(str(self.path), character) or self.is_emoji(character)

    def is_emoji(self, character: str) -> bool:
        """Whether it is drawn in the font of emoji."""
        return self.emoji is not None and _is_emoji(str(self.path), str(self.emoji), character)

    def runs(self, text: str) -> Iterator[tuple[str, bool]]:
        """The text in pieces of one font, each with whether that is the font of emoji."""
        for in_emoji, characters in groupby(text, self.is_emoji):
            yield "".join(characters), in_emoji

    def drawable(self, text: str) -> str:
        """`text` without what the font cannot draw (emoji, controls), runs of blanks made one space."""
        composed = unicodedata.normalize("NFC", text)
        shown = "".join(
            " " if character.isspace() else character
            for character in composed
            if character.isspace() or self.has(character)
        )
        return " ".join(shown.split())

    def width(self, text: str) -> float:
        """How wide `text` is, in units of the em size."""
        return _width(self, text)

    @property
    def line_height(self) -> float:
        """Ascent and descent together in em: libass divides its font size by this to get the em size."""
        return _line_height(str(self.path))

    @property
    def emoji_height(self) -> float:
        """The same of emoji, relative to that of letters."""
        return _line_height(str(self.emoji)) / self.line_height if self.emoji else 1.0

    @property
    def rise(self) -> float:
        """How far the middle of a letter lies below the middle of its line, in em: libass centres lines."""
        font = _opened(str(self.path))
        (ascent, descent), (_, top, _, bottom) = font.getmetrics(), font.getbbox("가", anchor="ls")
        return (ascent - descent + top + bottom) / 2 / MEASURE_SIZE


def find_font(candidates: Iterable[Path] | None = None) -> Font:
    """The first file that is there: the packaged Noto Sans KR, or else a Korean font of the system.

    Raises:
        MissingPartError: `font_missing`, where there is none.
    """
    for path in chain(_packaged(PACKAGED), _installed()) if candidates is None else candidates:
        if path.is_file():
            emoji = next(filter(Path.is_file, _packaged(EMOJI)), None)
            return Font(path, str(_opened(str(path)).getname()[0]), emoji)
    raise MissingPartError(
        "no Korean font was found; install the Python package pylopdf-fonts-ko or a font such as Noto Sans KR",
        code="font_missing",
    )


def _packaged(wanted: tuple[str, str]) -> list[Path]:
    package, file = wanted
    found = find_spec(package)
    return [
        Path(folder) / file
        for folder in (found.submodule_search_locations if found else None) or ()
    ]


def _installed() -> Iterator[Path]:
    for folder in SYSTEM_FOLDERS:
        for name in SYSTEM_NAMES:
            yield from sorted(folder.rglob(name))


def _line_height(path: str) -> float:
    ascent, descent = _opened(path).getmetrics()
    return (ascent + descent) / MEASURE_SIZE


@lru_cache(maxsize=4)
def _opened(path: str) -> ImageFont.FreeTypeFont:
    """The font for measuring, shaped by HarfBuzz as in libass: blanks and kerning differ from plain widths."""
    return ImageFont.truetype(path, MEASURE_SIZE, layout_engine=ImageFont.Layout.RAQM)


@lru_cache(maxsize=20_000)
def _width(font: Font, text: str) -> float:
    return sum(
        _opened(str(font.emoji if in_emoji else font.path)).getlength(run) / MEASURE_SIZE
        for run, in_emoji in font.runs(text)
    )


@lru_cache(maxsize=4)
def _small(path: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, 24, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=20_000)
def _has(path: str, character: str) -> bool:
    if unicodedata.category(character) in UNDRAWABLE_CATEGORIES:
        return False
    font = _small(path)
    picture, nothing = font.getmask(character), font.getmask(NO_CHARACTER)
    return (picture.size, bytes(picture)) != (nothing.size, bytes(nothing))


@lru_cache(maxsize=20_000)
def _is_emoji(path: str, emoji: str, character: str) -> bool:
    """Letters of flags, tones of skin and joiners are none: of "woman, joiner, pan" the two things are drawn."""
    return (
        unicodedata.category(character) == "So"
        and ord(character) not in FLAG_LETTERS
        and not _has(path, character)
        and _has(emoji, character)
    )
