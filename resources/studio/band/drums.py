"""The drum kit: noise and falling sines. Pure, numpy only."""

import numpy as np

from resources.studio.samples import RATE, Samples


def _noise(seconds: float, seed: int) -> Samples:
    return np.random.default_rng(seed).standard_normal(int(seconds * RATE)).astype(np.float32)


def _decay(count: int, rate: float) -> Samples:
    return np.exp(-rate * np.arange(count, dtype=np.float32) / RATE)


def _bright(noise: Samples, times: int) -> Samples:
    """The noise with its lows taken away, by differencing; its level kept."""
    for _ in range(times):
        noise = np.diff(noise, prepend=np.float32(0)) * np.float32(0.7)
    return noise


def kick() -> Samples:
    """A sine that falls from 150 to 48 Hz, with a click."""
    moments = np.arange(int(0.32 * RATE)) / RATE
    phase = 2 * np.pi * (48 * moments + (150 - 48) / 34 * (1 - np.exp(-34 * moments)))
    body = np.sin(phase) * np.exp(-9 * moments)
    click = _noise(0.32, 1) * np.exp(-900 * moments) * 0.3
    return (body + click).astype(np.float32)


def snare() -> Samples:
    """A short tone under bright noise."""
    noise = _bright(_noise(0.2, 2), 1) * _decay(int(0.2 * RATE), 22)
    ring = np.sin(2 * np.pi * 192 * np.arange(len(noise)) / RATE) * _decay(len(noise), 30)
    return (0.42 * noise + 0.5 * ring).astype(np.float32)


def clap() -> Samples:
    """Four bursts of noise in a hurry."""
    noise = _bright(_noise(0.24, 3), 1)
    moments = np.arange(len(noise)) / RATE
    bursts = sum(
        np.where(moments >= t, np.exp(-160 * (moments - t)), 0) for t in (0.0, 0.011, 0.021)
    )
    tail = np.where(moments >= 0.03, np.exp(-24 * (moments - 0.03)), 0)
    return (0.36 * noise * (0.7 * bursts + tail)).astype(np.float32)


def rim() -> Samples:
    """A stick on the rim."""
    moments = np.arange(int(0.06 * RATE)) / RATE
    ring = np.sin(2 * np.pi * 1150 * moments) + 0.6 * np.sin(2 * np.pi * 1730 * moments)
    return (0.4 * ring * np.exp(-75 * moments)).astype(np.float32)


def hat() -> Samples:
    """A closed hi-hat."""
    return 0.16 * _bright(_noise(0.06, 4), 3) * _decay(int(0.06 * RATE), 75)


def open_hat() -> Samples:
    """An open hi-hat."""
    return 0.15 * _bright(_noise(0.22, 5), 3) * _decay(int(0.22 * RATE), 16)


def shaker() -> Samples:
    """Seeds in a box: it swells before it dies."""
    noise = _bright(_noise(0.12, 6), 2)
    rise = np.minimum(1, np.arange(len(noise)) / (0.04 * RATE))
    return (0.13 * noise * rise * _decay(len(noise), 30)).astype(np.float32)


def crash() -> Samples:
    """A cymbal."""
    return 0.2 * _bright(_noise(1.6, 7), 2) * _decay(int(1.6 * RATE), 2.6)


KIT = {
    "kick": kick,
    "snare": snare,
    "clap": clap,
    "rim": rim,
    "hat": hat,
    "open": open_hat,
    "shaker": shaker,
    "crash": crash,
}
