"""From single sounds to tracks: placing, pumping, amplifier, hall. Pure, numpy only."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np

from studio.band.drums import Stroke
from studio.band.filters import convolved, high_pass, in_series, low_pass, peaking
from studio.band.notes import Hit, Note
from studio.band.sounds import Voice
from studio.samples import RATE, Samples

LENGTHS_PER_SECOND = 50
HALL_SECONDS = 1.5
HALL_DELAY = 0.012
PUMP_SECONDS = 0.25
DRIVE = 5.0
DRUM_PANS = {
    "hat": 0.25, "open": 0.3, "shaker": -0.35, "crash": -0.15, "rim": 0.15, "tambourine": -0.3,
    "tom": 0.2, "low_tom": -0.2,
}  # fmt: skip


def silence(seconds: float) -> Samples:
    """Zeros of shape (n, 2), n the samples of that time, rounded."""
    return np.zeros((round(seconds * RATE), 2), np.float32)


def add_notes(
    track: Samples, notes: Iterable[Note], voice: Voice, level: float, pan: float = 0.0
) -> None:
    """Play the notes into `track`. `pan` is in [-1, 1]; stereo voices keep their own width."""
    played: dict[tuple[int, int], Samples] = {}
    for note in notes:
        length = max(3, round(note.seconds * LENGTHS_PER_SECOND))
        key = (note.pitch, length)
        if key not in played:
            played[key] = _stereo(voice(note.pitch, length / LENGTHS_PER_SECOND), pan)
        _add(track, played[key], note.start, level * note.strength)


def add_drums(track: Samples, hits: Iterable[Hit], kit: Mapping[str, Stroke], level: float) -> None:
    """Play the strokes into `track`."""
    played: dict[str, Samples] = {}
    for hit in hits:
        if hit.drum not in played:
            played[hit.drum] = _stereo(kit[hit.drum](), DRUM_PANS.get(hit.drum, 0.0))
        _add(track, played[hit.drum], hit.start, level * hit.strength)


def pump(track: Samples, kicks: Iterable[float], depth: float) -> None:
    """Press `track` down at every kick; it recovers within a quarter of a second."""
    dip = 1 - depth * np.linspace(1, 0, int(PUMP_SECONDS * RATE), dtype=np.float32) ** 2
    for moment in kicks:
        first = round(moment * RATE)
        part = track[first : first + len(dip)]
        part *= dip[: len(part), None]


def amplify(track: Samples) -> None:
    """Distort all strings together, as one amplifier does, and play it through its cabinet."""
    cabinet = in_series(
        (
            high_pass(90, 0.7, RATE),
            peaking(2_200, 4, 0.9, RATE),
            low_pass(4_600, 0.8, RATE),
            low_pass(5_200, 0.7, RATE),
        ),
        4096,
    )
    for side in (0, 1):
        track[:, side] = convolved(np.tanh(DRIVE * track[:, side]), cabinet)


def add_hall(track: Samples, level: float) -> None:
    """Add the sound of a hall to the track, different left and right."""
    middle = track.mean(axis=1)
    for side, hall in enumerate(_hall()):
        track[:, side] += np.float32(level) * convolved(middle, hall)


@lru_cache(maxsize=1)
def _hall() -> tuple[Samples, Samples]:
    """Two impulse responses of unit energy: noise whose highs die before its lows."""
    count = int(HALL_SECONDS * RATE)
    time = np.arange(count) / RATE
    white = np.random.default_rng(11).standard_normal((2, count)).astype(np.float32)
    dark = sum(np.roll(white, shift, axis=1) for shift in range(6)) / np.sqrt(6)
    tail = dark * np.exp(-3.4 * time) + 0.6 * white * np.exp(-9 * time)
    tail *= np.clip((time - HALL_DELAY) / HALL_DELAY, 0, 1)
    tail /= np.sqrt(np.square(tail).sum(axis=1, keepdims=True))
    left, right = tail.astype(np.float32)
    return left, right


def _stereo(samples: Samples, pan: float) -> Samples:
    if samples.ndim == 2:
        return samples
    angle = (pan + 1) * np.pi / 4
    sides = np.array([np.cos(angle), np.sin(angle)], np.float32) * np.float32(np.sqrt(2))
    return samples[:, None] * sides


def _add(track: Samples, sound: Samples, start: float, level: float) -> None:
    first = round(start * RATE)
    part = track[first : first + len(sound)]
    part += sound[: len(part)] * np.float32(level)
