"""A song sung by Kokoro."""

from collections.abc import Sequence
from pathlib import Path
from threading import Event

import numpy as np

from studio.samples import RATE, Samples
from studio.singer.espeak import espeak, find_espeak
from studio.singer.finish import finished
from studio.singer.kokoro.curves import Curve
from studio.singer.kokoro.line import spoken_line, sung_line
from studio.singer.kokoro.package import graphs_in, voices
from studio.singer.kokoro.process import kokoro
from studio.singer.kokoro.reading import notes_of, spelled_words, words_in
from studio.singer.kokoro.tokens import Note
from studio.singer.melody import STEP, melody
from studio.singer.phrase import Phrase, Spoken, Syllable
from studio.singer.reading import ENGLISH
from studio.singer.voices import VOICES, Voice
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

    What is `spoken` is left out where the song ends before it does. `language` is KOREAN or ENGLISH, `voice` the
    name of one of `VOICES`; the model's graphs are kept in `cache`.

    Raises:
        MissingPartError: `voice_missing` or `singer_missing`.
        TemporaryError: `voice_failed` or `singer_failed`.
        StoppedError: `stop` was set.
        OSError: the machine has no room for another process, or `cache` cannot be written.
    """
    singer = VOICES[voice]
    known = voices()
    lines = [line for line in _lines(phrases, language) if line]
    song = np.zeros(round(seconds * RATE), np.float32)
    with kokoro(graphs_in(cache), stop) as model:
        for seed, line in enumerate(lines):

            def pitch(notes: Sequence[Note], at: Curve, seed: int = seed) -> Curve:
                return _hertz(notes, at, singer, seed)

            first, samples = sung_line(line, model, known, singer.timbre, pitch)
            _add(song, first, samples)
        if spoken is not None and (words := _words(spoken, language)):
            samples = spoken_line(words, model, known, singer.timbre)
            first = round(spoken.start * RATE)
            if first + len(samples) <= len(song):
                _add(song, first, samples)
    return finished(song, singer)


def _words(spoken: Spoken, language: str) -> list[Note]:
    """The spoken words as a line of even notes, whose times do not count."""
    pieces = syllables_of(spoken.text)
    phrase = tuple(Syllable(piece, float(number), 1.0, 0) for number, piece in enumerate(pieces))
    (notes,) = _lines([phrase], language)
    return notes


def _lines(phrases: Sequence[Phrase], language: str) -> list[list[Note]]:
    words = words_in(phrases, language)
    texts = spelled_words(words)
    names: list[list[str]] = []
    if texts:
        with espeak(find_espeak()) as speaker:
            names = speaker.spell(texts, ENGLISH)
    spelled = dict(zip(texts, names, strict=True))
    return [notes_of(phrase, read, spelled) for phrase, read in zip(phrases, words, strict=True)]


def _hertz(notes: Sequence[Note], at: Curve, singer: Voice, seed: int) -> Curve:
    tones = [tone for note in notes for tone in note.held.tones]
    curve = melody(tones, float(at[0]), float(at[-1]) + STEP, singer, seed)
    pitch = np.interp(at, at[0] + np.arange(len(curve)) * STEP, curve)
    return np.asarray(440 * 2 ** ((pitch - 69) / 12))


def _add(song: Samples, first: int, samples: Samples) -> None:
    """The samples at their place, as far as the song lasts."""
    cut = max(0, -first)
    room = song[first + cut :]
    part = samples[cut : cut + len(room)]
    room[: len(part)] += part
