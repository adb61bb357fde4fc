"""How loud a programme is: ITU-R BS.1770-4 integrated loudness, and its true peak. Pure, numpy only."""

import numpy as np
from numpy.typing import NDArray

from studio.band.filters import biquad_kernel, convolved

BLOCK_SECONDS = 0.4
HOPS_PER_BLOCK = 4
ABSOLUTE_GATE = -70.0
RELATIVE_GATE = -10.0
OFFSET = -0.691
RINGING_SECONDS = 0.15
OVERSAMPLING = 4
PEAK_BLOCK, PEAK_MARGIN = 1 << 14, 1 << 8


def integrated_loudness(samples: NDArray[np.float32], rate: int) -> float:
    """The gated loudness in LUFS of samples (n, channels), full scale 1.0; -inf for silence.

    Source: ITU-R BS.1770-4, annex 1: K-weighting, mean square per channel (weights 1 for left and right),
    blocks of 400 ms with 75 % overlap, gates at -70 LUFS and 10 LU below what passes that.
    """
    kernel = _k_weighting(rate)
    hop = int(BLOCK_SECONDS / HOPS_PER_BLOCK * rate)
    power: NDArray[np.float64] = np.zeros(len(samples) // hop)
    for channel in samples.T:
        weighted = convolved(channel, kernel)[: len(power) * hop]
        power += np.square(weighted, dtype=np.float64).reshape(-1, hop).mean(axis=1)
    if len(power) < HOPS_PER_BLOCK:
        return float("-inf")
    blocks = np.convolve(power, np.full(HOPS_PER_BLOCK, 1 / HOPS_PER_BLOCK), "valid")
    audible = blocks[blocks > 10 ** ((ABSOLUTE_GATE - OFFSET) / 10)]
    if not len(audible):
        return float("-inf")
    return _lufs(audible[audible > audible.mean() * 10 ** (RELATIVE_GATE / 10)].mean())


def true_peak(samples: NDArray[np.float32]) -> float:
    """The highest level between the samples, linear: four times oversampled (BS.1770-4, annex 2)."""
    return float(true_peaks(samples, PEAK_BLOCK).max(initial=0.0))


def true_peaks(samples: NDArray[np.float32], block: int) -> NDArray[np.float32]:
    """The true peak of every `block` samples (n, channels), of which a power of two is asked."""
    count = -(-len(samples) // block)
    highest = np.zeros(-(-len(samples) // PEAK_BLOCK) * (PEAK_BLOCK // block), np.float32)
    for channel in samples.T:
        padded = np.pad(channel, (PEAK_MARGIN, PEAK_BLOCK + PEAK_MARGIN))
        for first in range(0, len(channel), PEAK_BLOCK):
            piece = padded[first : first + PEAK_BLOCK + 2 * PEAK_MARGIN]
            fine = np.fft.irfft(np.fft.rfft(piece), OVERSAMPLING * len(piece)) * OVERSAMPLING
            inner = np.abs(fine[OVERSAMPLING * PEAK_MARGIN : -OVERSAMPLING * PEAK_MARGIN])
            part = highest[first // block :][: PEAK_BLOCK // block]
            np.maximum(part, inner.reshape(len(part), -1).max(axis=1), out=part)
    return highest[:count]


def _lufs(power: float) -> float:
    return float(OFFSET + 10 * np.log10(power))


def _k_weighting(rate: int) -> NDArray[np.float64]:
    """The impulse response of both K-weighting filters, for any sampling rate.

    The standard tabulates coefficients at 48 kHz only; these are the analogue prototypes that give them
    (high shelf +4 dB at 1682 Hz, high pass at 38 Hz), as in the reference meters of EBU R 128.
    """
    length = 1 << int(RINGING_SECONDS * rate).bit_length()
    shelf, cut = _high_shelf(rate), _high_pass(rate)
    spectra = [np.fft.rfft(biquad_kernel(b, a, length)) for b, a in (shelf, cut)]
    return np.fft.irfft(spectra[0] * spectra[1], length)


def _high_shelf(rate: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    k = np.tan(np.pi * 1681.974450955533 / rate)
    q, high = 0.7071752369554196, 10 ** (3.999843853973347 / 20)
    middle = high**0.4996667741545416
    norm = 1 + k / q + k * k
    b = (high + middle * k / q + k * k, 2 * (k * k - high), high - middle * k / q + k * k)
    a = (1.0, 2 * (k * k - 1) / norm, (1 - k / q + k * k) / norm)
    return tuple(float(value / norm) for value in b), a


def _high_pass(rate: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    k = np.tan(np.pi * 38.13547087602444 / rate)
    q = 0.5003270373238773
    norm = 1 + k / q + k * k
    return (1.0, -2.0, 1.0), (1.0, 2 * (k * k - 1) / norm, (1 - k / q + k * k) / norm)
