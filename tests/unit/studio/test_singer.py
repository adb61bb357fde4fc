"""The laws of the voice, measured in its sound.

A syllable's onset is the first moment at which the voice has a tenth of the note's loudness, where a rest comes
before it; inside a phrase, between syllables that begin with a vowel or a sonorant, it is the moment at which the
pitch passes the middle of the two notes.
"""

from collections.abc import Sequence
from itertools import pairwise
from threading import Event
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.pitch import find_crossing, find_onset, measure_pitches
from studio.errors import StoppedError
from studio.genres import get_genre
from studio.singer import singing
from studio.singer.reading import Phrase, Syllable
from studio.singer.singing import VocalPart, sing_plainly
from studio.sound import RATE, Samples
from studio.words import split_syllables

MOST_CENTS, MOST_SECONDS = 15, 0.04
SPOKEN = {"Korean": "ko", "English": "en-us"}
SINGERS = [(language, voice) for language in SPOKEN for voice in ("ballad", "trot")]
APART = {
    "Korean": ["가", "노", "더", "리", "밤", "사", "책", "강", "하", "꽃"],
    "English": ["cof", "light", "stay", "sing", "day", "friend", "world", "bread", "love", "you"],
}
TIED = {"Korean": "나라마 아너루 야미로", "English": "la me no you we low may row"}


def sing(
    phrases: Sequence[Phrase], language: str, voice: str, seconds: float, **how: Any
) -> Samples:
    part = VocalPart(phrases, SPOKEN[language], get_genre(voice).voice, seconds)
    return sing_plainly(part, **how)


each_singer = pytest.mark.parametrize(("language", "voice"), SINGERS)


def apart(language: str, voice: str) -> list[Phrase]:
    """Held notes up and down the voice's range, with rests between."""
    low, high = get_genre(voice).voice.low, get_genre(voice).voice.high
    return [
        (Syllable(text, 0.3 + 0.7 * number, 0.45, low + 5 * number % (high - low)),)
        for number, text in enumerate(APART[language])
    ]


def tied(language: str, voice: str) -> Phrase:
    """Short notes in one breath, a fifth up and down."""
    low = get_genre(voice).voice.low
    return tuple(
        Syllable(text, 0.3 + 0.3 * number, 0.3, low + 5 + 7 * (number % 2))
        for number, text in enumerate(split_syllables(TIED[language]))
    )


def line(text: str, pitch: int = 65, seconds: float = 0.2) -> Phrase:
    return tuple(
        Syllable(piece, number * seconds, seconds, pitch)
        for number, piece in enumerate(split_syllables(text))
    )


def cents_off(voice: Samples, note: Syllable) -> float:
    heard = measure_pitches(voice, note.start + 0.12, note.start + note.seconds - 0.06)
    return float(100 * np.median(np.abs(heard - note.pitch)))


@each_singer
def test_held_notes_are_in_tune(language, voice):
    phrases = apart(language, voice)
    sung = sing(phrases, language, voice, 8)
    assert max(cents_off(sung, note) for (note,) in phrases) <= MOST_CENTS


@each_singer
def test_syllables_after_a_rest_begin_on_time(language, voice):
    phrases = apart(language, voice)
    sung = sing(phrases, language, voice, 8)
    late = [
        find_onset(sung, note.start - 0.15, note.start + 0.4) - note.start for (note,) in phrases
    ]
    assert max(map(abs, late)) <= MOST_SECONDS


@each_singer
def test_syllables_inside_a_phrase_begin_on_time(language, voice):
    phrase = tied(language, voice)
    sung = sing([phrase], language, voice, 4)
    late = [
        find_crossing(sung, note.start, before.pitch, note.pitch) - note.start
        for before, note in pairwise(phrase)
    ]
    assert max(map(abs, late)) <= MOST_SECONDS


def test_a_word_is_sung_over_all_its_notes():
    notes = (
        Syllable("choc", 0.2, 0.5, 60),
        Syllable("o", 0.7, 0.5, 64),
        Syllable("late", 1.2, 0.5, 67),
    )
    sung = sing([notes], "English", "ballad", 2)
    assert max(cents_off(sung, note) for note in notes) <= MOST_CENTS


def test_several_syllables_on_one_note_keep_its_pitch():
    (note,) = (Syllable("24", 0.2, 0.9, 64),)
    assert cents_off(sing([(note,)], "Korean", "ballad", 1.3), note) <= MOST_CENTS


def test_rests_are_silent():
    sung = sing([line("가"), (Syllable("나", 1.5, 0.3, 64),)], "Korean", "ballad", 2)
    assert np.abs(sung[round(0.4 * RATE) : round(1.4 * RATE)]).max() < 1e-4


def test_marks_are_not_sung():
    assert not sing([line("!? … 😀")], "English", "ballad", 1).any()


def test_what_lies_after_the_end_is_not_sung():
    assert len(sing([line("끝까지 노래해요")], "Korean", "ballad", 0.5)) == round(0.5 * RATE)


def test_the_same_song_is_sung_the_same_way():
    first, second = (sing([line("Hello 세상 24")], "Korean", "edm", 2) for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize("word", ["strengths ", "7", "tsk", "쀍"])
def test_a_long_breath_of_dense_syllables_is_sung(word):
    assert sing([line(word * 60, seconds=0.05)], "English", "ballad", 3).any()


def test_a_singer_that_is_stopped_sings_no_more():
    stop = Event()
    stop.set()
    with pytest.raises(StoppedError):
        sing([line("가")], "Korean", "ballad", 0.5, stop=stop)


def test_a_singer_that_may_be_stopped_sings_the_same():
    alone, watched = (sing([line("가")], "Korean", "ballad", 0.5, stop=s) for s in (None, Event()))
    assert np.array_equal(alone, watched)


def test_an_unknown_language_is_sung_as_english():
    lines = [line("24 hours")]
    tamil, english = (
        singing.sing(lines, name, get_genre("ballad").voice, 1)[0] for name in ("Tamil", "English")
    )
    assert np.array_equal(tamil, english)


@given(
    st.lists(st.text(max_size=30), max_size=3),
    st.sampled_from(SINGERS),
    st.floats(0.01, 0.6),
    st.floats(0, 4),
)
@settings(max_examples=25)
def test_any_text_is_sung_in_full_scale_and_length(texts, singer, step, seconds):
    language, voice = singer
    sung = sing([line(text, seconds=step) for text in texts], language, voice, seconds)
    assert (sung.dtype, sung.shape) == (np.float32, (round(seconds * RATE),))
    assert np.isfinite(sung).all()
    assert np.abs(sung).max(initial=0) <= 1


def test_a_low_singer_is_replaced_an_octave_higher():
    note = Syllable("라", 0.3, 0.9, 45)
    sung = sing([(note,)], "Korean", "rock", 1.5)
    heard = measure_pitches(sung, 0.6, 1.0)
    assert abs(100 * float(np.median(heard - 57))) < MOST_CENTS
