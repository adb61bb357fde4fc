from functools import cache

import numpy as np
import pytest

from studio.band.instruments import INSTRUMENTS
from studio.band.melody import Hit, Note
from studio.band.mixing import (
    CEILING,
    add_drums,
    add_notes,
    fade_edges,
    make_room,
    make_silence,
    master,
    measure_loudness,
    measure_peak,
    measure_voice,
    produce_voice,
    pump,
    ride,
)
from studio.band.song import STEMS, VOCALS_OVER_BAND, Song, play
from studio.band.tones import make_tone, read_kits
from studio.content import ContentError
from studio.genres import read_genres
from studio.sound import RATE, Samples

LYRIC = "[Verse]\n군산 골목에 햇살이\n[Chorus]\n여기는 스테이 머뭄\n다 함께 노래해요"
WHOLE = [(0.0, 2.0)]
every_genre = pytest.mark.parametrize("genre", sorted(read_genres()))


@cache
def sung(genre: str) -> Song:
    return play(LYRIC, read_genres()[genre], 10, "a", language="Korean", vocals=True, stems=True)


@cache
def instrumental(genre: str) -> Song:
    return play(LYRIC, read_genres()[genre], 10, "a", language="Korean", vocals=False, stems=True)


def sine(hertz: float, level: float, seconds: float = 2.0) -> Samples:
    wave = level * np.sin(2 * np.pi * hertz * np.arange(int(seconds * RATE)) / RATE)
    return np.stack([wave, wave], axis=1).astype(np.float32)


def added_up(song: Song) -> Samples:
    return np.sum([song.stems[name] for name in song.stems], axis=0, dtype=np.float32)


def rms(samples: Samples) -> float:
    return float(np.sqrt(np.square(samples, dtype=np.float64).mean()))


def decibels(ratio: float) -> float:
    return 20 * float(np.log10(ratio))


@every_genre
def test_the_voice_is_heard_well_over_the_band(genre):
    song = sung(genre)
    band = added_up(song) - song.stems["vocals"]
    spans = [(line.start, line.end) for line in song.lines]
    assert measure_voice(song.stems["vocals"], band, spans) == pytest.approx(
        VOCALS_OVER_BAND, abs=0.2
    )


@every_genre
def test_a_sung_song_has_the_loudness_of_streaming_services(genre):
    assert measure_loudness(sung(genre).samples, RATE) == pytest.approx(-14, abs=1)


@every_genre
def test_a_sung_song_never_peaks_above_minus_one_decibel(genre):
    assert measure_peak(sung(genre).samples) <= 10 ** (-1 / 20)


@every_genre
def test_the_stems_are_the_song_but_for_its_limited_peaks(genre):
    song = sung(genre)
    together = added_up(song)
    assert set(song.stems) == set(STEMS)
    assert (np.abs(song.samples) <= np.abs(together) + 1e-4).all()
    assert decibels(rms(together - song.samples) / rms(together)) < -18
    quiet = np.abs(together).max(axis=1) < 0.2 * CEILING
    assert np.median(np.abs(together - song.samples)[quiet]) < 1e-3


def test_an_instrumental_has_no_vocals():
    assert set(instrumental("pop").stems) == {"lead", "chords", "bass", "drums"}


@every_genre
def test_the_lead_carries_an_instrumentals_melody(genre):
    song = instrumental(genre)
    start, end = (round(moment * RATE) for moment in (song.lines[0].start, song.lines[0].end))
    assert rms(song.stems["lead"][start:end]) > 0.01


def test_the_lead_leaves_room_for_the_voice():
    song = sung("rock")
    start, end = (round(moment * RATE) for moment in (song.lines[1].start + 0.4, song.lines[1].end))
    assert rms(song.stems["lead"][start:end]) < 0.1 * rms(song.stems["vocals"][start:end])


def test_stems_are_made_only_when_they_are_asked_for():
    assert dict(play(LYRIC, read_genres()["pop"], 10, "a", vocals=False).stems) == {}


def test_asking_for_stems_does_not_change_the_song():
    plain = play(LYRIC, read_genres()["ambient"], 10, "a", vocals=False)
    assert np.array_equal(plain.samples, instrumental("ambient").samples)


def test_the_measure_reads_the_ratio_of_two_tones():
    assert measure_voice(sine(1000, 0.4), sine(900, 0.2), WHOLE) == pytest.approx(6.02, abs=0.05)


def test_the_measure_leaves_out_what_no_voice_has_to_be_heard_over():
    band = sine(900, 0.2) + sine(80, 0.8) + sine(9000, 0.8)
    assert measure_voice(sine(1000, 0.4), band, WHOLE) == pytest.approx(6.02, abs=0.2)


def test_the_measure_counts_only_the_time_of_singing():
    band = np.concatenate([sine(900, 0.2), sine(900, 0.9)])
    voice = np.concatenate([sine(1000, 0.4), 0 * sine(1000, 0.4)])
    assert measure_voice(voice, band, [(0.0, 1.9)]) == pytest.approx(6.02, abs=0.1)


def test_the_measure_knows_a_missing_voice_and_a_missing_band():
    nothing, something = make_silence(2), sine(1000, 0.4)
    assert measure_voice(nothing, something, WHOLE) == float("-inf")
    assert measure_voice(something, nothing, WHOLE) == float("inf")
    assert measure_voice(something, something, []) == float("-inf")


def test_the_band_dips_while_the_voice_sounds_and_comes_back():
    dry = np.zeros(4 * RATE, np.float32)
    dry[RATE : 2 * RATE] = sine(300, 0.3, 1.0)[:, 0]
    band = np.ones((4 * RATE, 2), np.float32)
    make_room(band, dry, 3.0)
    assert decibels(band[int(1.5 * RATE), 0]) == pytest.approx(-3, abs=0.1)
    assert decibels(band[int(3.9 * RATE), 0]) == pytest.approx(0, abs=0.1)
    assert np.abs(np.diff(band[:, 0])).max() < 1e-3


def test_lines_come_nearer_to_each_other_over_the_band():
    voice = np.concatenate([sine(1000, 0.4), sine(1000, 0.4)])
    band = np.concatenate([sine(900, 0.1), sine(900, 0.4)])
    spans = [(0.1, 1.9), (2.1, 3.9)]
    ride(voice, band, spans)
    first, second = (measure_voice(voice, band, [span]) for span in spans)
    assert 0 < first - second < 4


def test_a_line_that_nobody_can_sing_is_left_alone():
    voice, band = make_silence(2.0), sine(900, 0.1)
    ride(voice, band, [(0.1, 1.9)])
    ride(voice, band, [])
    assert not voice.any()


@every_genre
def test_every_line_is_heard_over_the_band(genre):
    song = sung(genre)
    band = added_up(song) - song.stems["vocals"]
    for line in song.lines:
        over = measure_voice(song.stems["vocals"], band, [(line.start, line.end)])
        assert abs(over - VOCALS_OVER_BAND) < 4


def test_loud_and_soft_words_come_closer_together():
    soft, loud = (sine(400, level, 1.0)[:, 0] for level in (0.1, 0.4))
    voice = produce_voice(np.concatenate([loud, soft]), beat=0.5, room=0.0)
    half = RATE // 2
    apart = decibels(rms(voice[half:RATE]) / rms(voice[half + RATE :]))
    assert 3 < apart < 9


def test_a_silent_voice_stays_silent():
    assert not produce_voice(np.zeros(RATE, np.float32), beat=0.5, room=0.3).any()


def test_a_voice_shorter_than_its_echo_is_still_a_voice():
    assert produce_voice(sine(400, 0.3, 0.1)[:, 0], beat=0.5, room=0.2).shape == (4410, 2)


def test_the_master_tells_how_far_it_amplified():
    quiet = sine(997, 0.01, 3.0)
    loud, gain = master(quiet)
    assert loud[RATE : 2 * RATE] == pytest.approx(quiet[RATE : 2 * RATE] * gain, abs=1e-4)


def test_a_mix_of_the_right_loudness_is_limited_all_the_same():
    mix = sine(997, 0.19, 4.0)
    mix[RATE : RATE + 200] *= 5
    assert measure_loudness(master(mix)[0], RATE) == pytest.approx(-14, abs=0.5)
    assert measure_peak(master(mix)[0]) <= 10 ** (-1 / 20)


def test_silence_is_mastered_to_silence():
    assert not master(make_silence(2.0))[0].any()


def test_a_track_starts_and_ends_in_silence():
    track = np.ones((2 * RATE, 2), np.float32)
    fade_edges(track, 0.5)
    assert (track[0, 0], track[-1, 0], track[RATE, 0]) == (0, 0, 1)


def test_a_kick_presses_a_pad_down_for_a_moment():
    track = np.ones((RATE, 2), np.float32)
    pump(track, [0.25], 0.75)
    assert track[int(0.251 * RATE), 0] == pytest.approx(0.25, abs=0.02)
    assert track[int(0.6 * RATE), 0] == 1


@pytest.mark.parametrize("name", sorted(INSTRUMENTS))
def test_an_instrument_plays_the_pitch_it_is_given(name):
    """The strongest frequency is the note's, its octave's or its fifth's."""
    sound = INSTRUMENTS[name](57, 1.0)
    middle = sound.mean(axis=1) if sound.ndim == 2 else sound
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    strongest = np.argmax(spectrum) * RATE / len(middle)
    harmonic = strongest / 220
    assert harmonic == pytest.approx(round(harmonic), abs=0.03)
    assert round(harmonic) in (1, 2, 3)


@pytest.mark.parametrize("name", sorted(INSTRUMENTS))
@pytest.mark.parametrize("seconds", [0.06, 2.0])
def test_an_instrument_neither_clicks_nor_overloads(name, seconds):
    sound = INSTRUMENTS[name](50, seconds)
    assert 0.05 < np.abs(sound).max() < 2.0
    assert np.abs(sound[0]).max() < 0.05
    assert np.abs(sound[-1]).max() < 0.05


@pytest.mark.parametrize("kit", sorted(read_kits()))
def test_every_drum_of_a_kit_sounds(kit):
    for drum in read_kits()[kit]:
        track = make_silence(1.0)
        add_drums(track, [Hit(0.1, drum, 1.0)], read_kits()[kit], 1.0)
        assert 0.03 < np.abs(track).max() < 2.0


def test_a_note_that_starts_late_is_cut_at_the_end():
    track = make_silence(1.0)
    add_notes(track, [Note(0.9, 2.0, 60, 1.0), Note(3.0, 1.0, 60, 1.0)], INSTRUMENTS["piano"], 0.5)
    assert np.abs(track[: int(0.89 * RATE)]).max() == 0
    assert np.abs(track[int(0.91 * RATE) :]).max() > 0


def test_a_tone_has_nothing_above_its_top():
    spectrum = np.abs(np.fft.rfft(make_tone("saw", 440, 1.0, top=3_000) * np.hanning(RATE)))
    assert decibels(spectrum[4_000:].max() / spectrum.max()) < -50


@pytest.mark.parametrize("written", ["gong", "kick 0.3", "kick a b c d e", "clap 1", ""])
def test_a_drum_that_no_stroke_plays_is_refused_with_its_line(written, tmp_path, monkeypatch):
    monkeypatch.setenv("CASTAD_STUDIO_DATA", str(tmp_path))
    (tmp_path / "kits.toml").write_text(f'[common]\nkick = "{written}"\n')
    with pytest.raises(ContentError, match=r"line 2: expected common\.kick: one of kick, "):
        read_kits()
