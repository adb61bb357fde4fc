"""One breath of singing, from the spoken sound to samples in the song. numpy only."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.samples import RATE, Samples
from studio.singer.espeak import Spoken
from studio.singer.melody import Moments, hertz_at
from studio.singer.placing import Held, Part, Plan, parts_of, planned
from studio.singer.vocoder import HOP, Colour, analysed, pulses, tone_of
from studio.singer.voices import Voice

AFTER = 0.03
RISE, FALL = 0.006, 0.045
LEVEL = 0.12
EVENED = 0.8
HELD = (0.2, 0.65)
LOUDER, SOFTER = 4.0, 0.4
LOUDEST_HISS = 0.11
"""Of consonants without tone, against `LEVEL`."""
HISS_SAMPLES = 441
LOWEST_TONE, HIGHEST_TONE = 70.0, 320.0
SIZE, EVEN, BREATH = 1.0, 1.0, 0.15


@dataclass(frozen=True)
class Take:
    """Samples (n,) that begin at sample `first` of the song."""

    first: int
    samples: Samples


def taken(held: Sequence[Held], spoken: Spoken, voice: Voice, seed: int) -> Take:
    """The syllables of one breath, sung."""
    parts = parts_of(spoken, [syllable.sung for syllable in held])
    plan = planned(held, parts)
    begin = round(plan.moments[0] * RATE)
    moments = np.arange(begin, round((plan.moments[-1] + AFTER) * RATE)) / RATE
    places = np.interp(moments, plan.moments, plan.samples)
    colour = analysed(
        spoken.samples, tone_of(spoken.samples, LOWEST_TONE, HIGHEST_TONE), SIZE, EVEN
    )
    frames = np.minimum(places / HOP, len(colour.voiced) - 1.001).astype(np.float32)
    voiced = np.interp(frames, np.arange(len(colour.voiced)), _toned(colour, parts))
    sung = pulses(colour, _tone(held, moments, voice, seed), frames, BREATH, seed)
    sound = _levels(moments, spoken, parts, plan) * voiced * sung
    sound += _hiss(spoken, places, voiced)
    return Take(begin, np.asarray(_edges(moments, plan) * sound, np.float32))


def _tone(held: Sequence[Held], moments: Moments, voice: Voice, seed: int) -> Samples:
    """Hertz at each moment."""
    tones = [tone for syllable in held for tone in syllable.tones]
    return hertz_at(tones, moments, voice, seed).astype(np.float32)


def _toned(colour: Colour, parts: Sequence[Part]) -> Samples:
    """How much tone each frame has: as measured, but where a phoneme is nothing but tone or noise."""
    toned = colour.voiced.copy()
    for part in parts:
        for spans, value in ((part.toneless, 0), (part.toned, 1)):
            for start, end in spans:
                toned[-(-start // HOP) : end // HOP + 1] = value
    return toned


def _levels(moments: Moments, spoken: Spoken, parts: Sequence[Part], plan: Plan) -> Moments:
    """The gain that makes the vowels nearly equally loud."""
    loud = [_loudness(spoken.samples, part) for part in parts]
    gains = [np.clip((LEVEL / max(value, 1e-4)) ** EVENED, SOFTER, LOUDER) for value in loud]
    marks = [(start + end) / 2 for start, end in plan.vowels]
    return np.interp(moments, marks, gains)


def _loudness(samples: Samples, part: Part) -> float:
    """Of the part of a vowel that is held, about."""
    first, last = (part.vowel + int(share * (part.coda - part.vowel)) for share in HELD)
    held = samples[first : max(last, first + 1)]
    return float(np.sqrt(np.square(held).mean())) if len(held) else 0.0


def _hiss(spoken: Spoken, places: Moments, voiced: Moments) -> Moments:
    """The spoken sound as it is, where it has no tone, and no louder than a consonant may be."""
    heard = np.interp(places, np.arange(len(spoken.samples)), spoken.samples) * (1 - voiced)
    window = np.full(HISS_SAMPLES, 1 / HISS_SAMPLES)
    loud = np.sqrt(np.convolve(np.square(heard), window, "same"))
    return heard * np.minimum(1.0, LOUDEST_HISS * LEVEL / np.maximum(loud, 1e-6))


def _edges(moments: Moments, plan: Plan) -> Moments:
    """In quickly, out softly."""
    since, until = moments - plan.moments[0], plan.moments[-1] + AFTER - moments
    rise, fall = np.clip(since / RISE, 0, 1), np.clip(until / FALL, 0, 1)
    return np.asarray(rise * fall * fall * (3 - 2 * fall))
