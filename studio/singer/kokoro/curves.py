"""The tone and the loudness that Kokoro sings a line with, every half frame. Pure, numpy only."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from studio.samples import Samples
from studio.singer.kokoro.lengths import FRAME, Lengths
from studio.singer.kokoro.tokens import Part, Token

SHIFT = 5
"""Half frames by which the sound comes before its token."""
TONED_HERTZ = 45.0
"""From here on the model means a voice, below it means none."""
TONELESS_HERTZ = 4.0
MIDDLE_PERCENTILE = 60
VOWEL_BELOW_MIDDLE, CONSONANT_BELOW_MIDDLE = 0.7, 3.5
NONE = -20.0
SOFTENED = 7

Curve = NDArray[np.float64]


def moments(lengths: Lengths, frames: int) -> Curve:
    """The middles of the half frames, in seconds of the song."""
    return lengths.begin + (np.arange(2 * frames) + 0.5) * FRAME / 2


def sung_tone(
    own: Samples, hertz: Curve, tokens: Sequence[Token], bounds: Sequence[int]
) -> Samples:
    """The melody in hertz where there is a voice, and the model's silence elsewhere; (1, n) of `own` (n,).

    `bounds` are the frames at which the tokens begin, and the last one ends.
    """
    toned = own > TONED_HERTZ
    last = len(tokens) - 1
    for number, (token, (first, end)) in enumerate(zip(tokens, _spans(bounds), strict=True)):
        if token.part is Part.NUCLEUS:
            toned[first:end] = True
        elif token.part is Part.REST and number < last:
            toned[first + 4 : end - 2] = False
    return np.where(toned, hertz, np.minimum(own, TONELESS_HERTZ)).astype(np.float32)[None]


def sung_energy(own: Samples, tokens: Sequence[Token], bounds: Sequence[int]) -> Samples:
    """The model's loudness, whose vowels are all nearly as loud as the line's; (1, n) of `own` (n,).

    The model fades the first and the last word of a sentence, and in a song these would not be heard.
    """
    spans = list(zip(tokens, _spans(bounds), strict=True))
    vowels = [own[first:end] for token, (first, end) in spans if token.part is Part.NUCLEUS]
    middle = float(np.percentile(np.concatenate(vowels), MIDDLE_PERCENTILE)) if vowels else 0.0
    floor = np.full(len(own), NONE)
    for token, (first, end) in spans:
        if token.part is Part.NUCLEUS:
            floor[first:end] = middle - VOWEL_BELOW_MIDDLE
        elif token.part in (Part.ONSET, Part.CODA):
            floor[first:end] = middle - CONSONANT_BELOW_MIDDLE
    window = np.hanning(SOFTENED)
    soft = np.convolve(np.maximum(floor, -6), window / window.sum(), "same")
    return np.maximum(own, np.where(floor > NONE, soft, NONE)).astype(np.float32)[None]


def _spans(bounds: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where each token is heard, in half frames."""
    for first, end in pairwise(bounds[1:-1]):
        yield max(2 * first - SHIFT, 0), max(2 * end - SHIFT, 0)
