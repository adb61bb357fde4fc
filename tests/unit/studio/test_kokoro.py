"""How a line becomes what Kokoro is asked: signs, tokens and their lengths."""

from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.genres import read_genres
from studio.singer.kokoro.line import (
    END,
    FRAME,
    KOKORO_RATE,
    LATE,
    LEAD,
    MOST_TOKENS,
    PLAIN,
    REST,
    Note,
    Part,
    Token,
    draw_tone,
    lift_energy,
    list_spelled,
    list_tokens,
    plan_lengths,
    read_signs,
    resample,
    split_parts,
    write_korean,
    write_notes,
)
from studio.singer.kokoro.model import read_voices
from studio.singer.reading import Held, Phrase, Sung, Syllable, Tone, read_phrases
from studio.sound import RATE
from studio.words import split_syllables

SIGNS = {sign for table in read_signs().values() for sign in table.values()}


def phrase(text: str, seconds: float = 0.3) -> Phrase:
    return tuple(
        Syllable(piece, 1 + number * seconds, seconds, 57)
        for number, piece in enumerate(split_syllables(text))
    )


def korean_notes(text: str) -> list[Note]:
    sung = phrase(text)
    (words,) = read_phrases([sung], "ko")
    return write_notes(sung, words, {})


@st.composite
def lines(draw: st.DrawFn) -> list[Note]:
    """Notes one after the other, some with a rest before them."""
    moment, notes = draw(st.floats(0.5, 5)), []
    for _ in range(draw(st.integers(1, 12))):
        moment += draw(st.sampled_from([0.0, 0.0, 0.3]))
        length = draw(st.floats(0.08, 2))
        signs = (
            draw(st.sampled_from(["", "k", "sp", "str"])),
            draw(st.sampled_from(["ˈA", "ə", "a", "ɑɹ", "ˌIəɹ"])),
            draw(st.sampled_from(["", "n", "sts"])),
        )
        held = Held(
            Sung((), "a", (), "ko", 0, 1),
            (Tone(moment, moment + length, draw(st.integers(45, 65))),),
        )
        notes.append(Note(signs, held, draw(st.booleans())))
        moment += length
    return notes


def placed(notes: list[Note], own: int) -> tuple[list[Token], list[int], float]:
    tokens = list_tokens(notes)
    return tokens, *plan_lengths(notes, tokens, [own] * len(tokens))


@pytest.mark.parametrize("signs", sorted(SIGNS | PLAIN))
def test_every_sign_is_one_that_the_voice_reads(signs):
    assert set(signs) <= set(read_voices().symbols)


def test_every_singer_has_a_voice_that_is_installed():
    assert {genre.voice.timbre for genre in read_genres().values()} <= set(read_voices().styles)


def test_singers_use_every_voice_there_is():
    assert {genre.voice.timbre for genre in read_genres().values()} == set(read_voices().styles)


def test_plain_tense_and_aspirated_stops_of_korean_differ_inside_of_a_word():
    assert len({write_korean(letter, "ㄴ")[0] for letter in ("가", "까", "카")}) == 3


def test_r_between_l_is_l():
    assert [note.signs[0] for note in korean_notes("달래")] == ["t", "l"]


def test_words_in_hangul_are_not_spelled():
    words = read_phrases([phrase("봄날 Bakery")], "ko")
    assert list_spelled(words) == ["Bakery"]


def test_a_line_that_is_too_long_for_the_model_is_cut_at_words():
    line = korean_notes("나무 " * 300)
    parts = [*split_parts(line)]
    assert [each for part in parts for each in part] == line
    assert all(len(list_tokens(part)) <= MOST_TOKENS for part in parts)
    assert all(part[-1].ends_word for part in parts)


def test_a_line_ends_with_a_rest():
    assert list_tokens(korean_notes("여기는 카페"))[-1].sign == END


def test_a_rest_is_read_where_notes_are_apart():
    one, other = korean_notes("가"), korean_notes("나")
    apart = [*one, Note(other[0].signs, Held(other[0].held.sung, (Tone(3, 4, 57),)), True)]
    assert REST in [token.sign for token in list_tokens(apart)]


@given(notes=lines(), own=st.integers(1, 20))
def test_lengths_hold_every_token_that_sounds(notes, own):
    tokens, lengths, _ = placed(notes, own)
    silent = (Part.SPACE, Part.REST)
    assert all(
        frames >= 1 or token.part in silent or token.sign in "ˈˌ" or token.part is Part.NUCLEUS
        for token, frames in zip(tokens, lengths, strict=True)
    )


@given(notes=lines(), own=st.integers(1, 20))
def test_lengths_are_never_negative(notes, own):
    assert min(placed(notes, own)[1]) >= 0


@given(notes=lines(), own=st.integers(1, 20))
def test_a_vowel_begins_within_a_tenth_of_a_second_of_its_note(notes, own):
    unhurried = [note for note in notes if note.held.end - note.held.start > 0.5]
    if len(unhurried) < len(notes):
        return
    tokens, lengths, begin = placed(notes, own)
    starts = [begin + LEAD * FRAME + FRAME * n for n in accumulate(lengths, initial=0)]
    for number, note in enumerate(notes):
        first = next(
            at
            for at, token in enumerate(tokens)
            if (token.note, token.part) == (number, Part.NUCLEUS)
        )
        onset = sum(token.note == number and token.part is Part.ONSET for token in tokens)
        assert abs(starts[first] - LATE - note.held.start) <= 0.06 + 5 * FRAME * onset


@given(notes=lines())
def test_a_tone_is_sung_in_every_vowel(notes):
    tokens, lengths, _ = placed(notes, 3)
    bounds = [*accumulate((LEAD, *lengths, 2), initial=0)]
    silent = np.zeros(2 * bounds[-1], np.float32)
    tone = draw_tone(silent, np.full(len(silent), 220.0), tokens, bounds)[0]
    for token, (first, end) in zip(tokens, pairwise(bounds[1:-1]), strict=True):
        if token.part is Part.NUCLEUS:
            assert (tone[max(2 * first - 5, 0) : max(2 * end - 5, 0)] == 220).all()


def test_the_energy_of_a_faded_word_is_lifted():
    tokens, lengths, _ = placed(korean_notes("하나 둘 셋"), 3)
    bounds = [*accumulate((LEAD, *lengths, 2), initial=0)]
    last = max(at for at, token in enumerate(tokens) if token.part is Part.NUCLEUS)
    middle = bounds[1 + last] + bounds[2 + last] - 5
    own = np.linspace(2, -2, 2 * bounds[-1], dtype=np.float32)
    assert lift_energy(own, tokens, bounds)[0, middle] > own[middle]


@given(count=st.integers(1, 5_000))
def test_resampling_keeps_the_length_in_seconds(count):
    samples = resample(np.zeros(count, np.float32))
    assert abs(len(samples) / RATE - count / KOKORO_RATE) < 1 / RATE


def test_resampling_keeps_a_tone():
    def tone(rate: int) -> np.ndarray:
        return np.sin(2 * np.pi * 440 * np.arange(rate) / rate).astype(np.float32)

    assert np.allclose(resample(tone(KOKORO_RATE))[1000:-1000], tone(RATE)[1000:-1000], atol=0.01)
