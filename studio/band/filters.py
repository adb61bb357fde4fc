"""Filtering long sounds in pieces, by FFT. Pure, numpy only."""

import numpy as np
from numpy.typing import NDArray

SMALLEST_FFT = 1 << 15

Coefficients = tuple[tuple[float, ...], tuple[float, ...]]
"""A recursive filter's b and a, the first of a being 1."""


def convolved(samples: NDArray[np.float32], kernel: NDArray[np.floating]) -> NDArray[np.float32]:
    """`samples` (n,) filtered by `kernel` (m,), cut to n samples: overlap-add over blocks."""
    size = max(SMALLEST_FFT, 1 << (2 * len(kernel) - 1).bit_length())
    block = size - len(kernel) + 1
    spectrum = np.fft.rfft(kernel.astype(np.float32), size)
    out = np.zeros(len(samples) + size, np.float32)
    for first in range(0, len(samples), block):
        piece = samples[first : first + block].astype(np.float32)
        out[first : first + size] += np.fft.irfft(np.fft.rfft(piece, size) * spectrum, size)
    return out[: len(samples)]


def biquad_kernel(b: tuple[float, ...], a: tuple[float, ...], length: int) -> NDArray[np.float64]:
    """The impulse response of a recursive filter, its first `length` samples.

    `length` has to outlast the filter's ringing, because the rest folds back onto the start.
    """
    turns = np.exp(-2j * np.pi * np.fft.rfftfreq(length))
    response = np.polyval(b[::-1], turns) / np.polyval(a[::-1], turns)
    return np.fft.irfft(response, length)


def in_series(filters: tuple[Coefficients, ...], length: int) -> NDArray[np.float64]:
    """The impulse response of recursive filters one after the other, its first `length` samples."""
    spectra = [np.fft.rfft(biquad_kernel(b, a, length)) for b, a in filters]
    return np.fft.irfft(np.prod(spectra, axis=0), length)


def peaking(hertz: float, decibels: float, q: float, rate: int) -> Coefficients:
    """A bell. Source: R. Bristow-Johnson, Audio EQ Cookbook, peakingEQ."""
    turn, amplitude = 2 * np.pi * hertz / rate, 10 ** (decibels / 40)
    alpha, middle = np.sin(turn) / (2 * q), -2 * np.cos(turn)
    b = (1 + alpha * amplitude, middle, 1 - alpha * amplitude)
    return _normalised(b, (1 + alpha / amplitude, middle, 1 - alpha / amplitude))


def low_pass(hertz: float, q: float, rate: int) -> Coefficients:
    """Twelve decibels per octave less above. Source: Audio EQ Cookbook, LPF."""
    turn = 2 * np.pi * hertz / rate
    alpha, cosine = np.sin(turn) / (2 * q), np.cos(turn)
    b = ((1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2)
    return _normalised(b, (1 + alpha, -2 * cosine, 1 - alpha))


def high_pass(hertz: float, q: float, rate: int) -> Coefficients:
    """Twelve decibels per octave less below. Source: Audio EQ Cookbook, HPF."""
    turn = 2 * np.pi * hertz / rate
    alpha, cosine = np.sin(turn) / (2 * q), np.cos(turn)
    b = ((1 + cosine) / 2, -1 - cosine, (1 + cosine) / 2)
    return _normalised(b, (1 + alpha, -2 * cosine, 1 - alpha))


def _normalised(b: tuple[float, ...], a: tuple[float, ...]) -> Coefficients:
    return tuple(float(value / a[0]) for value in b), tuple(float(value / a[0]) for value in a)
