"""Sound as numbers: float32 in [-1, 1] at 44.1 kHz, (n,) for one channel and (n, 2) for two."""

import numpy as np
from numpy.typing import NDArray

RATE = 44_100

Samples = NDArray[np.float32]


def hertz(pitch: float) -> float:
    """The frequency of a MIDI pitch number (69 = 440 Hz); fractions of a semitone are allowed."""
    return float(440.0 * 2.0 ** ((pitch - 69) / 12.0))


def add_at(song: Samples, first: int, samples: Samples) -> None:
    """Add samples (n,) to the song from its sample `first` on, which may be before 0, as far as it lasts."""
    cut = max(0, -first)
    room = song[first + cut :]
    part = samples[cut : cut + len(room)]
    room[: len(part)] += part
