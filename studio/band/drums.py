"""The drum kits: noise, falling sines and clashing squares. Pure, numpy only."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from studio.band.tones import brighten, list_moments, make_decay, make_noise
from studio.sound import RATE, Samples

Stroke = Callable[[], Samples]
METAL_HERTZ = (2053.0, 3044.0, 3696.0, 5227.0, 5400.0, 8007.0)
"""Six frequencies without a common measure, in the manner of early drum machines."""


def _make_fall(seconds: float, high: float, low: float, rate: float) -> Samples:
    """Make a sine that falls from `high` to `low` Hz."""
    time = list_moments(seconds)
    phase = 2 * np.pi * (low * time + (high - low) / rate * (1 - np.exp(-rate * time)))
    return np.sin(phase).astype(np.float32)


def strike_kick(seconds: float, high: float, low: float, decay: float, click: float) -> Samples:
    """Strike a bass drum: a falling sine with a click."""
    body = _make_fall(seconds, high, low, 36) * make_decay(seconds, decay)
    struck = np.tanh(1.5 * body) + click * make_noise(seconds, 1) * make_decay(seconds, 700)
    return (0.9 * struck).astype(np.float32)


def strike_snare(body: float, decay: float, wires: float) -> Samples:
    """Strike a snare drum: two modes of a skin, and wires under it."""
    seconds = 0.32
    skin = _make_fall(seconds, 240, 185, 60) + 0.5 * _make_fall(seconds, 380, 332, 60)
    hiss = brighten(make_noise(seconds, 2), 1) + 0.4 * brighten(make_noise(seconds, 12), 2)
    rattle = hiss * (0.6 * make_decay(seconds, decay) + 0.5 * make_decay(seconds, 3.5 * decay))
    return (body * skin * make_decay(seconds, 26) + wires * rattle).astype(np.float32)


def clap() -> Samples:
    """Clap hands: four bursts of noise in a hurry."""
    sound = brighten(make_noise(0.26, 3), 1)
    time = list_moments(0.26)
    bursts = sum(
        np.where(time >= first, np.exp(-160 * (time - first)), 0) for first in (0.0, 0.011, 0.021)
    )
    tail = np.where(time >= 0.03, np.exp(-22 * (time - 0.03)), 0)
    return (0.42 * sound * (0.7 * bursts + tail)).astype(np.float32)


def strike_rim(level: float = 0.35) -> Samples:
    """Strike a stick on the rim."""
    time = list_moments(0.06)
    ring = np.sin(2 * np.pi * 1150 * time) + 0.6 * np.sin(2 * np.pi * 1730 * time)
    return (level * ring * np.exp(-75 * time)).astype(np.float32)


def strike_cymbal(seconds: float, decay: float, level: float, noisy: float) -> Samples:
    """Strike metal: clashing squares and hiss, only their highs."""
    time = list_moments(seconds)
    clash = sum(np.sign(np.sin(2 * np.pi * hertz * time)) for hertz in METAL_HERTZ) / 6
    hiss = make_noise(seconds, int(100 * decay))
    mixed = brighten(np.asarray(clash, np.float32) * (1 - noisy) + noisy * 0.6 * hiss, 3)
    struck = np.minimum(1, time / 0.0015) * np.exp(-decay * time)
    return (level * mixed * struck).astype(np.float32)


def shake(level: float = 0.16) -> Samples:
    """Shake seeds in a box: the sound swells before it dies."""
    seconds = 0.12
    swell = np.minimum(1, list_moments(seconds) / 0.04)
    sound = level * brighten(make_noise(seconds, 6), 2)
    return (sound * swell * make_decay(seconds, 30)).astype(np.float32)


def strike_tom(high: float, low: float) -> Samples:
    """Strike a skin that gives way."""
    seconds = 0.4
    struck = 0.06 * make_noise(seconds, 8) * make_decay(seconds, 60)
    skin = 0.75 * _make_fall(seconds, high, low, 14) * make_decay(seconds, 9)
    return (skin + struck).astype(np.float32)


def strike_ride() -> Samples:
    """Strike a wide cymbal near its edge: a ping, and a wash that lasts."""
    ping = strike_cymbal(0.9, 5.5, 0.20, 0.15)
    time = list_moments(0.9)
    bow = sum(np.sin(2 * np.pi * hertz * time) for hertz in (3_170.0, 4_410.0, 6_230.0)) / 3
    return (ping + 0.05 * bow * np.exp(-14 * time)).astype(np.float32)


def sweep(seconds: float, swell: float) -> Samples:
    """Sweep wires over a skin; a short swell is a tap."""
    time = list_moments(seconds)
    sound = brighten(make_noise(seconds, 14), 1) + 0.5 * make_noise(seconds, 15)
    curve = np.minimum(1, time / swell) * np.clip((seconds - time) / (seconds - swell), 0, 1) ** 2
    return (0.16 * sound * curve).astype(np.float32)


def strike_box(low: float, decay: float, wood: float) -> Samples:
    """Strike a wooden box: low in its middle, with rattling snares at its edge."""
    seconds = 0.28
    front = _make_fall(seconds, 1.35 * low, low, 40) * make_decay(seconds, decay)
    edge = _make_fall(seconds, 460, 390, 50) * make_decay(seconds, 45)
    rattle = (brighten(make_noise(seconds, 16), 1) + 0.3 * make_noise(seconds, 17)) * make_decay(
        seconds, 32
    )
    return (0.85 * (1 - wood) * front + wood * (0.45 * edge + 0.34 * rattle)).astype(np.float32)


def crackle() -> Samples:
    """Make dust crackle in the groove of a record, for two seconds."""
    seconds = 2.0
    chance = np.random.default_rng(18)
    dust = np.where(chance.random(int(seconds * RATE)) < 0.0006, chance.uniform(-1, 1), 0.0)
    clicks = np.convolve(
        dust.astype(np.float32), np.array([1, -0.8, 0.4, -0.2], np.float32), "same"
    )
    return (0.5 * clicks + 0.006 * make_noise(seconds, 19)).astype(np.float32)


def rise(seconds: float = 1.6) -> Samples:
    """Make noise that swells and grows brighter until something begins."""
    time = list_moments(seconds) / np.float32(seconds)
    dark, light = make_noise(seconds, 9), brighten(make_noise(seconds, 10), 2)
    dark = np.convolve(dark, np.full(12, 1 / 6, np.float32), "same")
    return (0.22 * time**2 * ((1 - time) * dark + time * light)).astype(np.float32)


def boom() -> Samples:
    """Make the low blow of a drop."""
    return (0.6 * _make_fall(1.2, 70, 32, 3) * make_decay(1.2, 3.2)).astype(np.float32)


_COMMON: Mapping[str, Stroke] = {
    "clap": clap,
    "rim": strike_rim,
    "hat": partial(strike_cymbal, 0.07, 70.0, 0.42, 0.5),
    "open": partial(strike_cymbal, 0.30, 13.0, 0.36, 0.5),
    "crash": partial(strike_cymbal, 1.9, 2.4, 0.46, 0.65),
    "shaker": shake,
    "tambourine": partial(strike_cymbal, 0.16, 26.0, 0.28, 0.2),
    "tom": partial(strike_tom, 210.0, 130.0),
    "low_tom": partial(strike_tom, 140.0, 82.0),
    "riser": rise,
    "boom": boom,
}
KITS: dict[str, Mapping[str, Stroke]] = {
    "tight": {
        **_COMMON,
        "kick": partial(strike_kick, 0.28, 165.0, 50.0, 11.0, 0.25),
        "snare": partial(strike_snare, 0.42, 20.0, 0.36),
    },
    "soft": {
        **_COMMON,
        "kick": partial(strike_kick, 0.30, 105.0, 48.0, 10.0, 0.06),
        "snare": partial(strike_snare, 0.22, 13.0, 0.26),
    },
    "club": {
        **_COMMON,
        "kick": partial(strike_kick, 0.34, 230.0, 47.0, 8.0, 0.30),
        "snare": partial(strike_snare, 0.30, 16.0, 0.38),
    },
    "brushes": {
        **_COMMON,
        "kick": partial(strike_kick, 0.26, 90.0, 52.0, 13.0, 0.02),
        "snare": partial(sweep, 0.14, 0.006),
        "sweep": partial(sweep, 0.42, 0.22),
        "ride": strike_ride,
        "hat": partial(strike_cymbal, 0.06, 80.0, 0.26, 0.5),
        "crash": partial(strike_cymbal, 1.6, 3.2, 0.26, 0.5),
    },
    "samba": {
        **_COMMON,
        "kick": partial(strike_kick, 0.34, 86.0, 54.0, 9.0, 0.02),
        "shaker": partial(shake, 0.55),
        "rim": partial(strike_rim, 0.8),
        "snare": partial(sweep, 0.14, 0.006),
        "hat": partial(strike_cymbal, 0.05, 90.0, 0.24, 0.5),
        "crash": partial(strike_cymbal, 1.8, 3.0, 0.22, 0.7),
    },
    "box": {
        **_COMMON,
        "kick": partial(strike_box, 78.0, 17.0, 0.10),
        "shaker": partial(shake, 0.26),
        "snare": partial(strike_box, 110.0, 30.0, 0.85),
        "rim": partial(strike_box, 150.0, 60.0, 0.5),
        "crash": partial(strike_cymbal, 1.2, 5.0, 0.14, 0.8),
    },
    "dusty": {
        **_COMMON,
        "kick": partial(strike_kick, 0.36, 120.0, 46.0, 8.5, 0.30),
        "snare": partial(strike_snare, 0.55, 25.0, 0.43),
        "hat": partial(strike_cymbal, 0.06, 85.0, 0.30, 0.75),
        "crackle": crackle,
    },
    "live": {
        **_COMMON,
        "kick": partial(strike_kick, 0.24, 130.0, 58.0, 14.0, 0.40),
        "snare": partial(strike_snare, 0.50, 14.0, 0.44),
    },
}
