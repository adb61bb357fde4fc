"""How a voice sings: its pitch through the tones of a breath, and what makes it pleasant. numpy only."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from studio.genres import Voice
from studio.singer.reading import Tone
from studio.sound import RATE, Samples, convolve

STEP = 0.004
"""Seconds between two values."""
SWELLS_AFTER, SWELLS_FOR = 0.22, 0.35
SHORTEST_SWUNG = 0.4
DRIFT_CENTS, DRIFT_SECONDS = 3.0, 0.15
Moments = NDArray[np.float64]
TAPS = 511
BLOCK = 1 << 15
RUMBLE_HZ = 110.0
SHAPE = ((0, 0.0), (900, 0.0), (2_800, 1.0), (5_000, 0.7), (9_000, 0.2), (20_000, 0.0))
"""Where a voice's treble lies: hertz, and how much of `bright` counts there."""
LOUD = 0.12
SILENT = 1e-3
PEAK = 0.95
KNEE = 0.6
DOUBLES = ((0.017, 0.0014, 0.61, 0.0), (0.025, 0.0016, 0.47, 0.4))
"""Second takes: how late they are and by how much that wavers, in seconds; how often, in hertz; its first turn."""


def find_hertz(tones: Sequence[Tone], heard: Moments, voice: Voice, seed: int) -> Moments:
    """Return the pitch in hertz at ascending moments of the song, in seconds: (n,) for (n,).

    It glides into every tone around its start; tones longer than 0.4 s begin to swing, more and more.
    """
    moments = np.arange(float(heard[0]), float(heard[-1]) + STEP + STEP, STEP)
    pitch: Moments = np.full(len(moments), float(tones[0].pitch))
    for before, tone in pairwise(tones):
        glide = min(voice.glide, 0.4 * (tone.end - tone.start))
        part = np.clip((moments - tone.start) / glide + 0.5, 0, 1)
        pitch += (tone.pitch - before.pitch) * part**2 * (3 - 2 * part)
    for tone in tones:
        pitch += _swing(moments, tone, voice)
    curve = np.asarray(pitch + _drift(moments, seed), np.float32)
    sung = np.interp(heard, heard[0] + np.arange(len(curve)) * STEP, curve)
    return np.asarray(440 * 2 ** ((sung - 69) / 12))


def _swing(moments: Moments, tone: Tone, voice: Voice) -> Moments:
    length = tone.end - tone.start
    if length <= SHORTEST_SWUNG:
        return np.zeros(len(moments))
    since = moments - tone.start - min(SWELLS_AFTER, length / 2)
    depth = np.clip(since / SWELLS_FOR, 0, 1) * np.clip((tone.end - moments) / 0.06, 0, 1)
    swing: Moments = depth * voice.vibrato / 100 * np.sin(2 * np.pi * voice.vibrato_hertz * since)
    return swing


def _drift(moments: Moments, seed: int) -> Moments:
    """Return the slow unsteadiness of a human voice."""
    chance = np.random.default_rng(seed)
    count = max(2, int(len(moments) * STEP / DRIFT_SECONDS) + 2)
    marks = moments[0] + np.arange(count) * DRIFT_SECONDS
    return np.interp(moments, marks, chance.uniform(-1, 1, count)) * DRIFT_CENTS / 100


def finish(song: Samples, voice: Voice) -> Samples:
    """Give the voice (n,) its treble and its double, peak at most 1."""
    if not song.any():
        return song
    filtered = convolve(song, _compute_kernel(voice.bright), BLOCK, TAPS // 2)
    out = _double(filtered, voice.double)
    heard = out[np.abs(out) > SILENT]
    if len(heard):
        out *= np.float32(LOUD / np.sqrt(np.dot(heard, heard) / len(heard)))
    return _limit(out)


def _compute_kernel(bright: float) -> Samples:
    """Compute a filter of `TAPS` with linear phase: no rumble, and `bright` dB of treble."""
    hertz = np.fft.rfftfreq(4 * TAPS, 1 / RATE)
    marks, shares = zip(*SHAPE, strict=True)
    gains = bright * np.interp(hertz, np.array(marks), np.array(shares))
    shape = 10 ** (gains / 20) * np.clip((hertz - RUMBLE_HZ / 2) / (RUMBLE_HZ / 2), 0, 1)
    taps = np.roll(np.fft.irfft(shape), TAPS // 2)[:TAPS] * np.hanning(TAPS)
    return np.asarray(taps, np.float32)


def _double(song: Samples, share: float) -> Samples:
    """Lay later takes of the song under it, whose lateness, and so whose pitch, wavers."""
    out = song.copy()
    for first in range(0, len(song), BLOCK):
        numbers = np.arange(first, min(first + BLOCK, len(song)))
        for late, wavers, often, turn in DOUBLES:
            lateness = late + wavers * np.sin(2 * np.pi * (often * numbers / RATE + turn))
            places = numbers - lateness * RATE
            lower = np.floor(places).astype(int)
            part = (places - lower).astype(np.float32)
            known = lower >= 0
            lower = np.maximum(lower, 0)
            heard = song[lower] * (1 - part) + song[lower + 1] * part
            out[numbers] += share * heard * known
    return out


def _limit(song: Samples) -> Samples:
    """Bend peaks above the knee down below `PEAK`."""
    room = PEAK - KNEE
    loud = np.flatnonzero(np.abs(song) > KNEE)
    bent = KNEE + room * np.tanh((np.abs(song[loud]) - KNEE) / room)
    song[loud] = np.sign(song[loud]) * bent
    return song
