import re
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PIL import Image

from studio.band.mixing import measure_loudness, measure_peak
from studio.band.song import play
from studio.camera.film import FRAMES, Script, film, shots_of
from studio.camera.fonts import find_font, make_drawable
from studio.camera.palettes import load_palettes
from studio.camera.shots import Section
from studio.camera.text import Text
from studio.errors import MissingPartError, PictureError, RenderError, StoppedError, TemporaryError
from studio.ffmpeg import explain_failure, find_ffmpeg, run
from studio.genres import get_genre
from studio.sound import RATE, Samples, read_wav, write_wav

SMALL = (270, 480)
TINY = (108, 192)
UPRIGHT, WIDE = TINY, (192, 108)
HOSTILE = '{\\an8}카페\' "100%" \\N 😀 : [x];,=' + "가" * 40


@pytest.fixture(scope="module")
def song(tmp_path_factory: pytest.TempPathFactory):
    played = play("여기는 우리 카페\n다 함께 노래해요", get_genre("pop"), 10, "a")
    path = tmp_path_factory.mktemp('song\'s "folder" : 노래') / "song.wav"
    write_wav(path, played.samples)
    return path, played.lines


@pytest.fixture(scope="module", params=["wav", "mp3"])
def clip(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten seconds of a song: silence, and a tone from 2.1 seconds on."""
    path = tmp_path_factory.mktemp("clip") / f"song.{request.param}"
    samples = np.zeros((10 * RATE, 2), np.float32)
    moments = np.arange(len(samples) - 21 * RATE // 10) / RATE
    samples[-len(moments) :] = 0.5 * np.sin(2 * np.pi * 440 * moments)[:, None]
    write_wav(path.with_suffix(".wav"), samples)
    if request.param == "mp3":
        command = [find_ffmpeg(), "-i", str(path.with_suffix(".wav")), str(path)]
        subprocess.run(command, capture_output=True, check=True)
    return path


def script(
    song, frame: tuple[int, int] = SMALL, name: str = "카페", images: tuple[Path, ...] = ()
) -> Script:
    path, lines = song
    return Script("a", Text(name, "군산", lines), "pop", path, 10.0, frame, images)


def probed(video: Path) -> str:
    """What ffmpeg says of a file after decoding all of it without a complaint."""
    command = [find_ffmpeg(), "-hide_banner", "-i", str(video), "-f", "null", "-"]
    return subprocess.run(command, capture_output=True, check=True, text=True).stderr


def seconds(probe: str) -> float:
    hours, minutes, rest = re.findall(r"Duration: (\d+):(\d+):([\d.]+)", probe)[0]
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def excerpted(clip: Path, start: float, song_fades: bool = False) -> Script:
    """Three seconds of the clip's song."""
    text = Text("카페", "군산", ())
    return Script("a", text, "pop", clip, 3.0, SMALL, song_start=start, song_fades=song_fades)


def heard(video: Path, folder: Path) -> Samples:
    """A film's sound, decoded."""
    wav = folder / "heard.wav"
    command = [find_ffmpeg(), "-i", str(video), "-ac", "2", "-ar", str(RATE), str(wav)]
    subprocess.run(command, capture_output=True, check=True)
    return read_wav(wav)


def loudness(video: Path, folder: Path) -> Samples:
    """The peak of every tenth of a second of a film's sound."""
    samples = np.abs(heard(video, folder)).max(axis=1)
    tenths = len(samples) * 10 // RATE
    return samples[: tenths * RATE // 10].reshape(tenths, -1).max(axis=1)


def made(script: Script, folder: Path) -> tuple[Path, Path, Path]:
    folder.mkdir()
    return film(script, folder, lambda done, frames: None, Event())


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
def test_a_film_has_the_format_that_phones_play(orientation, song, tmp_path):
    video, _, _ = made(replace(script(song, FRAMES[orientation]), seconds=1.2), tmp_path / "film")
    probe = probed(video)
    width, height = FRAMES[orientation]
    assert f"{width}x{height}" in probe
    assert re.search(r"Video: h264.*yuv420p\(tv, bt709", probe)
    assert "30 fps" in probe
    assert re.search(r"Audio: aac.*44100 Hz, stereo", probe)
    assert seconds(probe) == pytest.approx(1.2, abs=0.1)


def test_a_film_begins_where_it_is_told_to_in_the_song_which_ends_with_it_unfaded(clip, tmp_path):
    peaks = loudness(made(excerpted(clip, 2.0), tmp_path / "film")[0], tmp_path)
    assert peaks[0:1].max() < 0.01 < 0.1 < peaks[1:3].max()
    assert peaks[-2] == pytest.approx(peaks[-11], rel=0.1)


def test_a_song_fades_out_with_the_film_where_it_goes_on(clip, tmp_path):
    peaks = loudness(made(excerpted(clip, 3.0, song_fades=True), tmp_path / "film")[0], tmp_path)
    assert peaks[-1] < peaks[-11] / 4


@pytest.mark.parametrize("gain", [1.0, 4.0])
def test_a_film_is_as_loud_as_its_song_with_no_peak_over_the_platforms_limit(gain, song, tmp_path):
    """A song of the studio, and one as hot as vendors make them: -1 dBTP at most, decoded from its AAC."""
    samples = np.clip(gain * read_wav(song[0]), -1, 1)
    write_wav(tmp_path / "song.wav", samples)
    film_sound = heard(
        made(script((tmp_path / "song.wav", ()), TINY), tmp_path / "film")[0], tmp_path
    )
    assert measure_peak(film_sound) <= 10 ** (-1.0 / 20)
    loud = measure_loudness(samples, RATE)
    assert gain > 1 or measure_loudness(film_sound, RATE) == pytest.approx(loud, abs=0.2)


def test_any_name_and_folder_give_a_film_that_plays_before_it_is_loaded_whole(song, tmp_path):
    video, _, _ = made(script(song, name=HOSTILE), tmp_path / 'it\'s a "film" : [가],;')
    assert seconds(probed(video)) == pytest.approx(10, abs=0.5)
    data = video.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_the_customers_own_pictures_are_shown(song, tmp_path):
    Image.new("RGB", (300, 200), (0, 255, 0)).save(tmp_path / "own.png")
    _, thumbnail, _ = made(script(song, images=(tmp_path / "own.png",)), tmp_path / "film")
    with Image.open(thumbnail) as picture:
        red, green, blue = picture.getpixel((135, 60))
    assert green > 100 > max(red, blue)


def test_a_picture_that_cannot_be_used_is_named(song, tmp_path):
    (tmp_path / "own.png").write_bytes(b"nothing")
    with pytest.raises(PictureError, match=r"images\[0\]"):
        made(script(song, images=(tmp_path / "own.png",)), tmp_path / "film")


def test_progress_is_told_by_frames(song, tmp_path):
    told: list[tuple[int, int]] = []
    (tmp_path / "film").mkdir()
    film(script(song, TINY), tmp_path / "film", lambda *counts: told.append(counts), Event())
    assert told == [(number, 300) for number in range(1, 301)]


def test_a_film_stops_when_asked(song, tmp_path):
    stop = Event()
    (tmp_path / "film").mkdir()
    with pytest.raises(StoppedError):
        film(script(song), tmp_path / "film", lambda done, frames: stop.set(), stop)


def test_a_song_that_is_none_is_the_renderings_failure(song, tmp_path):
    (tmp_path / "song.wav").write_bytes(b"no sound")
    with pytest.raises(RenderError, match="ffmpeg ended with status"):
        made(script((tmp_path / "song.wav", song[1])), tmp_path / "film")


def test_a_missing_ffmpeg_is_said_in_one_sentence(tmp_path):
    with pytest.raises(MissingPartError, match="install imageio-ffmpeg") as caught:
        run(str(tmp_path / "ffmpeg"), [], [], tmp_path, Event())
    assert caught.value.code == "ffmpeg_missing"


def test_an_ffmpeg_that_may_not_be_executed_counts_as_missing(tmp_path):
    (tmp_path / "ffmpeg").write_text("#!/bin/sh\n")
    with pytest.raises(MissingPartError) as caught:
        run(str(tmp_path / "ffmpeg"), [], [], tmp_path, Event())
    assert caught.value.code == "ffmpeg_missing"


def test_an_ffmpeg_that_hangs_can_be_stopped(tmp_path):
    stop = Event()
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    program.chmod(0o755)

    def frames():
        yield b"x"
        stop.set()
        yield b"x" * 1_000_000

    with pytest.raises(StoppedError):
        run(str(program), [], frames(), tmp_path, stop)


def test_a_full_disk_may_be_tried_again():
    error = explain_failure(1, "av_interleaved_write_frame(): No space left on device")
    assert isinstance(error, TemporaryError)
    assert error.code == "disk_full"


def test_a_failure_ends_with_ffmpegs_last_words():
    error = explain_failure(187, "x" * 5000 + " at last")
    assert isinstance(error, RenderError)
    assert error.message.endswith("at last")
    assert len(error.message) < 1000


def test_a_machine_without_a_korean_font_is_told_so(tmp_path):
    with pytest.raises(MissingPartError, match="no Korean font") as caught:
        find_font([tmp_path / "NotoSansKR-Regular.otf"])
    assert caught.value.code == "font_missing"


def test_the_packaged_font_needs_no_remark():
    assert find_font().is_korean
    assert find_font().remarks == []


def test_another_korean_font_is_named_in_a_remark(tmp_path):
    own = tmp_path / "NanumGothic.otf"
    own.write_bytes(find_font().path.read_bytes())
    font = find_font([own])
    (remark,) = font.remarks
    assert remark.startswith(f"the film's text is set in {font.family}; ")


def test_a_latin_font_shows_the_letters_it_has_and_a_remark_names_the_rest():
    emoji = find_font().emoji
    assert emoji
    font = find_font([emoji.with_name("NotoSans[wght].ttf")])
    assert make_drawable("봄날 Cafe 24", font) == "Cafe 24"
    assert abs(font.rise) < 0.5
    (remark,) = font.remarks
    assert remark.startswith("the film shows no Korean text: ")


@pytest.mark.parametrize(("length", "frame"), [(10.0, WIDE), (10.04, UPRIGHT)])
def test_a_film_is_as_long_as_its_song(length, frame, tmp_path):
    write_wav(tmp_path / "song.wav", np.full((int(length * RATE), 2), 0.1, np.float32))
    text = Text("카페", "군산", ())
    asked = Script("a", text, "edm", tmp_path / "song.wav", length, frame, beat_seconds=0.5)
    probe = probed(made(asked, tmp_path / "film")[0])
    assert seconds(probe) == pytest.approx(length, abs=0.5)
    assert int(re.findall(r"frame= *(\d+)", probe)[-1]) == round(length * 30)
    assert "Audio: aac" in probe


@pytest.mark.parametrize("genre", sorted(load_palettes()))
def test_a_film_cuts_to_its_songs_beat(genre, song):
    path, lines = song
    sections = (Section("verse", 0.0, 4.8), Section("chorus", 4.8, 10.0))
    text = Text("카페", "군산", lines)
    asked = Script("a", text, genre, path, 10.0, SMALL, beat_seconds=0.6, sections=sections)
    cuts = [shot.start for shot in shots_of(asked)]
    assert 4.8 in [round(cut, 6) for cut in cuts]
    assert all(abs(cut / 0.6 - round(cut / 0.6)) < 1e-6 for cut in cuts)


def test_the_beat_of_a_song_that_began_before_is_cut_to(song):
    path, lines = song
    text = Text("카페", "군산", lines)
    asked = Script("a", text, "pop", path, 10.0, SMALL, song_start=0.25, beat_seconds=0.6)
    beats = [(shot.start + 0.25) / 0.6 for shot in shots_of(asked)[1:]]
    assert all(abs(beat - round(beat)) < 1e-6 for beat in beats)


def test_neighbouring_shots_show_different_pictures(song):
    path, lines = song
    asked = Script("a", Text("카페", "군산", lines), "pop", path, 60.0, SMALL, beat_seconds=0.5)
    shots = shots_of(asked)
    assert all(first.picture != second.picture for first, second in pairwise(shots))


def test_what_a_business_is_about_is_seen(song, tmp_path):
    """The same film but for what it is about: a cafe's first picture is not a gym's."""
    path, lines = song
    shown = []
    for number, about in enumerate(("카페", "헬스장 gym")):
        asked = Script("a", Text("가", "", lines), "pop", path, 10.0, TINY, about=about)
        _, thumbnail, _ = made(asked, tmp_path / str(number))
        shown.append(np.asarray(Image.open(thumbnail).convert("RGB"), float))
    assert np.abs(shown[0] - shown[1]).mean() > 10
