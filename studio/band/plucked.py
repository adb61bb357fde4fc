"""Plucked strings with a body of wood: guitars and an upright bass. Pure, numpy only."""

from dataclasses import dataclass

import numpy as np

from studio.band.tones import TOP_HZ, fading, noise, shaped
from studio.samples import RATE, Samples, hertz

CYCLE = 512
MOST_HARMONICS = 90

Resonance = tuple[float, float, float]
"""A body's resonance: hertz, width in hertz, and how much it adds."""


@dataclass(frozen=True)
class String:
    """A kind of string. `plucked` is where, as a share of its length; `tilt` how soon its harmonics get weak.

    Its sound dies at `loss` per second, and `highs` more for every square of a kilohertz.
    """

    plucked: float
    tilt: float
    loss: float
    highs: float
    body: tuple[Resonance, ...]


GUITAR_BODY = ((105.0, 26.0, 0.9), (205.0, 45.0, 1.1), (400.0, 110.0, 0.5))
NYLON_BODY = ((105.0, 26.0, 0.5), (205.0, 45.0, 0.5), (420.0, 140.0, 0.6), (1_100.0, 500.0, 0.5))
NYLON = String(0.24, 1.15, 1.6, 3.2, NYLON_BODY)
STEEL = String(0.13, 0.92, 0.9, 0.55, GUITAR_BODY)
MUTED_STEEL = String(0.13, 1.0, 11.0, 3.0, GUITAR_BODY)
GUT = String(0.30, 1.15, 1.5, 9.0, ((62.0, 18.0, 0.5), (110.0, 35.0, 0.9), (210.0, 70.0, 0.5)))
MUTED_SECONDS = 0.18


def nylon_guitar(pitch: int, seconds: float) -> Samples:
    """A classical guitar played with fingers."""
    sound = _string(NYLON, hertz(pitch), seconds + 0.12)
    return shaped(sound + _touch(len(sound), pitch, 0.025, 260), 0.002, 0.12)


def steel_guitar(pitch: int, seconds: float) -> Samples:
    """A western guitar, two strings a little apart; what is short is struck and stopped with the palm."""
    kind = MUTED_STEEL if seconds < MUTED_SECONDS else STEEL
    sides = [_string(kind, hertz(pitch) * detune, seconds + 0.1) for detune in (0.9994, 1.0006)]
    touch = _touch(len(sides[0]), pitch, 0.05, 420)
    return shaped(np.stack([side + touch for side in sides], axis=1), 0.001, 0.1)


def upright_bass(pitch: int, seconds: float) -> Samples:
    """A double bass, its string pulled by a finger."""
    sound = 1.1 * _string(GUT, hertz(pitch), seconds + 0.06)
    return shaped(np.tanh(sound) + _touch(len(sound), pitch, 0.03, 90), 0.006, 0.07)


def _string(kind: String, frequency: float, seconds: float) -> Samples:
    """A plucked string (n,), peak 1, its filter applied once in every period.

    Source: K. Karplus and A. Strong, Digital Synthesis of Plucked-String and Drum Timbres, 1983; the loop is
    computed for all periods at once, harmonic by harmonic, so that it is in tune.
    """
    number = np.arange(1, max(2, min(MOST_HARMONICS, int(TOP_HZ / frequency))) + 1)
    at = number * frequency
    strengths = np.abs(np.sin(np.pi * number * kind.plucked)) / number**kind.tilt
    strengths *= 0.5 + sum(gain / (1 + ((at - top) / width) ** 2) for top, width, gain in kind.body)
    rates = kind.loss + kind.highs * (at / 1000) ** 2
    periods = int(seconds * frequency) + 2
    spectra = np.zeros((periods, CYCLE // 2 + 1), np.complex64)
    lasting = np.exp(-np.outer(np.arange(periods) / frequency, rates))
    spectra[:, 1 : len(number) + 1] = -1j * strengths * lasting
    cycles = np.fft.irfft(spectra, CYCLE).ravel()
    turns = np.arange(int(seconds * RATE)) * (frequency * CYCLE / RATE)
    sound = np.interp(turns, np.arange(len(cycles)), cycles)
    return (sound / np.abs(cycles).max()).astype(np.float32)


def _touch(length: int, seed: int, level: float, rate: float) -> Samples:
    """The noise of a finger or a nail that leaves the string."""
    sound = np.zeros(length, np.float32)
    click = level * noise(0.03, seed) * fading(0.03, rate)
    sound[: len(click)] = click[:length]
    return sound
