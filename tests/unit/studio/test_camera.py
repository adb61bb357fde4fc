import re
import subprocess
from itertools import pairwise
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from resources.errors import InvalidInputError
from resources.ffmpeg import StoppedError, failure, find_ffmpeg, run
from resources.providers.errors import PermanentError, SubmissionFailedError, TransientError
from resources.studio.band.song import play
from resources.studio.band.wav import read_wav, write_wav
from resources.studio.camera.film import FRAMES, Script, film
from resources.studio.camera.fonts import find_font
from resources.studio.camera.palettes import PALETTES, palette_for
from resources.studio.camera.pictures import canvas_size
from resources.studio.camera.scenery import SCENES, paint
from resources.studio.camera.shots import box_at, plan_shots, seen_at
from resources.studio.camera.subtitles import Text
from resources.studio.genres import POP
from resources.studio.samples import RATE, Samples

SMALL = (270, 480)
HOSTILE = '{\\an8}카페\' "100%" \\N 😀 : [x];,=' + "가" * 40


@pytest.fixture(scope="module")
def song(tmp_path_factory: pytest.TempPathFactory):
    played = play("여기는 우리 카페\n다 함께 노래해요", POP, 10, "a")
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


def loudness(video: Path, folder: Path) -> Samples:
    """The peak of every tenth of a second of a film's sound."""
    wav = folder / "heard.wav"
    command = [find_ffmpeg(), "-i", str(video), "-ac", "2", "-ar", str(RATE), str(wav)]
    subprocess.run(command, capture_output=True, check=True)
    samples = np.abs(read_wav(wav)).max(axis=1)
    tenths = len(samples) * 10 // RATE
    return samples[: tenths * RATE // 10].reshape(tenths, -1).max(axis=1)


def made(script: Script, folder: Path) -> tuple[Path, Path]:
    folder.mkdir()
    return film(script, folder, lambda share: None, Event())


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
def test_a_film_has_the_format_that_phones_play(orientation: str, song, tmp_path: Path) -> None:
    video, _ = made(script(song, FRAMES[orientation]), tmp_path / "film")
    probe = probed(video)
    width, height = FRAMES[orientation]
    assert f"{width}x{height}" in probe
    assert re.search(r"Video: h264.*yuv420p\(tv, bt709", probe)
    assert "30 fps" in probe
    assert re.search(r"Audio: aac.*44100 Hz, stereo", probe)
    assert seconds(probe) == pytest.approx(10, abs=0.5)


def test_a_film_begins_where_it_is_told_to_in_the_song(clip, tmp_path: Path) -> None:
    heard = loudness(made(excerpted(clip, 2.0), tmp_path / "film")[0], tmp_path)
    assert heard[0:1].max() < 0.01 < 0.1 < heard[1:3].max()


def test_a_song_fades_out_with_the_film_where_it_goes_on(clip, tmp_path: Path) -> None:
    heard = loudness(made(excerpted(clip, 3.0, song_fades=True), tmp_path / "film")[0], tmp_path)
    assert heard[-1] < heard[-11] / 4


def test_a_song_that_ends_with_the_film_does_not_fade(clip, tmp_path: Path) -> None:
    heard = loudness(made(excerpted(clip, 3.0), tmp_path / "film")[0], tmp_path)
    assert heard[-2] == pytest.approx(heard[-11], rel=0.1)


def test_a_film_starts_playing_before_it_is_loaded_whole(song, tmp_path: Path) -> None:
    data = made(script(song), tmp_path / "film")[0].read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_any_name_and_any_folder_give_a_film(song, tmp_path: Path) -> None:
    video, _ = made(script(song, name=HOSTILE), tmp_path / 'it\'s a "film" : [가],;')
    assert seconds(probed(video)) == pytest.approx(10, abs=0.5)


def test_a_thumbnail_is_a_small_picture_of_the_film(song, tmp_path: Path) -> None:
    _, thumbnail = made(script(song), tmp_path / "film")
    assert thumbnail.stat().st_size <= 30_000
    with Image.open(thumbnail) as picture:
        assert (picture.format, picture.size) == ("JPEG", (270, 480))


def test_the_customers_own_pictures_are_shown(song, tmp_path: Path) -> None:
    Image.new("RGB", (300, 200), (0, 255, 0)).save(tmp_path / "own.png")
    _, thumbnail = made(script(song, images=(tmp_path / "own.png",)), tmp_path / "film")
    with Image.open(thumbnail) as picture:
        red, green, blue = picture.getpixel((135, 60))
    assert green > 150 > max(red, blue)


def test_a_picture_that_cannot_be_used_is_named(song, tmp_path: Path) -> None:
    (tmp_path / "own.png").write_bytes(b"nothing")
    with pytest.raises(InvalidInputError, match=r"images\[0\]"):
        made(script(song, images=(tmp_path / "own.png",)), tmp_path / "film")


def test_progress_rises_to_one(song, tmp_path: Path) -> None:
    shares: list[float] = []
    (tmp_path / "film").mkdir()
    film(script(song), tmp_path / "film", shares.append, Event())
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_film_stops_when_asked(song, tmp_path: Path) -> None:
    stop = Event()
    (tmp_path / "film").mkdir()
    with pytest.raises(StoppedError):
        film(script(song), tmp_path / "film", lambda share: stop.set(), stop)


def test_a_song_that_is_none_is_the_renderings_failure(song, tmp_path: Path) -> None:
    (tmp_path / "song.wav").write_bytes(b"no sound")
    with pytest.raises(SubmissionFailedError, match="ffmpeg ended with status"):
        made(script((tmp_path / "song.wav", song[1])), tmp_path / "film")


def test_a_missing_ffmpeg_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="install imageio-ffmpeg") as caught:
        run(str(tmp_path / "ffmpeg"), [], [], tmp_path, Event())
    assert caught.value.code == "ffmpeg_missing"


def test_an_ffmpeg_that_may_not_be_executed_counts_as_missing(tmp_path: Path) -> None:
    (tmp_path / "ffmpeg").write_text("#!/bin/sh\n")
    with pytest.raises(PermanentError) as caught:
        run(str(tmp_path / "ffmpeg"), [], [], tmp_path, Event())
    assert caught.value.code == "ffmpeg_missing"


def test_an_ffmpeg_that_hangs_can_be_stopped(tmp_path: Path) -> None:
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


def test_a_full_disk_may_be_tried_again() -> None:
    error = failure(1, "av_interleaved_write_frame(): No space left on device")
    assert isinstance(error, TransientError)
    assert error.code == "disk_full"


def test_a_failure_ends_with_ffmpegs_last_words() -> None:
    error = failure(187, "x" * 5000 + " at last")
    assert isinstance(error, SubmissionFailedError)
    assert error.message.endswith("at last")
    assert len(error.message) < 1000


def test_a_machine_without_a_korean_font_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="no Korean font") as caught:
        find_font([tmp_path / "NotoSansKR-Regular.otf"])
    assert caught.value.code == "font_missing"


@given(st.floats(10, 120), st.lists(st.floats(0, 120), max_size=50).map(sorted), st.integers(1, 12))
def test_shots_fill_the_film_without_a_gap(
    length: float, moments: list[float], pictures: int
) -> None:
    shots = plan_shots(length, moments, pictures, "a")
    assert (shots[0].start, shots[-1].end) == (0.0, length)
    assert all(first.end == second.start for first, second in pairwise(shots))
    assert all(2.5 <= shot.end - shot.start <= 10 and shot.picture < pictures for shot in shots)


@pytest.mark.parametrize("pictures", range(1, 8))
def test_every_picture_has_its_turn_where_there_is_time(pictures: int) -> None:
    moments = [2.2, 4.4, 6.6, 8.8, 11.0, 13.2, 15.4]
    shown = {shot.picture for shot in plan_shots(20, moments, pictures, "a")}
    assert shown == set(range(pictures))


def test_a_shot_changes_when_a_line_begins() -> None:
    shots = plan_shots(20, [2.2, 4.4, 6.6, 8.8, 11.0, 13.2, 15.4], 5, "a")
    assert [shot.start for shot in shots] == [0.0, 4.4, 8.8, 13.2, 16.6]


@given(st.floats(0, 20))
def test_a_moment_shows_one_shot_or_a_mixture_of_two(moment: float) -> None:
    seen = seen_at(plan_shots(20, [], 5, "a"), moment)
    assert len(seen) in (1, 2)
    assert sum(share for _, share in seen) == pytest.approx(1)


@given(st.floats(0, 20), st.sampled_from(sorted(FRAMES)))
def test_the_camera_never_looks_beyond_the_picture(moment: float, orientation: str) -> None:
    frame = FRAMES[orientation]
    width, height = canvas = canvas_size(frame)
    for shot, _ in seen_at(plan_shots(20, [], 5, "a"), moment):
        left, top, right, bottom = box_at(shot, moment, canvas, frame)
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height


@pytest.mark.parametrize("number", range(len(SCENES)))
def test_a_picture_is_the_same_for_the_same_seed(number: int) -> None:
    palette = palette_for("pop", "a")
    assert paint(number, palette, (160, 90), "a") == paint(number, palette, (160, 90), "a")


@pytest.mark.parametrize("genre", sorted(PALETTES))
def test_pictures_take_turns(genre: str) -> None:
    palette = palette_for(genre, "a")
    painted = {paint(number, palette, (90, 160), "a").tobytes() for number in range(len(SCENES))}
    assert len(painted) == len(SCENES)
