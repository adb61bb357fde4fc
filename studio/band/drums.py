"""The drum kits: noise, falling sines and clashing squares. Pure, numpy only."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from studio.band.tones import bright, fading, moments, noise
from studio.samples import RATE, Samples

Stroke = Callable[[], Samples]

METAL_HERTZ = (2053.0, 3044.0, 3696.0, 5227.0, 5400.0, 8007.0)
"""Six frequencies without a common measure, in the manner of early drum machines."""


def _falling(seconds: float, high: float, low: float, rate: float) -> Samples:
    """A sine that falls from `high` to `low` Hz."""
    time = moments(seconds)
    phase = 2 * np.pi * (low * time + (high - low) / rate * (1 - np.exp(-rate * time)))
    return np.sin(phase).astype(np.float32)


def kick(seconds: float, high: float, low: float, decay: float, click: float) -> Samples:
    """A falling sine with a click."""
    body = _falling(seconds, high, low, 36) * fading(seconds, decay)
    struck = np.tanh(1.5 * body) + click * noise(seconds, 1) * fading(seconds, 700)
    return (0.9 * struck).astype(np.float32)


def snare(body: float, decay: float, wires: float) -> Samples:
    """Two modes of a skin, and wires under it."""
    seconds = 0.32
    skin = _falling(seconds, 240, 185, 60) + 0.5 * _falling(seconds, 380, 332, 60)
    hiss = bright(noise(seconds, 2), 1) + 0.4 * bright(noise(seconds, 12), 2)
    rattle = hiss * (0.6 * fading(seconds, decay) + 0.5 * fading(seconds, 3.5 * decay))
    return (body * skin * fading(seconds, 26) + wires * rattle).astype(np.float32)


def clap() -> Samples:
    """Four bursts of noise in a hurry."""
    sound = bright(noise(0.26, 3), 1)
    time = moments(0.26)
    bursts = sum(
        np.where(time >= first, np.exp(-160 * (time - first)), 0) for first in (0.0, 0.011, 0.021)
    )
    tail = np.where(time >= 0.03, np.exp(-22 * (time - 0.03)), 0)
    return (0.42 * sound * (0.7 * bursts + tail)).astype(np.float32)


def rim(level: float = 0.35) -> Samples:
    """A stick on the rim."""
    time = moments(0.06)
    ring = np.sin(2 * np.pi * 1150 * time) + 0.6 * np.sin(2 * np.pi * 1730 * time)
    return (level * ring * np.exp(-75 * time)).astype(np.float32)


def cymbal(seconds: float, decay: float, level: float, noisy: float) -> Samples:
    """Clashing squares and hiss, only their highs."""
    time = moments(seconds)
    clash = sum(np.sign(np.sin(2 * np.pi * hertz * time)) for hertz in METAL_HERTZ) / 6
    hiss = noise(seconds, int(100 * decay))
    mixed = bright(np.asarray(clash, np.float32) * (1 - noisy) + noisy * 0.6 * hiss, 3)
    struck = np.minimum(1, time / 0.0015) * np.exp(-decay * time)
    return (level * mixed * struck).astype(np.float32)


def shaker(level: float = 0.16) -> Samples:
    """Seeds in a box: it swells before it dies."""
    seconds = 0.12
    swell = np.minimum(1, moments(seconds) / 0.04)
    return (level * bright(noise(seconds, 6), 2) * swell * fading(seconds, 30)).astype(np.float32)


def tom(high: float, low: float) -> Samples:
    """A skin that gives way."""
    seconds = 0.4
    struck = 0.06 * noise(seconds, 8) * fading(seconds, 60)
    return (0.75 * _falling(seconds, high, low, 14) * fading(seconds, 9) + struck).astype(
        np.float32
    )


def ride() -> Samples:
    """A wide cymbal, struck near its edge: a ping, and a wash that lasts."""
    ping = cymbal(0.9, 5.5, 0.20, 0.15)
    time = moments(0.9)
    bow = sum(np.sin(2 * np.pi * hertz * time) for hertz in (3_170.0, 4_410.0, 6_230.0)) / 3
    return (ping + 0.05 * bow * np.exp(-14 * time)).astype(np.float32)


def brush(seconds: float, swell: float) -> Samples:
    """Wires that sweep over a skin; a short swell is a tap."""
    time = moments(seconds)
    sound = bright(noise(seconds, 14), 1) + 0.5 * noise(seconds, 15)
    curve = np.minimum(1, time / swell) * np.clip((seconds - time) / (seconds - swell), 0, 1) ** 2
    return (0.16 * sound * curve).astype(np.float32)


def box(low: float, decay: float, wood: float) -> Samples:
    """A wooden box: struck in its middle it is low, at its edge its snares rattle."""
    seconds = 0.28
    front = _falling(seconds, 1.35 * low, low, 40) * fading(seconds, decay)
    edge = _falling(seconds, 460, 390, 50) * fading(seconds, 45)
    rattle = (bright(noise(seconds, 16), 1) + 0.3 * noise(seconds, 17)) * fading(seconds, 32)
    return (0.85 * (1 - wood) * front + wood * (0.45 * edge + 0.34 * rattle)).astype(np.float32)


def crackle() -> Samples:
    """Dust in the groove of a record, for two seconds."""
    seconds = 2.0
    chance = np.random.default_rng(18)
    dust = np.where(chance.random(int(seconds * RATE)) < 0.0006, chance.uniform(-1, 1), 0.0)
    clicks = np.convolve(
        dust.astype(np.float32), np.array([1, -0.8, 0.4, -0.2], np.float32), "same"
    )
    return (0.5 * clicks + 0.006 * noise(seconds, 19)).astype(np.float32)


def riser(seconds: float = 1.6) -> Samples:
    """Noise that swells and grows brighter until something begins."""
    time = moments(seconds) / np.float32(seconds)
    dark, light = noise(seconds, 9), bright(noise(seconds, 10), 2)
    dark = np.convolve(dark, np.full(12, 1 / 6, np.float32), "same")
    return (0.22 * time**2 * ((1 - time) * dark + time * light)).astype(np.float32)


def boom() -> Samples:
    """The low blow of a drop."""
    return (0.6 * _falling(1.2, 70, 32, 3) * fading(1.2, 3.2)).astype(np.float32)


_COMMON: Mapping[str, Stroke] = {
    "clap": clap,
    "rim": rim,
    "hat": partial(cymbal, 0.07, 70.0, 0.42, 0.5),
    "open": partial(cymbal, 0.30, 13.0, 0.36, 0.5),
    "crash": partial(cymbal, 1.9, 2.4, 0.46, 0.65),
    "shaker": shaker,
    "tambourine": partial(cymbal, 0.16, 26.0, 0.28, 0.2),
    "tom": partial(tom, 210.0, 130.0),
    "low_tom": partial(tom, 140.0, 82.0),
    "riser": riser,
    "boom": boom,
}
KITS: dict[str, Mapping[str, Stroke]] = {
    "tight": {
        **_COMMON,
        "kick": partial(kick, 0.28, 165.0, 50.0, 11.0, 0.25),
        "snare": partial(snare, 0.42, 20.0, 0.36),
    },
    "soft": {
        **_COMMON,
        "kick": partial(kick, 0.30, 105.0, 48.0, 10.0, 0.06),
        "snare": partial(snare, 0.22, 13.0, 0.26),
    },
    "club": {
        **_COMMON,
        "kick": partial(kick, 0.34, 230.0, 47.0, 8.0, 0.30),
        "snare": partial(snare, 0.30, 16.0, 0.38),
    },
    "brushes": {
        **_COMMON,
        "kick": partial(kick, 0.26, 90.0, 52.0, 13.0, 0.02),
        "snare": partial(brush, 0.14, 0.006),
        "sweep": partial(brush, 0.42, 0.22),
        "ride": ride,
        "hat": partial(cymbal, 0.06, 80.0, 0.26, 0.5),
        "crash": partial(cymbal, 1.6, 3.2, 0.26, 0.5),
    },
    "samba": {
        **_COMMON,
        "kick": partial(kick, 0.34, 86.0, 54.0, 9.0, 0.02),
        "shaker": partial(shaker, 0.55),
        "rim": partial(rim, 0.8),
        "snare": partial(brush, 0.14, 0.006),
        "hat": partial(cymbal, 0.05, 90.0, 0.24, 0.5),
        "crash": partial(cymbal, 1.8, 3.0, 0.22, 0.7),
    },
    "box": {
        **_COMMON,
        "kick": partial(box, 78.0, 17.0, 0.10),
        "shaker": partial(shaker, 0.26),
        "snare": partial(box, 110.0, 30.0, 0.85),
        "rim": partial(box, 150.0, 60.0, 0.5),
        "crash": partial(cymbal, 1.2, 5.0, 0.14, 0.8),
    },
    "dusty": {
        **_COMMON,
        "kick": partial(kick, 0.36, 120.0, 46.0, 8.5, 0.30),
        "snare": partial(snare, 0.55, 25.0, 0.43),
        "hat": partial(cymbal, 0.06, 85.0, 0.30, 0.75),
        "crackle": crackle,
    },
    "live": {
        **_COMMON,
        "kick": partial(kick, 0.24, 130.0, 58.0, 14.0, 0.40),
        "snare": partial(snare, 0.50, 14.0, 0.44),
    },
}
