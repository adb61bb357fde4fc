"""Filters, the loudness of a mix by ITU-R BS.1770-4, and the master. Pure, numpy only."""

import numpy as np
from numpy.typing import NDArray

from studio.sound import RATE, Samples

SMALLEST_FFT = 1 << 15
Coefficients = tuple[tuple[float, ...], tuple[float, ...]]
"""A recursive filter's b and a, the first of a being 1."""
BLOCK_SECONDS = 0.4
HOPS_PER_BLOCK = 4
ABSOLUTE_GATE = -70.0
RELATIVE_GATE = -10.0
OFFSET = -0.691
RINGING_SECONDS = 0.15
OVERSAMPLING = 4
PEAK_BLOCK, PEAK_MARGIN = 1 << 14, 1 << 8
TARGET_LUFS = -14.0
# A film's sound is limited so, too: AAC, which raises peaks by a quarter of a decibel, stays under -1 dBTP.
CEILING = 10 ** (-1.6 / 20)
LIMIT = 10 ** (-1.7 / 20)
PASSES = 3
CLOSE_ENOUGH = 0.2
LIMITER_BLOCK = 64
LIMITER_REACH = 16
STRETCH = 1 << 18
FADE_IN_SECONDS = 0.004


def convolve(samples: NDArray[np.float32], kernel: NDArray[np.floating]) -> NDArray[np.float32]:
    """Filter `samples` (n,) by `kernel` (m,), cut to n samples: overlap-add over blocks."""
    size = max(SMALLEST_FFT, 1 << (2 * len(kernel) - 1).bit_length())
    block = size - len(kernel) + 1
    spectrum = np.fft.rfft(kernel.astype(np.float32), size)
    out = np.zeros(len(samples) + size, np.float32)
    for first in range(0, len(samples), block):
        piece = samples[first : first + block].astype(np.float32)
        out[first : first + size] += np.fft.irfft(np.fft.rfft(piece, size) * spectrum, size)
    return out[: len(samples)]


def chain_filters(filters: tuple[Coefficients, ...], length: int) -> NDArray[np.float64]:
    """Return the impulse response of recursive filters one after the other, its first `length` samples.

    `length` has to outlast the filters' ringing, because the rest folds back onto the start.
    """
    turns = np.exp(-2j * np.pi * np.fft.rfftfreq(length))
    spectra = [
        np.fft.rfft(np.fft.irfft(np.polyval(b[::-1], turns) / np.polyval(a[::-1], turns), length))
        for b, a in filters
    ]
    return np.fft.irfft(np.prod(spectra, axis=0), length)


def design_bell(hertz: float, decibels: float, q: float) -> Coefficients:
    """Design a bell. Source: R. Bristow-Johnson, Audio EQ Cookbook, peakingEQ."""
    turn, amplitude = 2 * np.pi * hertz / RATE, 10 ** (decibels / 40)
    alpha, middle = np.sin(turn) / (2 * q), -2 * np.cos(turn)
    b = (1 + alpha * amplitude, middle, 1 - alpha * amplitude)
    return _normalise(b, (1 + alpha / amplitude, middle, 1 - alpha / amplitude))


def design_low_pass(hertz: float, q: float) -> Coefficients:
    """Design a fall of twelve decibels per octave above. Source: Audio EQ Cookbook, LPF."""
    turn = 2 * np.pi * hertz / RATE
    alpha, cosine = np.sin(turn) / (2 * q), np.cos(turn)
    b = ((1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2)
    return _normalise(b, (1 + alpha, -2 * cosine, 1 - alpha))


def design_high_pass(hertz: float, q: float) -> Coefficients:
    """Design a fall of twelve decibels per octave below. Source: Audio EQ Cookbook, HPF."""
    turn = 2 * np.pi * hertz / RATE
    alpha, cosine = np.sin(turn) / (2 * q), np.cos(turn)
    b = ((1 + cosine) / 2, -1 - cosine, (1 + cosine) / 2)
    return _normalise(b, (1 + alpha, -2 * cosine, 1 - alpha))


def _normalise(b: tuple[float, ...], a: tuple[float, ...]) -> Coefficients:
    return tuple(float(value / a[0]) for value in b), tuple(float(value / a[0]) for value in a)


def measure_loudness(samples: NDArray[np.float32], rate: int) -> float:
    """Return the gated loudness in LUFS of samples (n, channels), full scale 1.0; -inf for silence.

    Source: ITU-R BS.1770-4, annex 1: K-weighting, mean square per channel (weights 1 for left and right),
    blocks of 400 ms with 75 % overlap, gates at -70 LUFS and 10 LU below what passes that.
    """
    kernel = _compute_k_weighting(rate)
    hop = int(BLOCK_SECONDS / HOPS_PER_BLOCK * rate)
    power: NDArray[np.float64] = np.zeros(len(samples) // hop)
    for channel in samples.T:
        weighted = convolve(channel, kernel)[: len(power) * hop]
        power += np.square(weighted, dtype=np.float64).reshape(-1, hop).mean(axis=1)
    if len(power) < HOPS_PER_BLOCK:
        return float("-inf")
    blocks = np.convolve(power, np.full(HOPS_PER_BLOCK, 1 / HOPS_PER_BLOCK), "valid")
    audible = blocks[blocks > 10 ** ((ABSOLUTE_GATE - OFFSET) / 10)]
    if not len(audible):
        return float("-inf")
    heard = audible[audible > audible.mean() * 10 ** (RELATIVE_GATE / 10)]
    return float(OFFSET + 10 * np.log10(heard.mean()))


def measure_peak(samples: NDArray[np.float32]) -> float:
    """Return the highest level between the samples, linear: four times oversampled (BS.1770-4, annex 2)."""
    return float(measure_peaks(samples, PEAK_BLOCK).max(initial=0.0))


def measure_peaks(samples: NDArray[np.float32], block: int) -> NDArray[np.float32]:
    """Return the true peak of every `block` samples (n, channels); `block` is a power of two."""
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


def _compute_k_weighting(rate: int) -> NDArray[np.float64]:
    """Return the impulse response of both K-weighting filters, for any sampling rate.

    The standard tabulates coefficients at 48 kHz only; these are the analogue prototypes that give them
    (high shelf +4 dB at 1682 Hz, high pass at 38 Hz), as in the reference meters of EBU R 128.
    """
    length = 1 << int(RINGING_SECONDS * rate).bit_length()
    return chain_filters((_design_k_shelf(rate), _design_k_cut(rate)), length)


def _design_k_shelf(rate: int) -> Coefficients:
    k = np.tan(np.pi * 1681.974450955533 / rate)
    q, high = 0.7071752369554196, 10 ** (3.999843853973347 / 20)
    middle = high**0.4996667741545416
    norm = 1 + k / q + k * k
    b = (high + middle * k / q + k * k, 2 * (k * k - high), high - middle * k / q + k * k)
    a = (1.0, 2 * (k * k - 1) / norm, (1 - k / q + k * k) / norm)
    return tuple(float(value / norm) for value in b), a


def _design_k_cut(rate: int) -> Coefficients:
    k = np.tan(np.pi * 38.13547087602444 / rate)
    q = 0.5003270373238773
    norm = 1 + k / q + k * k
    return (1.0, -2.0, 1.0), (1.0, 2 * (k * k - 1) / norm, (1 - k / q + k * k) / norm)


def fade_edges(track: Samples, seconds: float) -> None:
    """Let the track start and end in silence; its end takes that long."""
    opening = min(len(track), int(FADE_IN_SECONDS * RATE))
    ending = min(len(track), int(seconds * RATE))
    track[:opening] *= np.linspace(0, 1, opening, dtype=np.float32)[:, None]
    track[-ending:] *= np.linspace(1, 0, ending, dtype=np.float32)[:, None] ** 1.5


def master(mix: Samples) -> tuple[Samples, float]:
    """Return the mix at `TARGET_LUFS` under `CEILING`, and its gain before the limiter."""
    gain, reached = 1.0, mix.copy()
    peaks = measure_peaks(mix, LIMITER_BLOCK)
    loudness = measure_loudness(mix, RATE)
    for _ in range(PASSES):
        if not np.isfinite(loudness):
            break
        gain *= 10 ** ((TARGET_LUFS - loudness) / 20)
        np.multiply(mix, np.float32(gain), out=reached)
        _limit(reached, peaks * gain)
        loudness = measure_loudness(reached, RATE)
        if abs(loudness - TARGET_LUFS) < CLOSE_ENOUGH:
            break
    under = min(1.0, CEILING / max(measure_peak(reached), 1e-9))
    reached *= np.float32(under)
    return reached, gain * under


def _limit(track: Samples, peaks: NDArray[np.floating]) -> None:
    """Turn the peaks above the ceiling down softly, from a little before they come.

    `peaks` has the highest level of every `LIMITER_BLOCK` samples.
    """
    gain = np.minimum(1.0, LIMIT / np.maximum(peaks, 1e-9))
    reach = np.pad(gain, LIMITER_REACH, mode="edge")
    lowest = np.lib.stride_tricks.sliding_window_view(reach, 2 * LIMITER_REACH + 1).min(axis=1)
    window = np.hanning(LIMITER_REACH + 2)[1:-1]
    smooth = np.convolve(
        np.pad(lowest, LIMITER_REACH // 2, mode="edge"), window / window.sum(), "same"
    )
    smooth = smooth[LIMITER_REACH // 2 : LIMITER_REACH // 2 + len(peaks)]
    centres = (np.arange(len(peaks)) + 0.5) * LIMITER_BLOCK
    for first in range(0, len(track), STRETCH):
        part = track[first : first + STRETCH]
        part *= np.interp(np.arange(first, first + len(part)), centres, smooth)[:, None]
