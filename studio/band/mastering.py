"""The last step: a mix made as loud as it is published, under its ceiling. Pure, numpy only."""

import numpy as np
from numpy.typing import NDArray

from studio.band.loudness import integrated_loudness, true_peak, true_peaks
from studio.samples import RATE, Samples

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


def faded(track: Samples, seconds: float) -> None:
    """Let the track start and end in silence; its end takes that long."""
    opening = min(len(track), int(FADE_IN_SECONDS * RATE))
    ending = min(len(track), int(seconds * RATE))
    track[:opening] *= np.linspace(0, 1, opening, dtype=np.float32)[:, None]
    track[-ending:] *= np.linspace(1, 0, ending, dtype=np.float32)[:, None] ** 1.5


def mastered(mix: Samples) -> tuple[Samples, float]:
    """The mix at `TARGET_LUFS` and under `CEILING`, and by how much it was amplified before its limiter."""
    gain, reached = 1.0, mix.copy()
    peaks = true_peaks(mix, LIMITER_BLOCK)
    loudness = integrated_loudness(mix, RATE)
    for _ in range(PASSES):
        if not np.isfinite(loudness):
            break
        gain *= 10 ** ((TARGET_LUFS - loudness) / 20)
        np.multiply(mix, np.float32(gain), out=reached)
        _limit(reached, peaks * gain)
        loudness = integrated_loudness(reached, RATE)
        if abs(loudness - TARGET_LUFS) < CLOSE_ENOUGH:
            break
    under = min(1.0, CEILING / max(true_peak(reached), 1e-9))
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
