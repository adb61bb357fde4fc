"""A song sung by Kokoro."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from threading import Event

import numpy as np

from studio.samples import RATE, Samples, add_at
from studio.singer.espeak import espeak, find_espeak
from studio.singer.finish import finished
from studio.singer.kokoro.curves import Curve
from studio.singer.kokoro.line import spoken_line, sung_line
from studio.singer.kokoro.package import (
    BrokenGraphsError,
    Voices,
    forget_graphs,
    graphs_in,
    voices,
)
from studio.singer.kokoro.process import Kokoro, kokoro
from studio.singer.kokoro.reading import notes_of, spelled_words, words_in
from studio.singer.kokoro.tokens import Note, parts_of
from studio.singer.melody import hertz_at
from studio.singer.phrase import Phrase, Spoken, Syllable
from studio.singer.reading import ENGLISH
from studio.singer.voices import VOICES, Voice
from studio.syllables import syllables_of

SECONDS_TO_LOAD, SLOWEST = 60.0, 10.0
"""How long the model may take at most to be loaded, and to sing a second of a song (measured: 0.8 s and 0.4 s)."""
MOST_SPOKEN = 40
"""Syllables: what is longer fits into no pause."""


def sung_by_kokoro(
    phrases: Sequence[Phrase],
    language: str,
    voice: str,
    seconds: float,
    cache: Path,
    stop: Event,
    spoken: Spoken | None = None,
) -> Samples:
    """The voice alone, dry, float32 (n,) of that length; the same arguments give the same samples on one machine.

    What is `spoken` is left out where none of its pauses is long enough. `language` is KOREAN or ENGLISH, `voice`
    the name of one of `VOICES`; the model's graphs are kept in `cache`, and made anew where they are broken.

    Raises:
        MissingPartError: `voice_missing` or `singer_missing`.
        TemporaryError: `voice_failed` or `singer_failed`.
        StoppedError: `stop` was set.
        OSError: the machine has no room for another process, or `cache` cannot be written.
    """
    arguments = (phrases, language, VOICES[voice], seconds, cache, stop, spoken)
    try:
        song = _dry(*arguments)
    except BrokenGraphsError:
        forget_graphs(cache)
        song = _dry(*arguments)
    return finished(song, VOICES[voice])


def _dry(
    phrases: Sequence[Phrase],
    language: str,
    singer: Voice,
    seconds: float,
    cache: Path,
    stop: Event,
    spoken: Spoken | None,
) -> Samples:
    with kokoro(graphs_in(cache), stop, SECONDS_TO_LOAD + SLOWEST * seconds) as model:
        known = voices()  # the model is loaded meanwhile
        *sung, words = _lines([*phrases, _as_phrase(spoken)], language)
        song = _sung(sung, model, known, singer, seconds)
        if spoken is not None and 0 < len(words) <= MOST_SPOKEN:
            _speak(words, spoken, song, model, known, singer)
    return song


def _sung(
    lines: Sequence[Sequence[Note]], model: Kokoro, known: Voices, singer: Voice, seconds: float
) -> Samples:
    song = np.zeros(round(seconds * RATE), np.float32)
    parts = (part for line in lines if line for part in parts_of(line))
    for seed, notes in enumerate(parts):

        def pitch(notes: Sequence[Note], at: Curve, seed: int = seed) -> Curve:
            tones = [tone for note in notes for tone in note.held.tones]
            return hertz_at(tones, at, singer, seed)

        first, samples = sung_line(notes, model, known, singer.timbre, pitch)
        add_at(song, first, samples)
    return song


def _speak(
    words: Sequence[Note],
    spoken: Spoken,
    song: Samples,
    model: Kokoro,
    known: Voices,
    singer: Voice,
) -> None:
    longest = max(end - start for start, end in spoken.pauses)
    samples = spoken_line(words, model, known, singer.timbre, longest)
    length = len(samples) / RATE
    fits = (start for start, end in spoken.pauses if start + length <= end)
    for start in islice(fits, 1):
        add_at(song, round(start * RATE), samples)


def _as_phrase(spoken: Spoken | None) -> Phrase:
    """What is spoken as even notes, whose times do not count."""
    pieces = syllables_of(spoken.text) if spoken else []
    return tuple(Syllable(piece, float(number), 1.0, 0) for number, piece in enumerate(pieces))


def _lines(phrases: Sequence[Phrase], language: str) -> list[list[Note]]:
    words = words_in(phrases, language)
    texts = spelled_words(words)
    names: list[list[str]] = []
    if texts:
        with espeak(find_espeak()) as speaker:
            names = speaker.spell(texts, ENGLISH)
    spelled = dict(zip(texts, names, strict=True))
    return [notes_of(phrase, read, spelled) for phrase, read in zip(phrases, words, strict=True)]
