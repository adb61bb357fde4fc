"""One line sung by Kokoro, from its notes to samples in the song. numpy only."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

import numpy as np

from studio.samples import RATE, Samples
from studio.singer.kokoro.curves import Curve, moments, sung_energy, sung_tone
from studio.singer.kokoro.lengths import FRAME, LEAD, TAIL, lengths
from studio.singer.kokoro.package import Voices
from studio.singer.kokoro.process import Array, Kokoro
from studio.singer.kokoro.tokens import Note, Token, tokens_of

KOKORO_RATE = 24_000
EDGE = 0
"""The number of the sign before and after every text."""
AFTER = 2
"""Frames of the edge behind the text."""
KEPT_LEAD, KEPT_TAIL = 7, 4
"""Frames of the lead and of the tail in which the first and the last sound may be heard already and still."""
FADE = 2_000
AUDIBLE = 0.02
FASTEST = 0.7
"""Of its own length: faster speech is not understood."""
EDGE_SAMPLES = 1_000
LEVEL = 0.12


class Melody(Protocol):
    """The pitch in hertz at each of these moments of the song, (n,) for (n,)."""

    def __call__(self, notes: Sequence[Note], at: Curve) -> Curve:
        """For a line's notes."""


def sung_line(
    notes: Sequence[Note], kokoro: Kokoro, voices: Voices, voice: str, melody: Melody
) -> tuple[int, Samples]:
    """At which sample of the song the line begins, and its samples (n,)."""
    tokens = tokens_of(notes)
    asked = _question(tokens, voices, voice)
    (own,) = kokoro.planned(asked, ["own_durations"])
    found = lengths(notes, tokens, own.tolist()[1:-1])
    frames = (LEAD, *found.frames, AFTER)
    asked["durations"] = np.array(frames, np.int64)
    tone, energy = kokoro.planned(asked, ["own_tone", "own_energy"])
    bounds = [*accumulate(frames, initial=0)]
    hertz = melody(notes, moments(found, bounds[-1]))
    asked["tone"] = sung_tone(tone[0], hertz, tokens, bounds)
    asked["energy"] = sung_energy(energy[0], tokens, bounds)
    sound = _cut(resampled(kokoro.sung(asked)), bounds[-1])
    return round(found.begin * RATE), _levelled(sound)


def spoken_line(
    notes: Sequence[Note], kokoro: Kokoro, voices: Voices, voice: str, longest: float
) -> Samples:
    """The notes' words as the voice speaks them, without the notes' times and pitches: (n,).

    It speaks faster where that brings them near to the `longest` seconds.
    """
    asked = _question(tokens_of(notes), voices, voice)
    (own,) = kokoro.planned(asked, ["own_durations"])
    haste = max(FASTEST, min(1.0, longest / (own[1:-1].sum() * FRAME)))
    asked["durations"] = np.maximum(1, np.round(own * haste)).astype(np.int64)
    tone, energy = kokoro.planned(asked, ["own_tone", "own_energy"])
    sound = kokoro.sung(asked | {"tone": tone, "energy": energy})
    return _trimmed(_levelled(resampled(sound)))


def _question(tokens: Sequence[Token], voices: Voices, voice: str) -> dict[str, Array]:
    """What the model is asked first: the signs' numbers, and the voice for a text of this length."""
    numbers = [EDGE, *(voices.symbols[token.sign] for token in tokens), EDGE]
    rows = voices.styles[voice]
    return {
        "tokens": np.array([numbers], np.int64),
        "style": rows[min(len(tokens), len(rows)) - 1][None].astype(np.float32),
        "speed": np.ones(1, np.float32),
        "durations": np.ones(len(numbers), np.int64),
    }


def resampled(sound: Samples) -> Samples:
    """Samples at `KOKORO_RATE` as samples at `RATE`, by their spectrum."""
    unit = 160  # of which both rates make whole numbers
    padded = np.pad(sound, (0, -len(sound) % unit))
    count = len(padded) * RATE // KOKORO_RATE
    spectrum = np.fft.rfft(padded)
    wider = np.zeros(count // 2 + 1, complex)
    wider[: len(spectrum)] = spectrum
    wanted = round(len(sound) * RATE / KOKORO_RATE)
    return np.asarray(np.fft.irfft(wider, count)[:wanted] * (count / len(padded)), np.float32)


def _cut(sound: Samples, frames: int) -> Samples:
    """Silent before the first sound, and faded out after the last."""
    end = int((frames - AFTER - TAIL + KEPT_TAIL) * FRAME * RATE) + FADE
    cut = sound[:end]
    cut[-FADE:] *= np.linspace(1, 0, len(cut[-FADE:]), dtype=np.float32)
    cut[: int((LEAD - KEPT_LEAD) * FRAME * RATE)] = 0
    return cut


def _trimmed(sound: Samples) -> Samples:
    """Without the silence before and after it."""
    (heard,) = np.nonzero(np.abs(sound) > AUDIBLE)
    return (
        sound[max(heard[0] - EDGE_SAMPLES, 0) : heard[-1] + EDGE_SAMPLES] if len(heard) else sound
    )


def _levelled(sound: Samples) -> Samples:
    heard = sound[np.abs(sound) > AUDIBLE]
    loud = float(np.sqrt(np.square(heard).mean())) if len(heard) else 0.0
    return sound * np.float32(LEVEL / loud) if loud else sound
