"""What is blown: a muted trumpet, a saxophone, a harmonica, an accordion. Pure, numpy only."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.band.tones import TABLE, TOP_HZ, noise, shaped
from studio.samples import RATE, Samples, hertz

MOST_HARMONICS = 60
TURN_SECONDS = 0.34
"""Notes of this length and more have room for a turn."""

Formant = tuple[float, float, float]
"""A formant: hertz, width in hertz, and how much it adds."""
Bend = NDArray[np.float64]
"""Semitones over the pitch, for every sample."""


@dataclass(frozen=True)
class Pipe:
    """The spectrum of a blown thing: harmonics that fall by `tilt`, raised by formants over a `floor`."""

    tilt: float
    floor: float
    formants: tuple[Formant, ...]


HARMON = Pipe(0.75, 0.10, ((1_350.0, 420.0, 1.0), (2_500.0, 700.0, 0.75), (5_200.0, 900.0, 0.25)))
REED = Pipe(1.05, 0.25, ((560.0, 260.0, 1.0), (1_250.0, 380.0, 0.6), (2_600.0, 700.0, 0.3)))
FREE_REED = Pipe(0.62, 0.30, ((900.0, 500.0, 0.9), (2_300.0, 800.0, 0.6)))
BELLOWS = Pipe(0.70, 0.40, ((700.0, 450.0, 0.8), (1_900.0, 900.0, 0.7)))


def muted_trumpet(pitch: int, seconds: float) -> Samples:
    """A trumpet with a Harmon mute: thin, close and a little late on its pitch."""
    length = seconds + 0.06
    bend = _scoop(length, -0.7, 0.05) + _vibrato(length, 0.18, 5.2, 0.30)
    return shaped(0.62 * _blown(HARMON, pitch, bend), 0.018, 0.06, decay=0.5)


def saxophone(pitch: int, seconds: float) -> Samples:
    """A tenor saxophone, breathy and late with its vibrato."""
    length = seconds + 0.10
    bend = _scoop(length, -0.9, 0.07) + _vibrato(length, 0.14, 4.8, 0.35)
    breath = noise(length, pitch)
    breath = np.convolve(breath, np.full(6, 1 / 6, np.float32), "same").astype(np.float32)
    return shaped(0.6 * _blown(REED, pitch, bend) + 0.05 * breath, 0.045, 0.10)


def harmonica(pitch: int, seconds: float) -> Samples:
    """A blues harp: it bends up to its pitch, and the hand before it opens and closes."""
    length = seconds + 0.06
    sound = _blown(FREE_REED, pitch, _scoop(length, -1.1, 0.06))
    time = np.arange(len(sound)) / RATE
    hand = 1 - 0.22 * np.clip(time / 0.4, 0, 1) * (1 - np.cos(2 * np.pi * 5.6 * time)) / 2
    return shaped(0.55 * sound * hand.astype(np.float32), 0.025, 0.07)


def accordion(pitch: int, seconds: float) -> Samples:
    """Two reeds that beat against each other; long notes begin above their pitch and turn around it."""
    length = seconds + 0.05
    bend = _turned(length, seconds)
    reeds = [_blown(BELLOWS, pitch + apart, bend) for apart in (-0.09, 0.10)]
    low = np.float32(0.35) * _blown(BELLOWS, pitch - 12, bend)
    sides = np.stack([reed + low for reed in reeds], axis=1)
    return shaped(sides * np.float32(0.5), 0.02, 0.05)


def _blown(pipe: Pipe, pitch: float, bend: Bend) -> Samples:
    """The pipe's tone (n,), peak about 1, that bends from its pitch."""
    frequency = hertz(pitch)
    number = np.arange(1, max(2, min(MOST_HARMONICS, int(TOP_HZ / frequency))) + 1)
    at = number * frequency
    gains = pipe.floor + sum(
        gain / (1 + ((at - middle) / width) ** 2) for middle, width, gain in pipe.formants
    )
    spectrum = np.zeros(TABLE // 2 + 1, np.complex128)
    spectrum[1 : len(number) + 1] = -1j * gains / number**pipe.tilt * np.exp(0.4j * number)
    cycle = np.fft.irfft(spectrum)
    turns = np.cumsum(frequency / RATE * 2 ** (bend / 12))
    table = (cycle / np.abs(cycle).max()).astype(np.float32)
    return table[(turns * TABLE).astype(np.int64) % TABLE]


def _time(seconds: float) -> NDArray[np.float64]:
    return np.arange(int(seconds * RATE)) / RATE


def _scoop(seconds: float, semitones: float, within: float) -> Bend:
    """A start beside the pitch that it reaches within so many seconds, about."""
    return semitones * np.exp(-_time(seconds) / (within / 3))


def _vibrato(seconds: float, semitones: float, rate: float, after: float) -> Bend:
    time = _time(seconds)
    grown = np.clip((time - after) / 0.25, 0, 1)
    return semitones * grown * np.sin(2 * np.pi * rate * (time - after))


def _turned(seconds: float, sounding: float) -> Bend:
    """Down onto the pitch, and in long notes a turn over and under it before they end."""
    if sounding < TURN_SECONDS:
        return _scoop(seconds, 0.5, 0.03)
    last = max(0.16, sounding - 0.30)
    moments = [
        0.0,
        0.05,
        0.08,
        last,
        last + 0.05,
        last + 0.10,
        last + 0.15,
        last + 0.20,
        seconds + 1,
    ]
    heights = [1.6, 1.6, 0.0, 0.0, 1.7, 0.0, -1.4, 0.0, 0.0]
    return np.interp(_time(seconds), moments, heights)
