"""How well a text can be read over a picture: contrast as the web's accessibility guidelines measure it. Pure.

Formulas: WCAG 2.2, "relative luminance" and "contrast ratio" (w3.org/TR/WCAG22, section 6).
"""

import numpy as np

from studio.camera.palettes import Colour

READABLE = 4.5
# What is aimed at: rounding to video levels and the encoder take a little away again.
AIM = READABLE + 0.15
# So many percent of the pixels behind a text are no brighter than what counts as its ground.
MOST = 98
WHITE: Colour = (255, 255, 255)
# How bright, as a grey level, the ground of text is at most where it is of one colour.
DEEPEST = 24
_SPACING = 2
_SHARES = np.array((0.2126, 0.7152, 0.0722), np.float32)


def luminance(colours: np.ndarray) -> np.ndarray:
    """The relative luminance, 0 to 1, of sRGB colours: any shape whose last axis is red, green, blue in 0-255."""
    linear = _LINEAR[np.asarray(colours, np.uint8)]
    return np.asarray(linear @ _SHARES)


def brightest_ground(text: Colour) -> float:
    """The grey level up to which white and this colour can be read over it with a contrast of `AIM`."""
    darkest = float(luminance(np.array((WHITE, text))).min())
    return float(np.searchsorted(_LINEAR, (darkest + 0.05) / AIM - 0.05)) - 1


def grey_of(colour: Colour) -> float:
    """The grey level of the same luminance."""
    return float(np.searchsorted(_LINEAR, float(luminance(np.array(colour)))))


def deep(colour: Colour) -> Colour:
    """The colour, made as dark as a ground of text has to be."""
    share = min(1.0, DEEPEST / max(1.0, grey_of(colour)))
    red, green, blue = (round(level * share) for level in colour)
    return red, green, blue


def greys(pixels: np.ndarray) -> np.ndarray:
    """The grey levels (uint8) of the same luminance as every other row and column of RGB `pixels`.

    Which of two neighbours is taken varies, so that no regular pattern goes unseen.
    """
    chance = np.random.default_rng(0)
    rows, columns = (
        np.arange(0, side, _SPACING) + chance.integers(0, _SPACING, -(-side // _SPACING))
        for side in pixels.shape[:2]
    )
    some = pixels[np.minimum(rows, pixels.shape[0] - 1)][
        :, np.minimum(columns, pixels.shape[1] - 1)
    ]
    return _GREYS[(luminance(some) * (len(_GREYS) - 1) + 0.5).astype(np.uint16)]


def _linear(levels: np.ndarray) -> np.ndarray:
    shares = levels / 255
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


_LINEAR = _linear(np.arange(256)).astype(np.float32)
_GREYS = np.searchsorted(_LINEAR, np.linspace(0, 1, 4096)).clip(0, 255).astype(np.uint8)
