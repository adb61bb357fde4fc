"""What makes a dry voice pleasant: its treble, a second take under it, and an even level. numpy only."""

import numpy as np

from studio.samples import RATE, Samples
from studio.singer.voices import Voice

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


def finished(song: Samples, voice: Voice) -> Samples:
    """The voice (n,) with its treble and its double, peak at most 1."""
    if not song.any():
        return song
    out = _doubled(_filtered(song, _kernel(voice.bright)), voice.double)
    heard = out[np.abs(out) > SILENT]
    if len(heard):
        out *= np.float32(LOUD / np.sqrt(np.dot(heard, heard) / len(heard)))
    return _limited(out)


def _kernel(bright: float) -> Samples:
    """A filter of `TAPS` with linear phase: no rumble, and `bright` dB of treble."""
    hertz = np.fft.rfftfreq(4 * TAPS, 1 / RATE)
    marks, shares = zip(*SHAPE, strict=True)
    gains = bright * np.interp(hertz, np.array(marks), np.array(shares))
    shape = 10 ** (gains / 20) * np.clip((hertz - RUMBLE_HZ / 2) / (RUMBLE_HZ / 2), 0, 1)
    taps = np.roll(np.fft.irfft(shape), TAPS // 2)[:TAPS] * np.hanning(TAPS)
    return np.asarray(taps, np.float32)


def _filtered(song: Samples, kernel: Samples) -> Samples:
    """The song through the filter, in place of it: no later, and as long."""
    size = 2 * BLOCK
    response = np.fft.rfft(kernel, size)
    out = np.zeros(len(song) + size, np.float32)
    for first in range(0, len(song), BLOCK):
        piece = song[first : first + BLOCK]
        if piece.any():
            out[first : first + size] += np.fft.irfft(np.fft.rfft(piece, size) * response, size)
    return out[TAPS // 2 : TAPS // 2 + len(song)]


def _doubled(song: Samples, share: float) -> Samples:
    """The song with later takes of itself under it, whose lateness, and so whose pitch, wavers."""
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


def _limited(song: Samples) -> Samples:
    """Peaks above the knee bent down below `PEAK`."""
    room = PEAK - KNEE
    loud = np.flatnonzero(np.abs(song) > KNEE)
    bent = KNEE + room * np.tanh((np.abs(song[loud]) - KNEE) / room)
    song[loud] = np.sign(song[loud]) * bent
    return song
