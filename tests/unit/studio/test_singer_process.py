import os
import signal
import sys
from pathlib import Path

import pytest

from studio.errors import MissingPartError, TemporaryError
from studio.genres import get_genre
from studio.singer.processes import Installation, find_espeak, run_espeak
from studio.singer.reading import Syllable
from studio.singer.singing import VocalPart, sing_plainly

POP = get_genre("pop").voice
SONG = VocalPart([(Syllable("가", 0.1, 0.3, 64),)], "ko", POP, 0.6)


def workers() -> list[int]:
    """The singer's processes that this one has started."""
    children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    found = [int(pid) for child in children for pid in child.read_text().split()]
    return [pid for pid in found if b"worker.py" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_espeak_tells_the_phonemes_of_a_word():
    with run_espeak(find_espeak()) as speaker:
        assert speaker.spell(["coffee"], "en-us") == [["k", "'O2", "f", "i"]]


def test_espeak_tells_when_each_phoneme_begins():
    with run_espeak(find_espeak()) as speaker:
        (spoken,) = speaker.speak(["n|'a"], "ko", 50, 140)
    assert [name for name, _ in spoken.phones][:2] == ["n", "'a"]


def test_this_process_never_loads_espeak():
    sing_plainly(SONG)
    assert "espeak-ng" not in Path("/proc/self/maps").read_text()


def test_no_process_is_left_after_a_song():
    sing_plainly(SONG)
    assert workers() == []


def test_no_process_is_left_after_a_failure():
    with pytest.raises(ZeroDivisionError), run_espeak(find_espeak()):
        raise ZeroDivisionError
    assert workers() == []


def test_a_singer_that_is_killed_failed():
    with run_espeak(find_espeak()) as speaker:
        speaker.spell(["one"], "en-us")
        for pid in workers():
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(TemporaryError) as caught:
            speaker.spell(["two"], "en-us")
    assert caught.value.code == "singer_failed"


def test_a_singer_that_hangs_failed(tmp_path):
    os.mkfifo(tmp_path / "library.so")
    hanging = Installation(str(tmp_path / "library.so"), find_espeak().data)
    with pytest.raises(TemporaryError) as caught, run_espeak(hanging, seconds=0.5) as speaker:
        speaker.spell(["one"], "en-us")
    assert caught.value.code == "singer_failed"


def test_a_singer_that_hangs_is_not_left_behind(tmp_path):
    os.mkfifo(tmp_path / "library.so")
    hanging = Installation(str(tmp_path / "library.so"), find_espeak().data)
    with pytest.raises(TemporaryError), run_espeak(hanging, seconds=0.5) as speaker:
        speaker.spell(["one"], "en-us")
    assert workers() == []


@pytest.mark.parametrize("library", ["/nowhere/libespeak-ng.so", "libc.so.6"])
def test_a_library_that_cannot_be_used_is_missing(library):
    broken = Installation(library, find_espeak().data)
    with pytest.raises(MissingPartError) as caught:
        sing_plainly(SONG, broken)
    assert caught.value.code == "singer_missing"


def test_a_library_without_its_data_is_missing(tmp_path):
    (tmp_path / "espeak-ng-data").mkdir()
    bare = Installation(find_espeak().library, str(tmp_path / "espeak-ng-data"))
    with pytest.raises(MissingPartError) as caught:
        sing_plainly(SONG, bare)
    assert caught.value.code == "singer_missing"


@pytest.mark.parametrize("voice", ["nobody", "ko+nobody"])
def test_a_voice_that_is_not_there_is_missing(voice):
    with run_espeak(find_espeak()) as speaker, pytest.raises(MissingPartError) as caught:
        speaker.spell(["one"], voice)
    assert caught.value.code == "singer_missing"


def test_a_missing_package_is_told_with_a_way_to_do_without(monkeypatch):
    monkeypatch.setitem(sys.modules, "espeakng_loader", None)
    with pytest.raises(
        MissingPartError, match=r"install espeakng-loader or order with `vocals: false`"
    ):
        find_espeak()


def test_data_in_a_very_deep_folder_is_found(tmp_path):
    deep = tmp_path / ("d" * 120) / ("e" * 120)
    deep.mkdir(parents=True)
    found = find_espeak()
    (deep / "espeak-ng-data").symlink_to(found.data)
    with run_espeak(Installation(found.library, str(deep / "espeak-ng-data"))) as speaker:
        assert speaker.spell(["coffee"], "en-us") == [["k", "'O2", "f", "i"]]
