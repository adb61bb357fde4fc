"""A genre's palette in the colours of a brand: readable whatever they are. Pure."""

import colorsys
from collections.abc import Callable, Sequence

import numpy as np

from studio.camera.contrast import READABLE, WHITE, luminance
from studio.camera.lettering import INK
from studio.camera.palettes import Colour, Palette, palette_for

# Between these an accent is told apart from white letters and its ground need not be black.
LEAST, MOST = 0.5, 0.78
# A colour without a hue is told apart from white by its light alone.
MOST_WITHOUT_HUE = 0.56
HUELESS = 0.12
STEPS = 64
# Of a scene's saturation, how much is the brand's.
BRANDED = 0.5


def brand_palette(genre: str, seed: str, brand: Sequence[Colour]) -> Palette:
    """One of the genre's palettes, chosen by the seed; in one or two colours of a brand where there are some.

    The first is that of sung words, in a light shade, and of the button; with the second it colours the scenes.
    """
    palette = palette_for(genre, seed)
    if not brand:
        return palette
    first, second = brand[0], brand[-1]
    sung = first if _has_hue(first) or not _has_hue(second) else second
    return Palette(
        sky=(*(_dyed(each, first) for each in palette.sky[:-1]), _dyed(palette.sky[-1], second)),
        ground=(_dyed(palette.ground[0], second), _dyed(palette.ground[1], first)),
        light=_dyed(palette.light, second),
        accent=_accent(sung),
        button=_readable(first),
    )


def letters_on(ground: Colour) -> Colour:
    """The colour of letters, dark or white, that is read best on this one."""
    return max((INK, WHITE), key=lambda letters: contrast(letters, ground))


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio, 1 to 21."""
    darker, lighter = sorted(_light(each) for each in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def _accent(colour: Colour) -> Colour:
    """The colour, only so much lighter or darker that it can be sung in."""
    most = MOST if _has_hue(colour) else MOST_WITHOUT_HUE
    lighter = _first(colour, WHITE, lambda each: _light(each) >= LEAST)
    return _first(lighter, (0, 0, 0), lambda each: _light(each) <= most)


def _readable(ground: Colour) -> Colour:
    """The colour, only so much darker that letters can be read on it."""
    return _first(
        ground, (0, 0, 0), lambda each: contrast(letters_on(each), each) >= READABLE + 0.1
    )


def _first(colour: Colour, towards: Colour, is_met: Callable[[Colour], bool]) -> Colour:
    """The first mixture with another colour that meets the law, as little of that as possible."""
    mixtures = (
        tuple(
            round(level + (end - level) * step / STEPS)
            for level, end in zip(colour, towards, strict=True)
        )
        for step in range(STEPS + 1)
    )
    return next(each for each in mixtures if is_met(each))  # type: ignore[arg-type,return-value]


def _dyed(colour: Colour, brand: Colour) -> Colour:
    """A colour as light as before, in the brand's hue; paler where that has none."""
    hue, _, saturation = colorsys.rgb_to_hls(*(level / 255 for level in colour))
    other, _, strength = colorsys.rgb_to_hls(*(level / 255 for level in brand))
    mixed = saturation * (1 - BRANDED)
    if _has_hue(brand):
        hue, mixed = other, mixed + strength * BRANDED
    wanted, low, high = _light(colour), 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if _light(_rgb(hue, middle, mixed)) < wanted else (low, middle)
    return _rgb(hue, (low + high) / 2, mixed)


def _rgb(hue: float, light: float, saturation: float) -> Colour:
    red, green, blue = colorsys.hls_to_rgb(hue, light, saturation)
    return round(255 * red), round(255 * green), round(255 * blue)


def _has_hue(colour: Colour) -> bool:
    return (max(colour) - min(colour)) / 255 > HUELESS


def _light(colour: Colour) -> float:
    return float(luminance(np.array(colour)))
