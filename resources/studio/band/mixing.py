"""From single sounds to a finished stereo track: placing, reverb, ducking, loudness. Pure, numpy only."""

from collections.abc import Iterable

import numpy as np

from resources.studio.band.drums import KIT
from resources.studio.band.filters import convolved
from resources.studio.band.loudness import integrated_loudness, true_peak
from resources.studio.band.score import Hit, Note
from resources.studio.band.sounds import Voice
from resources.studio.samples import RATE, Samples

TARGET_LUFS = -14.0
CEILING = 10 ** (-1.2 / 20)
# The limiter sees samples; between them the wave goes higher, by a little over 1 dB in bright drums.
SAMPLE_CEILING = 10 ** (-2.4 / 20)
MASTER_PASSES = 3
REVERB_SECONDS = 1.6
LIMITER_BLOCK = 64
LIMITER_REACH = 16
DRUM_PANS = {"hat": 0.25, "open": 0.3, "shaker": -0.35, "crash": -0.15, "rim": 0.15}


def silence(seconds: float) -> Samples:
    """Zeros of shape (n, 2), n the samples of that time, rounded."""
    return np.zeros((round(seconds * RATE), 2), np.float32)


def add_notes(
    track: Samples, notes: Iterable[Note], voice: Voice, level: float, pan: float = 0.0
) -> None:
    """Play the notes into `track`. `pan` is in [-1, 1]; stereo voices keep their own width."""
    played: dict[tuple[int, int], Samples] = {}
    for note in notes:
        key = (note.pitch, round(note.seconds * 200))
        if key not in played:
            played[key] = _stereo(voice(note.pitch, max(0.05, key[1] / 200)), pan)
        _add(track, played[key], note.start, level * note.strength)


def add_drums(track: Samples, hits: Iterable[Hit], level: float) -> None:
    """Play the strokes into `track`."""
    kit = {drum: _stereo(sound(), DRUM_PANS.get(drum, 0.0)) for drum, sound in KIT.items()}
    for hit in hits:
        _add(track, kit[hit.drum], hit.start, level * hit.strength)


def duck(track: Samples, kicks: Iterable[float], depth: float) -> None:
    """Press `track` down at every kick, so that it pumps; it recovers within a quarter of a second."""
    dip = 1 - depth * np.linspace(1, 0, int(0.25 * RATE), dtype=np.float32) ** 2
    for moment in kicks:
        first = round(moment * RATE)
        part = track[first : first + len(dip)]
        part *= dip[: len(part), None]


def with_echo(track: Samples, level: float) -> Samples:
    """The track in a hall: decaying noise as the impulse response, different left and right."""
    count = int(REVERB_SECONDS * RATE)
    fall = np.exp(-4.2 * np.arange(count) / count).astype(np.float32)
    noise = np.random.default_rng(11).standard_normal((count, 2)).astype(np.float32)
    dark = noise[1:] * np.float32(0.5) + noise[:-1] * np.float32(0.5)
    hall = dark * fall[1:, None] * np.minimum(1, np.arange(count - 1) / (0.012 * RATE))[:, None]
    hall /= np.sqrt(np.square(hall).sum(axis=0))
    wet = np.stack([convolved(track[:, side], hall[:, side]) for side in (0, 1)], axis=1)
    return track + np.float32(level) * wet


def mastered(track: Samples, fade_seconds: float) -> Samples:
    """The track at `TARGET_LUFS` with its peaks under -1 dBFS, starting and ending in silence."""
    fade = min(len(track), int(fade_seconds * RATE))
    track[-fade:] *= np.linspace(1, 0, fade, dtype=np.float32)[:, None] ** 1.5
    for _ in range(MASTER_PASSES):
        loudness = integrated_loudness(track, RATE)
        if np.isfinite(loudness):
            track = limited(track * np.float32(10 ** ((TARGET_LUFS - loudness) / 20)))
    return track * np.float32(min(1.0, CEILING / max(true_peak(track), 1e-9)))


def limited(track: Samples) -> Samples:
    """The track with peaks above the ceiling turned down softly, from a little before they come."""
    blocks = -(-len(track) // LIMITER_BLOCK)
    padded = np.pad(track, ((0, blocks * LIMITER_BLOCK - len(track)), (0, 0)))
    peaks = np.abs(padded).reshape(blocks, -1).max(axis=1)
    gain = np.minimum(1.0, SAMPLE_CEILING / np.maximum(peaks, 1e-9))
    reach = np.pad(gain, LIMITER_REACH, mode="edge")
    lowest = np.lib.stride_tricks.sliding_window_view(reach, 2 * LIMITER_REACH + 1).min(axis=1)
    window = np.hanning(LIMITER_REACH + 2)[1:-1]
    smooth = np.convolve(
        np.pad(lowest, LIMITER_REACH // 2, mode="edge"), window / window.sum(), "same"
    )
    smooth = smooth[LIMITER_REACH // 2 : LIMITER_REACH // 2 + blocks]
    centres = (np.arange(blocks) + 0.5) * LIMITER_BLOCK
    curve = np.interp(np.arange(len(track)), centres, smooth).astype(np.float32)
    return track * curve[:, None]


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
