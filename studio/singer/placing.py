"""When what was spoken is sung: which moment of the spoken sound is heard at each moment of the song. numpy only.

Consonants keep their own time, or are hurried or cut at their far end where a note is short; what is stretched
is the middle of a vowel.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from studio.singer.espeak import SPOKEN_RATE, Spoken
from studio.singer.phrase import Phrase
from studio.singer.reading import STRESS, VOWEL, Sung

EARLY = 0.03
"""Seconds by which a consonant comes before its note."""
LONGEST_ONSET, LONGEST_CODA, LONGEST_CLOSURE = 0.09, 0.14, 0.05
ONSET_SHARE, CODA_SHARE, CLOSURE_SHARE = 0.36, 0.28, 0.2
HURRY = 1.6
HELD_FROM, HELD_TO = 0.3, 0.55
"""The part of a vowel that is held."""
TIED = 0.03
"""Seconds between two notes that are still sung in one breath."""
MOST_IN_A_BREATH, MOST_PHONEMES, MOST_BYTES = 32, 120, 240
"""Syllables, their phonemes and the text of these; espeak-ng crashes at 192 phonemes in 411 bytes."""
AUDIBLE = 0.04
TONELESS = re.compile(r"[ptkqsSfhTxC]")
TONED = re.compile(rf"{VOWEL.pattern}|[mnNlLrRwj*]")

Span = tuple[int, int]


@dataclass(frozen=True)
class Tone:
    """One pitch for some time, in seconds of the song."""

    start: float
    end: float
    pitch: int


@dataclass(frozen=True)
class Held:
    """A syllable and the tones it is sung on, one after the other."""

    sung: Sung
    tones: tuple[Tone, ...]

    @property
    def start(self) -> float:
        """When its first tone begins."""
        return self.tones[0].start

    @property
    def end(self) -> float:
        """When its last tone ends."""
        return self.tones[-1].end


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


def held_syllables(phrase: Phrase, sung: Sequence[Sung]) -> list[Held]:
    """The syllables on the notes of their pieces; several on one piece share its time."""
    held = []
    for syllable in sung:
        notes = phrase[syllable.first : syllable.last]
        if syllable.parts > 1:
            length = notes[0].seconds / syllable.parts
            start = notes[0].start + syllable.part * length
            tones = [Tone(start, start + length, notes[0].pitch)]
        else:
            tones = [Tone(note.start, note.start + note.seconds, note.pitch) for note in notes]
        if all(tone.end > tone.start for tone in tones):
            held.append(Held(syllable, tuple(tones)))
    return held


def breaths(held: Sequence[Held]) -> Iterator[list[Held]]:
    """The syllables that are sung in one breath and in one language."""
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
    """Whether espeak-ng could not speak it at once."""
    phonemes = sum(len(held.sung.onset) + 1 + len(held.sung.coda) for held in breath)
    size = sum(len(held.sung.spelled.encode()) + 1 for held in breath)
    return len(breath) > MOST_IN_A_BREATH or phonemes > MOST_PHONEMES or size > MOST_BYTES


def parts_of(spoken: Spoken, syllables: Sequence[Sung]) -> list[Part]:
    """Where each syllable is in the sound."""
    names = [name for sung in syllables for name in (*sung.onset, sung.vowel, *sung.coda)]
    starts = _starts(
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


def _starts(names: Sequence[str], phones: Sequence[tuple[str, int]], length: int) -> list[int]:
    """When each phoneme begins, and when the last one ends.

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


def planned(held: Sequence[Held], parts: Sequence[Part]) -> Plan:
    """When each moment of the spoken sound is heard, for syllables sung in one breath."""
    onsets = [_onset(syllable, part) for syllable, part in zip(held, parts, strict=True)]
    knots: list[tuple[float, float]] = []
    vowels = []
    for at, (syllable, part) in enumerate(zip(held, parts, strict=True)):
        first = syllable.start - min(EARLY, onsets[at])
        vowel = first + onsets[at]
        closed = syllable.end
        if at + 1 < len(held):
            closed = held[at + 1].start - min(EARLY, onsets[at + 1])
            closed -= _closure(syllable, parts[at + 1])
        room = CODA_SHARE * (closed - first)
        coda = closed - min(_seconds(part.end - part.coda), LONGEST_CODA, room)
        knots += _knots(part, first, vowel, coda, closed)
        vowels.append((vowel, coda))
    moments, samples = zip(*knots, strict=True)
    return Plan(np.maximum.accumulate(moments), np.asarray(samples, float), tuple(vowels))


def _onset(syllable: Held, part: Part) -> float:
    """How long the sounds before the vowel take."""
    room = ONSET_SHARE * (syllable.end - syllable.start)
    return min(_seconds(part.vowel - part.heard), LONGEST_ONSET, room)


def _closure(syllable: Held, following: Part) -> float:
    """How long it is still before the next syllable's first sound."""
    room = CLOSURE_SHARE * (syllable.end - syllable.start)
    return min(_seconds(following.heard - following.begin), LONGEST_CLOSURE, room)


def _knots(
    part: Part, first: float, vowel: float, coda: float, closed: float
) -> Iterator[tuple[float, float]]:
    """The syllable's moments with their samples."""
    spoken = _seconds(part.coda - part.vowel)
    yield first, max(part.heard, part.vowel - HURRY * (vowel - first) * SPOKEN_RATE)
    yield vowel, part.vowel
    if coda - vowel > spoken:
        yield vowel + HELD_FROM * spoken, part.vowel + HELD_FROM * (part.coda - part.vowel)
        yield coda - (1 - HELD_TO) * spoken, part.vowel + HELD_TO * (part.coda - part.vowel)
    yield coda, part.coda
    yield closed, min(part.end, part.coda + HURRY * (closed - coda) * SPOKEN_RATE)


def _seconds(samples: float) -> float:
    return samples / SPOKEN_RATE
