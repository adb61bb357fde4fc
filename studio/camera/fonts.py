"""One typeface with Korean in it: where it lies, what it can draw, how wide its words are."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from PIL import ImageFont

from studio.errors import MissingPartError

PACKAGED = ("pylopdf_fonts_ko", "NotoSansKR-Regular.otf")
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
UNDRAWABLE_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


@dataclass(frozen=True)
class Font:
    """A font file and the family name by which libass finds it in the file's folder."""

    path: Path
    family: str

    def has(self, character: str) -> bool:
        """Whether the font has a picture for this character."""
        return _has(str(self.path), character)

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
        return _width(str(self.path), text)

    @property
    def line_height(self) -> float:
        """Ascent and descent together in em: libass divides its font size by this to get the em size."""
        ascent, descent = _opened(str(self.path)).getmetrics()
        return (ascent + descent) / MEASURE_SIZE

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
    for path in chain(_packaged(), _installed()) if candidates is None else candidates:
        if path.is_file():
            return Font(path, str(_opened(str(path)).getname()[0]))
    raise MissingPartError(
        "no Korean font was found; install the Python package pylopdf-fonts-ko or a font such as Noto Sans KR",
        code="font_missing",
    )


def _packaged() -> list[Path]:
    package, file = PACKAGED
    found = find_spec(package)
    return [
        Path(folder) / file
        for folder in (found.submodule_search_locations if found else None) or ()
    ]


def _installed() -> Iterator[Path]:
    for folder in SYSTEM_FOLDERS:
        for name in SYSTEM_NAMES:
            yield from sorted(folder.rglob(name))


@lru_cache(maxsize=4)
def _opened(path: str) -> ImageFont.FreeTypeFont:
    """The font for measuring, shaped by HarfBuzz as in libass: blanks and kerning differ from plain widths."""
    return ImageFont.truetype(path, MEASURE_SIZE, layout_engine=ImageFont.Layout.RAQM)


@lru_cache(maxsize=20_000)
def _width(path: str, text: str) -> float:
    return _opened(path).getlength(text) / MEASURE_SIZE


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
