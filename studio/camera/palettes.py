"""The colours of a film: each genre's palettes, those of a brand, and how well text is read over them.

Formulas: WCAG 2.2, "relative luminance" and "contrast ratio" (w3.org/TR/WCAG22, section 6).
"""

import colorsys
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field

from studio.content import STRICT, ContentError, cache_content, find_files, read_typed

Colour = tuple[int, int, int]
INK: Colour = (24, 10, 16)
WHITE: Colour = (255, 255, 255)
READABLE = 4.5
# What is aimed at: rounding to video levels and the encoder take a little away again.
AIM = READABLE + 0.15
# So many percent of the pixels behind a text are no brighter than what counts as its ground.
MOST = 98
# How bright, as a grey level, the ground of text is at most where it is of one colour.
DEEPEST = 24
# Between these an accent differs enough from white letters and its ground need not be black.
LEAST_ACCENT, MOST_ACCENT = 0.5, 0.78
# A colour without a hue differs from white by its light alone.
MOST_WITHOUT_HUE, HUELESS = 0.56, 0.12
STEPS = 64
# Of a scene's saturation, how much is the brand's.
BRANDED = 0.5
SPACING = 2
_SHARES = np.array((0.2126, 0.7152, 0.0722), np.float32)


def colour_of(text: str) -> Colour:
    """Read a colour that is written `#rrggbb`."""
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red, green, blue


def _read_colour(written: object) -> Colour:
    try:
        return colour_of(str(written))
    except ValueError:
        raise ValueError("a colour as #rrggbb") from None


Written = Annotated[Colour, BeforeValidator(_read_colour)]


@dataclass(frozen=True)
class Palette:
    """Colours of one mood: the sky from top to horizon, the ground from far to near, the light.

    `accent` is the colour of words when they are sung: a light one, or pictures had to be dark behind it; `button`
    that of the button, where it is another.
    """

    __pydantic_config__ = STRICT

    sky: Annotated[tuple[Written, ...], Field(min_length=3, max_length=3)]
    ground: tuple[Written, Written]
    light: Written
    accent: Written
    button: Written | None = None


@cache_content
def load_palettes() -> Mapping[str, tuple[Palette, ...]]:
    """Return the palettes of every genre."""
    return read_typed(find_files("", ".toml")["palettes"], dict[str, tuple[Palette, ...]])


def choose_palette(genre: str, seed: str) -> Palette:
    """Choose one of the genre's palettes by the seed; raise a ContentError where it has none."""
    palettes = load_palettes().get(genre)
    if not palettes:
        raise ContentError(find_files("", ".toml")["palettes"], 1, f"palettes of {genre}", "none")
    return random.Random(f"palette {seed}").choice(palettes)  # noqa: S311


def brand_palette(genre: str, seed: str, brand: Sequence[Colour]) -> Palette:
    """Choose one of the genre's palettes by the seed, and dye it with one or two colours of a brand, if given.

    The first is that of sung words, in a light shade, and of the button; with the second it colours the scenes.
    """
    palette = choose_palette(genre, seed)
    if not brand:
        return palette
    first, second = brand[0], brand[-1]
    sung = first if _has_hue(first) or not _has_hue(second) else second
    return Palette(
        sky=(*(_dye(each, first) for each in palette.sky[:-1]), _dye(palette.sky[-1], second)),
        ground=(_dye(palette.ground[0], second), _dye(palette.ground[1], first)),
        light=_dye(palette.light, second),
        accent=_make_accent(sung),
        # Only so much darker that letters can be read on it.
        button=_mix_until(first, (0, 0, 0), _carries_letters),
    )


def choose_letters(ground: Colour) -> Colour:
    """Choose the colour of letters, dark or white, that is read best on this one."""
    return max((INK, WHITE), key=lambda letters: measure_contrast(letters, ground))


def measure_contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, 1 to 21."""
    darker, lighter = sorted(_measure_light(each) for each in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def measure_luminance(colours: np.ndarray) -> np.ndarray:
    """Return the relative luminance, 0 to 1, of sRGB colours of any shape; the last axis is red, green, blue."""
    linear = _LINEAR[np.asarray(colours, np.uint8)]
    return np.asarray(linear @ _SHARES)


def find_brightest_ground(text: Colour) -> float:
    """Return the grey level up to which white and this colour can be read over it with a contrast of `AIM`."""
    darkest = float(measure_luminance(np.array((WHITE, text))).min())
    return float(np.searchsorted(_LINEAR, (darkest + 0.05) / AIM - 0.05)) - 1


def match_grey(colour: Colour) -> float:
    """Return the grey level of the same luminance."""
    return float(np.searchsorted(_LINEAR, _measure_light(colour)))


def deepen(colour: Colour) -> Colour:
    """Make the colour as dark as a ground of text has to be."""
    share = min(1.0, DEEPEST / max(1.0, match_grey(colour)))
    red, green, blue = (round(level * share) for level in colour)
    return red, green, blue


def sample_greys(pixels: np.ndarray) -> np.ndarray:
    """Return the grey levels (uint8) of the same luminance as every other row and column of RGB `pixels`.

    Which of two neighbours is taken varies, so that no regular pattern goes unseen.
    """
    chance = np.random.default_rng(0)
    rows, columns = (
        np.arange(0, side, SPACING) + chance.integers(0, SPACING, -(-side // SPACING))
        for side in pixels.shape[:2]
    )
    last_row, last_column = pixels.shape[0] - 1, pixels.shape[1] - 1
    some = pixels[np.minimum(rows, last_row)][:, np.minimum(columns, last_column)]
    return _GREYS[(measure_luminance(some) * (len(_GREYS) - 1) + 0.5).astype(np.uint16)]


def _make_accent(colour: Colour) -> Colour:
    """Make the colour only so much lighter or darker that it can be sung in."""
    most = MOST_ACCENT if _has_hue(colour) else MOST_WITHOUT_HUE
    lighter = _mix_until(colour, WHITE, lambda each: _measure_light(each) >= LEAST_ACCENT)
    return _mix_until(lighter, (0, 0, 0), lambda each: _measure_light(each) <= most)


def _carries_letters(ground: Colour) -> bool:
    return measure_contrast(choose_letters(ground), ground) >= READABLE + 0.1


def _mix_until(colour: Colour, towards: Colour, is_met: Callable[[Colour], bool]) -> Colour:
    """Mix in as little of another colour as makes the mixture meet the law."""
    pairs = list(zip(colour, towards, strict=True))
    mixtures = (
        tuple(round(level + (end - level) * step / STEPS) for level, end in pairs)
        for step in range(STEPS + 1)
    )
    return next(each for each in mixtures if is_met(each))  # type: ignore[arg-type,return-value]


def _dye(colour: Colour, brand: Colour) -> Colour:
    """Give a colour the brand's hue, or make it paler where that has none; keep it as light as before."""
    hue, _, saturation = colorsys.rgb_to_hls(*(level / 255 for level in colour))
    other, _, strength = colorsys.rgb_to_hls(*(level / 255 for level in brand))
    mixed = saturation * (1 - BRANDED)
    if _has_hue(brand):
        hue, mixed = other, mixed + strength * BRANDED
    wanted, low, high = _measure_light(colour), 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        is_darker = _measure_light(_convert_to_rgb(hue, middle, mixed)) < wanted
        low, high = (middle, high) if is_darker else (low, middle)
    return _convert_to_rgb(hue, (low + high) / 2, mixed)


def _convert_to_rgb(hue: float, light: float, saturation: float) -> Colour:
    red, green, blue = colorsys.hls_to_rgb(hue, light, saturation)
    return round(255 * red), round(255 * green), round(255 * blue)


def _has_hue(colour: Colour) -> bool:
    return (max(colour) - min(colour)) / 255 > HUELESS


def _measure_light(colour: Colour) -> float:
    return float(measure_luminance(np.array(colour)))


_LEVELS = np.arange(256) / 255
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4).astype(
    np.float32
)
_GREYS = np.searchsorted(_LINEAR, np.linspace(0, 1, 4096)).clip(0, 255).astype(np.uint8)
