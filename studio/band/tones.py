"""Single tones, from which instruments are made, and the drum kits: noise, falling sines, clashing squares. Pure.

Tones are read from single-cycle tables that hold no harmonic above the top of hearing, so nothing aliases.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from inspect import signature
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from studio.content import cache_content, find_files, read_typed
from studio.sound import RATE, Samples, to_hertz

TABLE = 2048
TOP_HZ = 14_000.0
VIBRATO_HERTZ = 5.4

METAL_HERTZ = (2053.0, 3044.0, 3696.0, 5227.0, 5400.0, 8007.0)
"""Six frequencies without a common measure, in the manner of early drum machines."""


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


def list_times(seconds: float) -> NDArray[np.float64]:
    """Return the time of every sample exactly, in seconds."""
    return np.arange(int(seconds * RATE)) / RATE


def sum_partials(
    pitch: int, seconds: float, ratios: tuple[tuple[float, float, float], ...]
) -> Samples:
    """Add sines at (ratio, level, decay per second), as of a struck thing."""
    time = list_times(seconds)
    total = np.zeros(len(time))
    for ratio, level, decay in ratios:
        if to_hertz(pitch) * ratio < TOP_HZ:
            wave = np.sin(2 * np.pi * to_hertz(pitch) * ratio * time)
            wave *= level * np.exp(-decay * time)
            total += wave
    return total.astype(np.float32)


def modulate(pitch: int, seconds: float, ratio: float, index: float, index_decay: float) -> Samples:
    """Make a sine whose phase another of `ratio` times its frequency bends, less and less."""
    time = list_times(seconds)
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


def _make_fall(seconds: float, high: float, low: float, rate: float) -> Samples:
    """Make a sine that falls from `high` to `low` Hz."""
    time = list_moments(seconds)
    phase = 2 * np.pi * (low * time + (high - low) / rate * (1 - np.exp(-rate * time)))
    return np.sin(phase).astype(np.float32)


def play_kick(seconds: float, high: float, low: float, decay: float, click: float) -> Samples:
    """Strike a bass drum: a falling sine with a click."""
    body = _make_fall(seconds, high, low, 36) * make_decay(seconds, decay)
    struck = np.tanh(1.5 * body) + click * make_noise(seconds, 1) * make_decay(seconds, 700)
    return (0.9 * struck).astype(np.float32)


def play_snare(body: float, decay: float, wires: float) -> Samples:
    """Strike a snare drum: two modes of a skin, and wires under it."""
    seconds = 0.32
    skin = _make_fall(seconds, 240, 185, 60) + 0.5 * _make_fall(seconds, 380, 332, 60)
    hiss = brighten(make_noise(seconds, 2), 1) + 0.4 * brighten(make_noise(seconds, 12), 2)
    rattle = hiss * (0.6 * make_decay(seconds, decay) + 0.5 * make_decay(seconds, 3.5 * decay))
    return (body * skin * make_decay(seconds, 26) + wires * rattle).astype(np.float32)


def play_clap() -> Samples:
    """Clap hands: four bursts of noise in a hurry."""
    sound = brighten(make_noise(0.26, 3), 1)
    time = list_moments(0.26)
    bursts = sum(
        np.where(time >= first, np.exp(-160 * (time - first)), 0) for first in (0.0, 0.011, 0.021)
    )
    tail = np.where(time >= 0.03, np.exp(-22 * (time - 0.03)), 0)
    return (0.42 * sound * (0.7 * bursts + tail)).astype(np.float32)


def play_rim(level: float = 0.35) -> Samples:
    """Strike a stick on the rim."""
    time = list_moments(0.06)
    ring = np.sin(2 * np.pi * 1150 * time) + 0.6 * np.sin(2 * np.pi * 1730 * time)
    return (level * ring * np.exp(-75 * time)).astype(np.float32)


def play_cymbal(seconds: float, decay: float, level: float, noisy: float) -> Samples:
    """Strike metal: clashing squares and hiss, only their highs."""
    time = list_moments(seconds)
    clash = sum(np.sign(np.sin(2 * np.pi * hertz * time)) for hertz in METAL_HERTZ) / 6
    hiss = make_noise(seconds, int(100 * decay))
    mixed = brighten(np.asarray(clash, np.float32) * (1 - noisy) + noisy * 0.6 * hiss, 3)
    struck = np.minimum(1, time / 0.0015) * np.exp(-decay * time)
    return (level * mixed * struck).astype(np.float32)


def play_shaker(level: float = 0.16) -> Samples:
    """Shake seeds in a box: the sound swells before it dies."""
    seconds = 0.12
    swell = np.minimum(1, list_moments(seconds) / 0.04)
    sound = level * brighten(make_noise(seconds, 6), 2)
    return (sound * swell * make_decay(seconds, 30)).astype(np.float32)


def play_tom(high: float, low: float) -> Samples:
    """Strike a skin that gives way."""
    seconds = 0.4
    struck = 0.06 * make_noise(seconds, 8) * make_decay(seconds, 60)
    skin = 0.75 * _make_fall(seconds, high, low, 14) * make_decay(seconds, 9)
    return (skin + struck).astype(np.float32)


def play_ride() -> Samples:
    """Strike a wide cymbal near its edge: a ping, and a wash that lasts."""
    ping = play_cymbal(0.9, 5.5, 0.20, 0.15)
    time = list_moments(0.9)
    bow = sum(np.sin(2 * np.pi * hertz * time) for hertz in (3_170.0, 4_410.0, 6_230.0)) / 3
    return (ping + 0.05 * bow * np.exp(-14 * time)).astype(np.float32)


def play_brush(seconds: float, swell: float) -> Samples:
    """Sweep wires over a skin; a short swell is a tap."""
    time = list_moments(seconds)
    sound = brighten(make_noise(seconds, 14), 1) + 0.5 * make_noise(seconds, 15)
    curve = np.minimum(1, time / swell) * np.clip((seconds - time) / (seconds - swell), 0, 1) ** 2
    return (0.16 * sound * curve).astype(np.float32)


def play_box(low: float, decay: float, wood: float) -> Samples:
    """Strike a wooden box: low in its middle, with rattling snares at its edge."""
    seconds = 0.28
    front = _make_fall(seconds, 1.35 * low, low, 40) * make_decay(seconds, decay)
    edge = _make_fall(seconds, 460, 390, 50) * make_decay(seconds, 45)
    rattle = (brighten(make_noise(seconds, 16), 1) + 0.3 * make_noise(seconds, 17)) * make_decay(
        seconds, 32
    )
    return (0.85 * (1 - wood) * front + wood * (0.45 * edge + 0.34 * rattle)).astype(np.float32)


def play_crackle() -> Samples:
    """Make dust crackle in the groove of a record, for two seconds."""
    seconds = 2.0
    chance = np.random.default_rng(18)
    dust = np.where(chance.random(int(seconds * RATE)) < 0.0006, chance.uniform(-1, 1), 0.0)
    clicks = np.convolve(
        dust.astype(np.float32), np.array([1, -0.8, 0.4, -0.2], np.float32), "same"
    )
    return (0.5 * clicks + 0.006 * make_noise(seconds, 19)).astype(np.float32)


def play_riser(seconds: float = 1.6) -> Samples:
    """Make noise that swells and grows brighter until something begins."""
    time = list_moments(seconds) / np.float32(seconds)
    dark, light = make_noise(seconds, 9), brighten(make_noise(seconds, 10), 2)
    dark = np.convolve(dark, np.full(12, 1 / 6, np.float32), "same")
    return (0.22 * time**2 * ((1 - time) * dark + time * light)).astype(np.float32)


def play_boom() -> Samples:
    """Make the low blow of a drop."""
    return (0.6 * _make_fall(1.2, 70, 32, 3) * make_decay(1.2, 3.2)).astype(np.float32)


PLAYED = {
    name.removeprefix("play_"): play
    for name, play in tuple(vars().items())
    if name.startswith("play_")
}


def _make_stroke(written: object) -> Callable[[], Samples]:
    """Make the stroke that a file writes as a way to play and its numbers."""
    try:
        name, *numbers = str(written).split()
        stroke = partial(PLAYED[name], *map(float, numbers))
        signature(stroke).bind()
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"one of {', '.join(PLAYED)}, and its numbers") from None
    return stroke


Stroke = Annotated[Callable[[], Samples], BeforeValidator(_make_stroke)]


@cache_content
def read_kits() -> dict[str, dict[str, Stroke]]:
    """Read the drums of each kit by their names, once."""
    path = find_files("", ".toml")["kits"]
    kits = read_typed(path, dict[str, dict[str, Stroke]])
    common = kits.pop("common", {})
    return {name: common | own for name, own in kits.items()}
