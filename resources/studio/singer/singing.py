"""The sung part of a song."""

from collections.abc import Sequence

from resources.studio.samples import RATE, Samples
from resources.studio.singer.phrase import Phrase


def sing(phrases: Sequence[Phrase], language: str, voice: str, seconds: float) -> Samples:
    """The voice alone, dry, float32 (n,) of that length; the same arguments give the same samples.

    `language` is Korean or English, `voice` the name of one of `VOICES`.
    """
    import numpy as np

    return np.zeros(round(seconds * RATE), np.float32)
