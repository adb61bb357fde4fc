"""One breath sung by espeak-ng: planned, taken apart into tone and colour, and put together again. numpy only.

Source of the method: pulse vocoders after STRAIGHT and WORLD (Morise 2016). The spectral envelope is that of a
window of three periods, smoothed over two thirds of the pitch; each pulse of the new tone is the minimum-phase
response of the envelope at its moment. Consonants keep their own time, or are hurried or cut at their far end
where a note is short; the middle of a vowel is stretched.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from studio.genres import Voice
from studio.singer.processes import SPOKEN_RATE, Speech
from studio.singer.reading import STRESS, TIED, VOWEL, Held, Sung
from studio.singer.voice import Moments, find_hertz
from studio.sound import RATE, Samples

HOP = 110
"""Samples of the spoken sound between two frames: 5 ms."""
PERIODS = 3
FINE = 1024
BINS = 512
"""Of the envelope, from 0 to half of `RATE`; a pulse is twice as many samples long."""
CEPSTRUM = 200
QUIET = 1e-4
FILL, FILL_HZ = 0.006, 900.0
HEARD_HZ = 10_300.0
"""Above it the spoken sound has nothing to copy."""
FALL_PER_KHZ = 4.0
BREATH_HZ = (2_500.0, 9_000.0)
PULSES_AT_ONCE = 1_024
LEAD = 16
"""Samples that a pulse waits, so that a part of a sample can be taken off."""
Frames = NDArray[np.float32]
EARLY = 0.03
"""Seconds by which a consonant comes before its note."""
LONGEST_ONSET, LONGEST_CODA, LONGEST_CLOSURE = 0.09, 0.14, 0.05
ONSET_SHARE, CODA_SHARE, CLOSURE_SHARE = 0.36, 0.28, 0.2
HURRY = 1.6
HELD_FROM, HELD_TO = 0.3, 0.55
"""The part of a vowel that is held."""
MOST_IN_A_BREATH, MOST_PHONEMES, MOST_BYTES = 32, 120, 240
"""Syllables, their phonemes and the text of these; espeak-ng crashes at 192 phonemes in 411 bytes."""
AUDIBLE = 0.04
TONELESS = re.compile(r"[ptkqsSfhTxC]")
TONED = re.compile(rf"{VOWEL.pattern}|[mnNlLrRwj*]")
Span = tuple[int, int]
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
BREATH = 0.15
"""How much of the highs is noise."""


@dataclass(frozen=True)
class Colour:
    """A sound's frames: `cepstra` (n, CEPSTRUM) of its minimum-phase envelopes, and `voiced` (n,) in [0, 1]."""

    cepstra: Frames
    voiced: Frames


def find_tone(samples: Samples) -> float:
    """Return the constant pitch of a spoken sound, in hertz, by autocorrelation of the whole of it."""
    size = 1 << (2 * len(samples)).bit_length()
    alike = np.fft.irfft(np.abs(np.fft.rfft(samples, size)) ** 2)
    first, last = int(SPOKEN_RATE / HIGHEST_TONE), int(SPOKEN_RATE / LOWEST_TONE)
    place = first + int(np.argmax(alike[first:last]))
    left, middle, right = (float(alike[place + step]) for step in (-1, 0, 1))
    bend = left - 2 * middle + right
    return SPOKEN_RATE / (place + (0.5 * (left - right) / bend if bend else 0.0))


def analyse(samples: Samples, tone: float) -> Colour:
    """Return the colour of a sound spoken on `tone` hertz."""
    period = SPOKEN_RATE / tone
    width = 2 * round(PERIODS * period / 2)
    padded = np.pad(samples, (width // 2, width + FINE))
    starts = np.arange(0, len(samples) + HOP, HOP)
    window = np.hanning(width + 1)[:-1].astype(np.float32)
    pieces = padded[starts[:, None] + np.arange(width)] * window
    power = np.abs(np.fft.rfft(pieces, FINE, axis=1)) ** 2 / np.square(window).sum()
    cepstra = _compute_cepstra(_smooth(power, tone), tone)
    return Colour(cepstra, _measure_voicing(samples, starts, period))


def _smooth(power: Frames, tone: float) -> Frames:
    """Remove the harmonics and fill the valleys: no throat is as still as a formant synthesizer.

    Below the lowest harmonic it is mirrored, so that there is no valley at nothing.
    """
    step = SPOKEN_RATE / FINE
    lowest = round(tone / step)
    power = power.copy()
    power[:, :lowest] = np.maximum(power[:, :lowest], power[:, 2 * lowest : lowest : -1])
    smooth = _average(power, max(1, round(tone / 3 / step)))
    return np.asarray(
        smooth + FILL * _average(smooth, round(FILL_HZ / step)) + QUIET**2, np.float32
    )


def _average(rows: Frames, reach: int) -> Frames:
    """Return the mean of each value and `reach` on either side of it."""
    sums = np.cumsum(np.pad(rows, ((0, 0), (reach + 1, reach)), mode="reflect"), axis=1)
    return np.asarray(
        (sums[:, 2 * reach + 1 :] - sums[:, : -2 * reach - 1]) / (2 * reach + 1), np.float32
    )


def _compute_cepstra(power: Frames, tone: float) -> Frames:
    """Return minimum-phase cepstra of the envelopes up to half of `RATE`, in amplitude."""
    hertz = np.arange(BINS + 1) * (RATE / 2 / BINS)
    places = np.minimum(hertz, HEARD_HZ) * (FINE / SPOKEN_RATE)
    lower = np.minimum(places.astype(int), power.shape[1] - 2)
    part = (places - lower).astype(np.float32)
    logs = 0.5 * np.log(power)
    spread = logs[:, lower] * (1 - part) + logs[:, lower + 1] * part
    above = np.maximum(0.0, hertz - HEARD_HZ) / 1000
    spread -= (above * FALL_PER_KHZ * np.log(10) / 20).astype(np.float32)
    cepstra = np.fft.irfft(spread, axis=1)[:, :CEPSTRUM]
    times = np.arange(CEPSTRUM) / RATE
    lifter = np.sinc(tone * times) * (1.3 - 0.3 * np.cos(2 * np.pi * tone * times))
    lifter[1:] *= 2
    return np.asarray(cepstra * lifter, np.float32)


def _measure_voicing(samples: Samples, starts: NDArray[np.int64], period: float) -> Frames:
    """Return how much each frame repeats itself after one period, below 2 kHz."""
    low = np.fft.rfft(samples)
    low[int(2000 * len(samples) / SPOKEN_RATE) :] = 0
    smooth = np.fft.irfft(low, len(samples)).astype(np.float32)
    width, lag = round(2 * period), round(period)
    padded = np.pad(smooth, ((width + lag) // 2, width + lag + HOP))
    pieces = padded[starts[:, None] + np.arange(width + lag)]
    first, second = pieces[:, :width], pieces[:, lag:]
    energy = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    alike = (first * second).sum(axis=1) / (energy + width * QUIET)
    return np.asarray(np.clip((alike - 0.45) / 0.35, 0, 1), np.float32)


def synthesize(colour: Colour, tone: Samples, places: Samples, seed: int) -> Samples:
    """Make a sound as long as `tone` (n,), in hertz; `places` (n,) says which frame is heard at each sample."""
    chance = np.random.default_rng(seed)
    phase = np.cumsum(tone, dtype=np.float64) / RATE
    count = int(phase[-1]) if len(phase) else 0
    beats = np.searchsorted(phase, np.arange(1, count + 1))
    out = np.zeros(len(tone) + 2 * BINS + LEAD, np.float32)
    for first in range(0, count, PULSES_AT_ONCE):
        group = beats[first : first + PULSES_AT_ONCE]
        late = phase[group] - np.arange(first + 1, first + 1 + len(group))
        delays = LEAD - late * (RATE / tone[group])
        spectra = _find_spectra(colour, places[group], delays)
        spectra *= np.exp(1j * _draw_phases(len(group), chance))
        spectra *= np.sqrt(RATE / tone[group])[:, None]
        for start, pulse in zip(group, np.fft.irfft(spectra, axis=1), strict=True):
            out[start : start + 2 * BINS] += pulse
    return out[LEAD : LEAD + len(tone)]


def _find_spectra(
    colour: Colour, places: Samples, delays: NDArray[np.floating]
) -> NDArray[np.complex64]:
    """Return the minimum-phase spectra between the frames, each delayed by this many samples."""
    lower = np.minimum(places.astype(int), len(colour.cepstra) - 2)
    part = (places - lower)[:, None].astype(np.float32)
    cepstra = colour.cepstra[lower] * (1 - part) + colour.cepstra[lower + 1] * part
    logs = np.fft.rfft(cepstra, 2 * BINS, axis=1).astype(np.complex64)
    turn = (-np.pi / BINS * np.arange(BINS + 1)).astype(np.float32)
    logs.imag += turn * delays[:, None].astype(np.float32)
    return np.asarray(np.exp(logs), np.complex64)


def _draw_phases(count: int, chance: np.random.Generator) -> Frames:
    """Draw phases at random, the more the higher."""
    hertz = np.arange(BINS + 1) * (RATE / 2 / BINS)
    rise = np.clip((hertz - BREATH_HZ[0]) / (BREATH_HZ[1] - BREATH_HZ[0]), 0, 1).astype(np.float32)
    return chance.standard_normal((count, BINS + 1), np.float32) * (np.pi * BREATH) * rise


@dataclass(frozen=True)
class Part:
    """A syllable in the spoken sound: samples at which it begins, is heard, its vowel begins and ends, it ends.

    `toned` and `toneless` are the spans of its phonemes that are nothing but tone, and nothing but noise.
    """

    begin: int
    heard: int
    vowel: int
    coda: int
    end: int
    toned: tuple[Span, ...]
    toneless: tuple[Span, ...]


@dataclass(frozen=True)
class Plan:
    """Moments of the song in seconds (k,) and the spoken samples heard then (k,); between them it is linear.

    `vowels` are the spans of the song in which a vowel is sung.
    """

    moments: NDArray[np.float64]
    samples: NDArray[np.float64]
    vowels: tuple[tuple[float, float], ...]


def split_breaths(held: Sequence[Held]) -> Iterator[list[Held]]:
    """Yield the syllables that are sung in one breath and in one language."""
    breath: list[Held] = []
    for syllable in held:
        before = breath[-1] if breath else None
        if before and (
            abs(syllable.start - before.end) > TIED
            or before.sung.language != syllable.sung.language
            or _is_too_dense([*breath, syllable])
        ):
            yield breath
            breath = []
        breath.append(syllable)
    if breath:
        yield breath


def _is_too_dense(breath: Sequence[Held]) -> bool:
    """Return whether espeak-ng could not speak the breath at once."""
    phonemes = sum(len(held.sung.onset) + 1 + len(held.sung.coda) for held in breath)
    size = sum(len(held.sung.spelled.encode()) + 1 for held in breath)
    return len(breath) > MOST_IN_A_BREATH or phonemes > MOST_PHONEMES or size > MOST_BYTES


def find_parts(spoken: Speech, syllables: Sequence[Sung]) -> list[Part]:
    """Return where each syllable is in the sound."""
    names = [name for sung in syllables for name in (*sung.onset, sung.vowel, *sung.coda)]
    starts = _find_starts(
        names, [(name.lstrip(STRESS), at) for name, at in spoken.phones], len(spoken.samples)
    )
    loud = np.abs(spoken.samples) > AUDIBLE * np.abs(spoken.samples).max(initial=0.0)
    parts, number = [], 0
    for sung in syllables:
        last = number + len(sung.onset) + 1 + len(sung.coda)
        begin, vowel, coda = (
            starts[at] for at in (number, number + len(sung.onset), last - len(sung.coda))
        )
        heard = begin + int(np.argmax(loud[begin:vowel])) if loud[begin:vowel].any() else vowel
        toned, toneless = (
            tuple(
                (starts[at], starts[at + 1]) for at in range(number, last) if kind.match(names[at])
            )
            for kind in (TONED, TONELESS)
        )
        coda = max(coda, vowel + 1)
        parts.append(Part(begin, heard, vowel, coda, max(starts[last], coda + 1), toned, toneless))
        number = last
    return parts


def _find_starts(names: Sequence[str], phones: Sequence[tuple[str, int]], length: int) -> list[int]:
    """Return when each phoneme begins, and when the last one ends.

    espeak-ng puts sounds between some phonemes, changes a few and does not tell of all.
    """
    spoken = [(name, at) for name, at in phones if not name.startswith("_")]
    last = next((at for name, at in phones if name.startswith("_:")), length)
    starts: list[int | None] = [None] * len(names) + [last]
    matcher = SequenceMatcher(None, names, [name for name, _ in spoken], autojunk=False)
    for _, first, end, other, other_end in matcher.get_opcodes():
        for step in range(min(end - first, other_end - other)):
            starts[first + step] = spoken[other + step][1]
    starts[0] = 0
    known = last
    for at in reversed(range(len(starts))):
        known = known if starts[at] is None else min(known, starts[at] or 0)
        starts[at] = known
    return [start or 0 for start in starts]


def plan_breath(held: Sequence[Held], parts: Sequence[Part]) -> Plan:
    """Plan when each moment of the spoken sound is heard, for syllables sung in one breath."""
    onsets = [_measure_onset(syllable, part) for syllable, part in zip(held, parts, strict=True)]
    knots: list[tuple[float, float]] = []
    vowels = []
    for at, (syllable, part) in enumerate(zip(held, parts, strict=True)):
        first = syllable.start - min(EARLY, onsets[at])
        vowel = first + onsets[at]
        closed = syllable.end
        if at + 1 < len(held):
            closed = held[at + 1].start - min(EARLY, onsets[at + 1])
            closed -= _measure_closure(syllable, parts[at + 1])
        room = CODA_SHARE * (closed - first)
        coda = closed - min(_to_seconds(part.end - part.coda), LONGEST_CODA, room)
        knots += _list_knots(part, first, vowel, coda, closed)
        vowels.append((vowel, coda))
    moments, samples = zip(*knots, strict=True)
    return Plan(np.maximum.accumulate(moments), np.asarray(samples, float), tuple(vowels))


def _measure_onset(syllable: Held, part: Part) -> float:
    """Return how long the sounds before the vowel take."""
    room = ONSET_SHARE * (syllable.end - syllable.start)
    return min(_to_seconds(part.vowel - part.heard), LONGEST_ONSET, room)


def _measure_closure(syllable: Held, following: Part) -> float:
    """Return how long it is still before the next syllable's first sound."""
    room = CLOSURE_SHARE * (syllable.end - syllable.start)
    return min(_to_seconds(following.heard - following.begin), LONGEST_CLOSURE, room)


def _list_knots(
    part: Part, first: float, vowel: float, coda: float, closed: float
) -> Iterator[tuple[float, float]]:
    """Yield the syllable's moments with their samples."""
    spoken = _to_seconds(part.coda - part.vowel)
    yield first, max(part.heard, part.vowel - HURRY * (vowel - first) * SPOKEN_RATE)
    yield vowel, part.vowel
    if coda - vowel > spoken:
        yield vowel + HELD_FROM * spoken, part.vowel + HELD_FROM * (part.coda - part.vowel)
        yield coda - (1 - HELD_TO) * spoken, part.vowel + HELD_TO * (part.coda - part.vowel)
    yield coda, part.coda
    yield closed, min(part.end, part.coda + HURRY * (closed - coda) * SPOKEN_RATE)


def _to_seconds(samples: float) -> float:
    return samples / SPOKEN_RATE


def sing_breath(
    held: Sequence[Held], spoken: Speech, voice: Voice, seed: int
) -> tuple[int, Samples]:
    """Return the sample of the song at which the breath begins, and its samples (n,)."""
    parts = find_parts(spoken, [syllable.sung for syllable in held])
    plan = plan_breath(held, parts)
    begin = round(plan.moments[0] * RATE)
    moments = np.arange(begin, round((plan.moments[-1] + AFTER) * RATE)) / RATE
    places = np.interp(moments, plan.moments, plan.samples)
    colour = analyse(spoken.samples, find_tone(spoken.samples))
    frames = np.minimum(places / HOP, len(colour.voiced) - 1.001).astype(np.float32)
    voiced = np.interp(frames, np.arange(len(colour.voiced)), _measure_tone(colour, parts))
    tones = [tone for syllable in held for tone in syllable.tones]
    tone = find_hertz(tones, moments, voice, seed).astype(np.float32)
    sung = synthesize(colour, tone, frames, seed)
    sound = _level_vowels(moments, spoken, parts, plan) * voiced * sung
    sound += _keep_hiss(spoken, places, voiced)
    return begin, np.asarray(_fade_edges(moments, plan) * sound, np.float32)


def _measure_tone(colour: Colour, parts: Sequence[Part]) -> Samples:
    """Return how much tone each frame has: as measured, but certain where a phoneme is only tone or noise."""
    toned = colour.voiced.copy()
    for part in parts:
        for spans, value in ((part.toneless, 0), (part.toned, 1)):
            for start, end in spans:
                toned[-(-start // HOP) : end // HOP + 1] = value
    return toned


def _level_vowels(moments: Moments, spoken: Speech, parts: Sequence[Part], plan: Plan) -> Moments:
    """Return the gain that makes the vowels nearly equally loud."""
    loud = [_measure_vowel(spoken.samples, part) for part in parts]
    gains = [np.clip((LEVEL / max(value, 1e-4)) ** EVENED, SOFTER, LOUDER) for value in loud]
    marks = [(start + end) / 2 for start, end in plan.vowels]
    return np.interp(moments, marks, gains)


def _measure_vowel(samples: Samples, part: Part) -> float:
    """Measure the loudness of the part of a vowel that is held, about."""
    first, last = (part.vowel + int(share * (part.coda - part.vowel)) for share in HELD)
    held = samples[first : max(last, first + 1)]
    return float(np.sqrt(np.square(held).mean())) if len(held) else 0.0


def _keep_hiss(spoken: Speech, places: Moments, voiced: Moments) -> Moments:
    """Return the spoken sound where it has no tone, no louder than a consonant may be."""
    heard = np.interp(places, np.arange(len(spoken.samples)), spoken.samples) * (1 - voiced)
    window = np.full(HISS_SAMPLES, 1 / HISS_SAMPLES)
    loud = np.sqrt(np.convolve(np.square(heard), window, "same"))
    return heard * np.minimum(1.0, LOUDEST_HISS * LEVEL / np.maximum(loud, 1e-6))


def _fade_edges(moments: Moments, plan: Plan) -> Moments:
    """Return a curve that rises quickly and falls softly."""
    since, until = moments - plan.moments[0], plan.moments[-1] + AFTER - moments
    rise, fall = np.clip(since / RISE, 0, 1), np.clip(until / FALL, 0, 1)
    return np.asarray(rise * fall * fall * (3 - 2 * fall))
