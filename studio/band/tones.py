"""Single tones, from which instruments are made. Pure, numpy only.

They are read from single-cycle tables that hold no harmonic above the top of hearing, so nothing aliases.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from studio.sound import RATE, Samples, to_hertz

TABLE = 2048
TOP_HZ = 14_000.0
VIBRATO_HERTZ = 5.4


@lru_cache(maxsize=512)
def _build_table(shape: str, harmonics: int) -> Samples:
    """Return one cycle of a waveform with that many harmonics, peak 1."""
    number = np.arange(1, harmonics + 1)
    strengths = {
        "saw": 1.0 / number,
        "bowed": 1.0 / number**1.3,
        "soft": 1.0 / number**1.9,
        "mellow": np.where(number <= 6, 1.0 / number**2.2, 0.0),
        "organ": np.where(np.isin(number, (1, 2, 3, 4, 6, 8)), 1.0 / np.sqrt(number), 0.0),
    }[shape]
    return make_cycle(-1j * strengths)


def make_cycle(harmonics: NDArray[np.complex128]) -> Samples:
    """Return one cycle of these harmonics, the first one first, peak 1."""
    spectrum = np.zeros(TABLE // 2 + 1, np.complex128)
    spectrum[1 : len(harmonics) + 1] = harmonics
    cycle = np.fft.irfft(spectrum)
    return (cycle / np.abs(cycle).max()).astype(np.float32)


def make_tone(
    shape: str,
    frequency: float,
    seconds: float,
    vibrato: float = 0.0,
    phase: float = 0.0,
    top: float = TOP_HZ,
) -> Samples:
    """Make a steady tone, float32 of shape (n,), without harmonics above `top` Hz.

    `vibrato` is its depth as a share of the frequency, `phase` where in its cycle it begins.
    """
    count = int(seconds * RATE)
    harmonics = max(1, min(TABLE // 2 - 1, 80, int(top / frequency)))
    turns = np.arange(count, dtype=np.float64) * (frequency / RATE) + phase
    if vibrato:
        swing = np.sin(np.arange(count) * (2 * np.pi * VIBRATO_HERTZ / RATE))
        grown = np.minimum(1.0, np.arange(count) / (0.35 * RATE))
        turns += swing * grown * (vibrato * frequency / (2 * np.pi * VIBRATO_HERTZ))
    return _build_table(shape, harmonics)[(turns * TABLE).astype(np.int64) % TABLE]


def list_moments(seconds: float) -> Samples:
    """Return the time of every sample, in seconds."""
    return np.arange(int(seconds * RATE), dtype=np.float32) / np.float32(RATE)


def make_decay(seconds: float, rate: float) -> Samples:
    """Return a curve that falls from 1, by e for every 1 / `rate` seconds."""
    return np.exp(np.float32(-rate) * list_moments(seconds))


def shape_tone(samples: Samples, attack: float, release: float, decay: float = 0.0) -> Samples:
    """Fade the samples (n,) or (n, 2) in and out, over seconds, dying away at `decay` per second."""
    seconds = np.arange(len(samples), dtype=np.float32) / np.float32(RATE)
    curve = np.minimum(1.0, seconds / max(attack, 1e-3))
    curve *= np.minimum(1.0, (len(samples) / RATE - seconds) / max(release, 1e-3))
    curve *= np.exp(-decay * seconds)
    return samples * curve.astype(np.float32).reshape(-1, *(1,) * (samples.ndim - 1))


def sum_partials(
    pitch: int, seconds: float, ratios: tuple[tuple[float, float, float], ...]
) -> Samples:
    """Add sines at (ratio, level, decay per second), as of a struck thing."""
    time = np.arange(int(seconds * RATE)) / RATE
    total = np.zeros(len(time))
    for ratio, level, decay in ratios:
        if to_hertz(pitch) * ratio < TOP_HZ:
            wave = np.sin(2 * np.pi * to_hertz(pitch) * ratio * time)
            wave *= level * np.exp(-decay * time)
            total += wave
    return total.astype(np.float32)


def modulate(pitch: int, seconds: float, ratio: float, index: float, index_decay: float) -> Samples:
    """Make a sine whose phase another of `ratio` times its frequency bends, less and less."""
    time = np.arange(int(seconds * RATE)) / RATE
    phase = 2 * np.pi * to_hertz(pitch) * time
    bend = index * np.exp(-index_decay * time) * np.sin(ratio * phase)
    return np.sin(phase + bend).astype(np.float32)


def make_ensemble(
    shape: str, pitch: int, seconds: float, detunes: tuple[float, ...], top: float = TOP_HZ
) -> Samples:
    """Pan several detuned tones left and right in turn: float32 of shape (n, 2)."""
    sides = np.zeros((int(seconds * RATE), 2), np.float32)
    for number, detune in enumerate(detunes):
        sides[:, number % 2] += make_tone(
            shape, to_hertz(pitch) * detune, seconds, phase=0.37 * number, top=top
        )
    return sides / np.float32(len(detunes) / 2)


def make_noise(seconds: float, seed: int) -> Samples:
    """Make white noise, always the same for a seed."""
    return np.random.default_rng(seed).standard_normal(int(seconds * RATE), np.float32)


def brighten(samples: Samples, times: int) -> Samples:
    """Take away the samples' lows by differencing; their level is about kept."""
    for _ in range(times):
        samples = np.diff(samples, prepend=np.float32(0)) * np.float32(0.7)
    return samples
