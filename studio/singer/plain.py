"""A song sung by espeak-ng: understood only in part, and there where the better voice is not."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from threading import Event

import numpy as np

from studio.errors import StoppedError
from studio.samples import RATE, Samples, add_at
from studio.singer.espeak import Espeak, Installation, Spoken, espeak, find_espeak
from studio.singer.finish import finished
from studio.singer.phrase import Phrase
from studio.singer.placing import Held, breaths, held_syllables
from studio.singer.reading import ENGLISH, KOREAN, sung_syllables, words_of
from studio.singer.take import taken
from studio.singer.voices import VOICES

WORDS_A_MINUTE = 140
LOWEST, OCTAVE = 48, 12
"""The lowest MIDI note that this voice is understood on; a lower singer's song is sung an octave higher."""
VARIANT, PITCH = "m3", 50
"""Of espeak-ng's variants the one that was best understood when it sang (a plain man, low)."""


def sung_plainly(
    phrases: Sequence[Phrase],
    language: str,
    voice: str,
    seconds: float,
    installation: Installation | None = None,
    stop: Event | None = None,
) -> Samples:
    """The voice alone, dry, float32 (n,) of that length; the same arguments give the same samples.

    `language` is KOREAN or ENGLISH, `voice` the name of one of `VOICES`. `stop` is looked at before every breath.

    Raises:
        StoppedError: `stop` was set.
        MissingPartError: `singer_missing`.
        TemporaryError: `singer_failed`.
        OSError: the machine has no room for another process.
    """
    singer = replace(VOICES[voice], vibrato=0.0, double=0.0)
    if singer.low < LOWEST:
        phrases = [_higher(phrase) for phrase in phrases]
    with espeak(installation or find_espeak()) as speaker:
        groups = _breaths(phrases, language, speaker)
        sounds = _sounds(groups, speaker)
    song = np.zeros(round(seconds * RATE), np.float32)
    for seed, (group, spoken) in enumerate(zip(groups, sounds, strict=True)):
        if stop is not None and stop.is_set():
            raise StoppedError("the song was stopped")
        if len(spoken.samples):
            take = taken(group, spoken, singer, seed)
            add_at(song, take.first, take.samples)
    return finished(song, singer)


def _higher(phrase: Phrase) -> Phrase:
    return tuple(replace(syllable, pitch=syllable.pitch + OCTAVE) for syllable in phrase)


def _breaths(phrases: Sequence[Phrase], language: str, speaker: Espeak) -> list[list[Held]]:
    """What is sung in one breath each, all phrases' words spelled at once."""
    read = [words_of([syllable.text for syllable in phrase], language) for phrase in phrases]
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
            for syllable in sung_syllables(word, spelled[word.language, word.text])
        ]
        groups += list(breaths(held_syllables(phrase, sung)))
    return groups


def _sounds(groups: Sequence[Sequence[Held]], speaker: Espeak) -> list[Spoken]:
    """How each breath sounds when it is spoken."""
    found: dict[int, Spoken] = {}
    for spoken_in in (KOREAN, ENGLISH):
        own = [at for at, group in enumerate(groups) if group[0].sung.language == spoken_in]
        texts = ["|".join(held.sung.spelled for held in groups[at]) for at in own]
        voice = f"{spoken_in}+{VARIANT}"
        sounds = speaker.speak(texts, voice, PITCH, WORDS_A_MINUTE) if texts else []
        found |= zip(own, sounds, strict=True)
    return [found[at] for at in range(len(groups))]
