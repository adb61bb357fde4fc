"""Measuring a voice: its pitch by YIN (de Cheveigne and Kawahara 2002), and when it begins. numpy only."""

import numpy as np
from numpy.typing import NDArray

from studio.sound import RATE, Samples

LOWEST_HZ, HIGHEST_HZ = 65.0, 1_000.0
FRAME_SECONDS, HOP_SECONDS = 0.05, 0.01
THRESHOLD, HOARSE = 0.05, 0.3
HEARD_HZ = 1_500.0


def measure_pitches(samples: Samples, start: float, end: float) -> NDArray[np.float64]:
    """Measure the pitch between two moments as MIDI numbers, (n,), in frames of 50 ms every 10 ms.

    Frames without a period are left out.
    """
    samples = filter_low(samples)
    width = int(FRAME_SECONDS * RATE)
    firsts = range(round(start * RATE), round(end * RATE) - width, int(HOP_SECONDS * RATE))
    found = [_measure_hertz(samples[first : first + width].astype(np.float64)) for first in firsts]
    return np.array([69 + 12 * np.log2(hertz / 440) for hertz in found if hertz])


def filter_low(samples: Samples) -> Samples:
    """Remove everything above 1500 Hz; formants high above the tone only mislead."""
    spectrum = np.fft.rfft(samples)
    spectrum[int(HEARD_HZ * len(samples) / RATE) :] = 0
    return np.fft.irfft(spectrum, len(samples)).astype(np.float32)


def _measure_hertz(frame: NDArray[np.float64]) -> float:
    """Return the pitch in Hz by the first lag with a small cumulative mean normalised difference; 0 for noise."""
    longest = int(RATE / LOWEST_HZ)
    width = len(frame) - longest
    size = 1 << (len(frame) + width).bit_length()
    products = np.fft.irfft(np.fft.rfft(frame, size) * np.conj(np.fft.rfft(frame[:width], size)))[
        : longest + 1
    ]
    sums = np.concatenate([[0.0], np.cumsum(frame**2)])
    energy = sums[width : width + longest + 1] - sums[: longest + 1]
    difference = np.maximum(energy[0] + energy - 2 * products, 0)
    means = np.cumsum(difference[1:]) / np.arange(1, longest + 1)
    normal = np.concatenate([[1.0], difference[1:] / np.maximum(means, 1e-12)])
    lag = int(RATE / HIGHEST_HZ)
    best = normal[lag:longest].min()
    if best > HOARSE:
        return 0.0
    while normal[lag] > best + THRESHOLD:
        lag += 1
    while lag < longest - 1 and normal[lag + 1] < normal[lag]:
        lag += 1
    left, middle, right = normal[lag - 1 : lag + 2]
    bend = left - 2 * middle + right
    return float(RATE / (lag + (0.5 * (left - right) / bend if bend else 0.0)))


def compute_loudness(samples: Samples, window: float = 0.005) -> NDArray[np.float64]:
    """Return the root mean square around every sample."""
    width = round(window * RATE)
    sums = np.cumsum(np.pad(np.square(samples, dtype=np.float64), (width // 2 + 1, width)))
    return np.sqrt(np.maximum(sums[width:] - sums[:-width], 0)[: len(samples)] / width)


def find_onset(samples: Samples, start: float, end: float, share: float = 0.1) -> float:
    """Return the first moment from `start` with at least `share` of the greatest loudness before `end`."""
    first = round(start * RATE)
    loud = compute_loudness(samples[first : round(end * RATE)])
    return start + float(np.argmax(loud >= share * loud.max())) / RATE


def find_crossing(samples: Samples, moment: float, before: float, after: float) -> float:
    """Return when the pitch passes the middle of two MIDI numbers, near `moment`."""
    samples = filter_low(samples)
    step, width = 0.002, 0.03
    middle = (before + after) / 2
    for centre in np.arange(moment - 0.12, moment + 0.12, step):
        first = round((centre - width / 2) * RATE)
        hertz = _measure_hertz(samples[first : first + round(width * RATE)].astype(np.float64))
        if hertz and (69 + 12 * np.log2(hertz / 440) - middle) * (after - before) > 0:
            return float(centre)
    return float("inf")
