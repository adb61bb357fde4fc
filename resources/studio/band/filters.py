"""Filtering long sounds in pieces, by FFT. Pure, numpy only."""

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 16


def convolved(samples: NDArray[np.float32], kernel: NDArray[np.floating]) -> NDArray[np.float32]:
    """`samples` (n,) filtered by `kernel` (m,), cut to n samples: overlap-add over blocks of `BLOCK`."""
    size = 1 << (BLOCK + len(kernel) - 2).bit_length()
    spectrum = np.fft.rfft(kernel, size)
    out = np.zeros(len(samples) + size, np.float32)
    for first in range(0, len(samples), BLOCK):
        piece = samples[first : first + BLOCK]
        out[first : first + size] += np.fft.irfft(np.fft.rfft(piece, size) * spectrum, size)
    return out[: len(samples)]


def biquad_kernel(b: tuple[float, ...], a: tuple[float, ...], length: int) -> NDArray[np.float64]:
    """The impulse response of a recursive filter, its first `length` samples.

    `length` has to outlast the filter's ringing, because the rest folds back onto the start.
    """
    turns = np.exp(-2j * np.pi * np.fft.rfftfreq(length))
    response = np.polyval(b[::-1], turns) / np.polyval(a[::-1], turns)
    return np.fft.irfft(response, length)
