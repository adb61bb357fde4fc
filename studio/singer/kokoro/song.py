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
from studio.singer.kokoro.package import graphs_in, voices
from studio.singer.kokoro.process import kokoro
from studio.singer.kokoro.reading import notes_of, spelled_words, words_in
from studio.singer.kokoro.tokens import Note
from studio.singer.melody import hertz_at
from studio.singer.phrase import Phrase, Spoken, Syllable
from studio.singer.reading import ENGLISH
from studio.singer.voices import VOICES
from studio.syllables import syllables_of


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
    the name of one of `VOICES`; the model's graphs are kept in `cache`.

    Raises:
        MissingPartError: `voice_missing` or `singer_missing`.
        TemporaryError: `voice_failed` or `singer_failed`.
        StoppedError: `stop` was set.
        OSError: the machine has no room for another process, or `cache` cannot be written.
    """
    singer = VOICES[voice]
    song = np.zeros(round(seconds * RATE), np.float32)
    with kokoro(graphs_in(cache), stop) as model:  # which is loaded meanwhile
        known = voices()
        *sung, words = _lines([*phrases, _as_phrase(spoken)], language)
        lines = [line for line in sung if line]
        for seed, line in enumerate(lines):

            def pitch(notes: Sequence[Note], at: Curve, seed: int = seed) -> Curve:
                tones = [tone for note in notes for tone in note.held.tones]
                return hertz_at(tones, at, singer, seed)

            first, samples = sung_line(line, model, known, singer.timbre, pitch)
            add_at(song, first, samples)
        if spoken is not None and words:
            samples = spoken_line(words, model, known, singer.timbre)
            length = len(samples) / RATE
            fits = (start for start, end in spoken.pauses if start + length <= end)
            for start in islice(fits, 1):
                add_at(song, round(start * RATE), samples)
    return finished(song, singer)


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
