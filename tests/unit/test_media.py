import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resources.contract.errors import PermanentError, ProviderError, TransientError
from resources.files.media import check_audio_file, check_film
from studio.ffmpeg import find_ffmpeg, look
from tests.fakes.media import song, video
from tests.fakes.raw import RawServer, answer, say

SECONDS = 4
SONG = song(SECONDS, 440)
FILM = video(128, 96, SECONDS, SONG)
PLAYLIST = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n{url}\n#EXT-X-ENDLIST\n"
NEITHER = {
    "nothing": b"",
    "one byte": b"\xff",
    "a page": b"<!doctype html><title>404 Not Found</title>",
    "JSON": b'{"error":"expired"}',
    "zeros": bytes(100_000),
    "a playlist": PLAYLIST.format(url="http://127.0.0.1:9/x").encode(),
    "a list of files": b"ffconcat version 1.0\nfile /etc/passwd\n",
    "only an ID3 tag": b"ID3\x04\x00\x00\x00\x00\x00\x00",
    "an ID3 tag before a page": b"ID3\x04\x00\x00\x00\x00\x00\x00<!doctype html>" * 100,
    "only a frame's head": b"\xff\xfb\x90\x00",
    "only a file type": b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2",
    "a file type before zeros": b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2" + bytes(50_000),
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes], Path]:
    """A file with this content, under a name that nobody may trust."""

    def written(content: bytes) -> Path:
        path = tmp_path / 'it\'s a "file": %d 노래'
        path.write_bytes(content)
        return path

    return written


def made(arguments: list[str], name: str, folder: Path) -> bytes:
    path = folder / name
    command = [find_ffmpeg(), "-nostdin", "-v", "error", "-y", *arguments, str(path)]
    subprocess.run(command, check=True, timeout=60)
    return path.read_bytes()


def remade(content: bytes, kind: str, arguments: list[str], name: str, folder: Path) -> bytes:
    """The same sound or film in other words."""
    source = folder / f"source.{kind}"
    source.write_bytes(content)
    return made(["-i", str(source), *arguments], name, folder)


def code_of(check: Callable[[Path, str], Any], path: Path) -> str:
    try:
        check(path, "the file")
    except ProviderError as error:
        return error.code
    return ""


def refused(check: Callable[[Path, str], Any], path: Path) -> ProviderError:
    with pytest.raises(TransientError, match=r"^suno: the song ") as refusal:
        check(path, "suno: the song")
    assert refusal.value.code == "bad_download"
    return refusal.value


@pytest.mark.parametrize("tag", [b"", b"TAG" + b"song".ljust(125, b"\0")], ids=["none", "old"])
def test_sound_is_as_long_as_it_plays_whatever_tag_stands_at_its_end(tag, write):
    assert check_audio_file(write(SONG + tag), "the song") == pytest.approx(SECONDS, abs=0.1)


def test_sound_with_a_cover_is_one(write, tmp_path):
    cover = ["-f", "lavfi", "-i", "color=size=64x64:duration=0.04", "-map", "0:a", "-map", "1:v"]
    covered = remade(SONG, "mp3", [*cover, "-c:a", "copy", "-c:v", "png"], "cover.mp3", tmp_path)
    assert check_audio_file(write(covered), "the song") == pytest.approx(SECONDS, abs=0.1)


def test_sound_without_any_tag_is_one(write, tmp_path):
    plain = ["-c", "copy", "-write_xing", "0", "-id3v2_version", "0"]
    bare = remade(SONG, "mp3", plain, "bare.mp3", tmp_path)
    assert check_audio_file(write(bare), "the song") == pytest.approx(SECONDS, abs=0.2)


def test_sound_of_a_changing_rate_without_a_stated_length_is_one(write, tmp_path):
    silence = "anullsrc=duration=2[a];anoisesrc=duration=10[b];[a][b]concat=v=0:a=1"
    plain = ["-q:a", "0", "-write_xing", "0", "-id3v2_version", "0"]
    bare = made(["-filter_complex", silence, *plain], "changing.mp3", tmp_path)
    assert check_audio_file(write(bare), "the song") == pytest.approx(12, abs=0.2)


def test_film_is_described(write):
    film = check_film(write(FILM), "the film")
    assert (film.width, film.height, film.fps) == (128, 96, 2.0)
    assert film.seconds == pytest.approx(SECONDS, abs=0.2)


def test_film_with_its_index_at_the_end_is_one(write, tmp_path):
    slow = remade(FILM, "mp4", ["-c", "copy"], "slow.mp4", tmp_path)
    assert check_film(write(slow), "the film").width == 128


def test_film_of_a_fraction_of_frames_a_second_is_described(write, tmp_path):
    film = remade(FILM, "mp4", ["-r", "30000/1001"], "ntsc.mp4", tmp_path)
    assert check_film(write(film), "the film").fps == pytest.approx(29.97)


THIRD = len(SONG) // 3
SPOILED = {
    **{
        f"a sound cut at {at}": (check_audio_file, SONG[: int(len(SONG) * at)])
        for at in (0.05, 0.5, 0.7)
    },
    **{
        f"a film that lacks {end} bytes": (check_film, FILM[:-end])
        for end in (1, 1000, len(FILM) // 2, len(FILM) - 40)
    },
    "a sound damaged inside": (check_audio_file, SONG[:THIRD] + bytes(THIRD) + SONG[2 * THIRD :]),
    "a film damaged inside": (check_film, FILM[: 2 * len(FILM) // 3].ljust(len(FILM), b"\x55")),
    "a film as a sound": (check_audio_file, FILM),
    "a sound as a film": (check_film, SONG),
}
REMADE = {
    "another sound": (check_audio_file, SONG, "mp3", [], "song.wav"),
    "a silent film": (check_film, FILM, "mp4", ["-an", "-c", "copy"], "silent.mp4"),
    "a film without a picture": (check_film, FILM, "mp4", ["-vn", "-c", "copy"], "blind.mp4"),
}


@pytest.mark.parametrize("case", SPOILED)
def test_file_that_was_spoiled_is_told(case, write):
    check, content = SPOILED[case]
    refused(check, write(content))


@pytest.mark.parametrize("case", REMADE)
def test_file_of_another_make_is_told(case, write, tmp_path):
    check, *remaking = REMADE[case]
    refused(check, write(remade(*remaking, tmp_path)))


@pytest.mark.parametrize("missing", [500, len(FILM) // 2, len(FILM) - 40])
def test_film_that_lost_the_index_at_its_end_is_told(missing, write, tmp_path):
    slow = remade(FILM, "mp4", ["-c", "copy"], "slow.mp4", tmp_path)
    refused(check_film, write(slow[:-missing]))


@pytest.mark.parametrize("content", NEITHER)
@pytest.mark.parametrize("check", [check_audio_file, check_film])
def test_what_is_neither_sound_nor_film_is_told(check, content, write):
    refused(check, write(NEITHER[content]))


@pytest.mark.parametrize("check", [check_audio_file, check_film])
@pytest.mark.parametrize("begin", [b"", b"ID3\x04\x00\x00\x00\x00\x00\x00", FILM[:32]])
def test_nothing_that_a_file_refers_to_is_asked_for(check, begin, write):
    with RawServer(say(answer(SONG))) as server:
        refused(check, write(begin + PLAYLIST.format(url=server.url).encode()))
    assert server.requests == []


def test_look_that_takes_too_long_is_ended():
    endless = ["-re", "-f", "lavfi", "-i", "anullsrc", "-f", "null", "-"]
    assert look(endless, seconds=0.2).status < 0


def test_error_repeats_nothing_of_the_file(write):
    error = refused(check_film, write(FILM[:32] + b"sk-canary-0123456789"))
    assert "canary" not in error.message


def test_check_without_ffmpeg_says_so(write, monkeypatch):
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", "/nowhere/ffmpeg")
    with pytest.raises(PermanentError) as failure:
        check_audio_file(write(SONG), "the song")
    assert failure.value.code == "ffmpeg_missing"


def test_file_that_is_not_there_is_an_error_of_the_disk(tmp_path):
    with pytest.raises(TransientError) as failure:
        check_audio_file(tmp_path / "none.mp3", "the song")
    assert failure.value.code == "disk_error"


@given(content=st.binary(), kind=st.sampled_from(["song", "film"]), at=st.integers(0, 3000))
@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_damage_of_any_kind_is_found_or_harmless(write, content, kind, at):
    whole, check = (SONG, check_audio_file) if kind == "song" else (FILM, check_film)
    content = whole[:at] + content + whole[at + len(content) :]
    assert code_of(check, write(content)) in ("", "bad_download")
