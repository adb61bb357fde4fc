"""The pitch that a voice takes through the tones of one breath. numpy only."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from studio.samples import Samples
from studio.singer.placing import Tone
from studio.singer.voices import Voice

STEP = 0.004
"""Seconds between two values."""
SWELLS_AFTER, SWELLS_FOR = 0.22, 0.35
SHORTEST_SWUNG = 0.4
DRIFT_CENTS, DRIFT_SECONDS = 3.0, 0.15

Moments = NDArray[np.float64]


def melody(tones: Sequence[Tone], first: float, last: float, voice: Voice, seed: int) -> Samples:
    """The pitch as a MIDI number with fractions, from `first` to `last` seconds in steps of `STEP`: (n,).

    It glides into every tone around its start; tones longer than 0.4 s begin to swing, more and more.
    """
    moments = np.arange(first, last + STEP, STEP)
    pitch: Moments = np.full(len(moments), float(tones[0].pitch))
    for before, tone in pairwise(tones):
        glide = min(voice.glide, 0.4 * (tone.end - tone.start))
        part = np.clip((moments - tone.start) / glide + 0.5, 0, 1)
        pitch += (tone.pitch - before.pitch) * part**2 * (3 - 2 * part)
    for tone in tones:
        pitch += _vibrato(moments, tone, voice)
    return np.asarray(pitch + _drift(moments, seed), np.float32)


def hertz_at(tones: Sequence[Tone], moments: Moments, voice: Voice, seed: int) -> Moments:
    """The same pitch in hertz at ascending moments of the song, in seconds: (n,) for (n,)."""
    curve = melody(tones, float(moments[0]), float(moments[-1]) + STEP, voice, seed)
    pitch = np.interp(moments, moments[0] + np.arange(len(curve)) * STEP, curve)
    return np.asarray(440 * 2 ** ((pitch - 69) / 12))


def _vibrato(moments: Moments, tone: Tone, voice: Voice) -> Moments:
    length = tone.end - tone.start
    if length <= SHORTEST_SWUNG:
        return np.zeros(len(moments))
    since = moments - tone.start - min(SWELLS_AFTER, length / 2)
    depth = np.clip(since / SWELLS_FOR, 0, 1) * np.clip((tone.end - moments) / 0.06, 0, 1)
    swing: Moments = depth * voice.vibrato / 100 * np.sin(2 * np.pi * voice.vibrato_hertz * since)
    return swing


def _drift(moments: Moments, seed: int) -> Moments:
    """The slow unsteadiness of a human voice."""
    chance = np.random.default_rng(seed)
    count = max(2, int(len(moments) * STEP / DRIFT_SECONDS) + 2)
    marks = moments[0] + np.arange(count) * DRIFT_SECONDS
    return np.interp(moments, marks, chance.uniform(-1, 1, count)) * DRIFT_CENTS / 100
