import hashlib
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.contract.errors import InvalidInputError, PermanentError, TransientError
from resources.files.artifacts import ArtifactStore, format_generation_name, is_intact
from resources.ledger.request import check_task_id
from resources.process.file_locks import translate_disk_errors

SONG = b"RIFF" + bytes(5000)
OLD = b"the song before"


@pytest.fixture
def store(tmp_path: Path) -> ArtifactStore:
    return ArtifactStore(tmp_path / "artifacts")


@pytest.fixture
def song(tmp_path: Path) -> Path:
    file = tmp_path / "made.wav"
    file.write_bytes(SONG)
    return file


@pytest.mark.parametrize("content", [SONG, b"", bytes(range(256)) * 10_000])
def test_keep_puts_the_made_file_itself_in_place_and_tells_what_it_kept(content, store, song):
    song.write_bytes(content)
    made = song.stat().st_ino
    kept = store.store_file(song, "order-1", "song.wav")
    [file] = (store.root / "order-1").iterdir()
    assert (file.name, file.read_bytes(), file.stat().st_ino) == ("song.wav", content, made)
    assert not song.exists()
    assert (kept.name, kept.where) == ("song.wav", "order-1/song.wav")
    assert (kept.bytes, kept.sha256) == (len(content), hashlib.sha256(content).hexdigest())


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("video.mp4", "video/mp4"),
        ("video.2.mp4", "video/mp4"),
        ("song.wav", "audio/wav"),
        ("song.mp3", "audio/mpeg"),
        ("thumbnail.jpg", "image/jpeg"),
        ("unheard.of", "application/octet-stream"),
        ("0a" * 32, "application/octet-stream"),
    ],
)
def test_keep_tells_the_media_type_by_the_name(name, media_type, store, song):
    assert store.store_file(song, "order-1", name).media_type == media_type


def test_keep_replaces_what_was_there_and_changes_no_file_that_somebody_reads(
    store, song, tmp_path
):
    old = tmp_path / "old.wav"
    old.write_bytes(OLD)
    store.store_file(old, "order-1", "song.wav")
    with (store.root / "order-1" / "song.wav").open("rb") as reader:
        store.store_file(song, "order-1", "song.wav")
        assert reader.read() == OLD
    assert (store.root / "order-1" / "song.wav").read_bytes() == SONG


@pytest.mark.parametrize("folder", ["a:b", "a.b", "a..", "CON", "x" * 128, "1", "a:b.c_d-e"])
def test_keep_takes_every_task_id_for_a_folder(folder, store, song):
    kept = store.store_file(song, check_task_id(folder), "song.wav")
    assert store.open({"name": kept.name, "where": kept.where}).read_bytes() == SONG
    assert [path.name for path in store.root.iterdir()] == [folder]


@pytest.mark.parametrize("missing", ["made.wav", "no-folder/made.wav"])
def test_keep_of_a_file_that_is_gone_is_an_error_of_the_disk(missing, store, tmp_path):
    with pytest.raises(TransientError) as failure:
        store.store_file(tmp_path / missing, "order-1", "song.wav")
    assert failure.value.code == "disk_error"


def block_root(root: Path) -> None:
    root.write_bytes(b"a file where the folder should be")


def block_folder(root: Path) -> None:
    root.mkdir()
    (root / "order-1").write_bytes(b"a file where the folder should be")


def block_name(root: Path) -> None:
    (root / "order-1" / "song.wav").mkdir(parents=True)


@pytest.mark.parametrize("block", [block_root, block_folder, block_name])
def test_keep_that_cannot_write_leaves_the_made_file_and_tells_no_path(block, store, song):
    block(store.root)
    with pytest.raises(TransientError) as failure:
        store.store_file(song, "order-1", "song.wav")
    assert failure.value.code == "disk_error"
    assert str(store.root) not in failure.value.message
    assert song.read_bytes() == SONG


def test_workspace_reports_a_folder_it_cannot_make(store):
    block_root(store.root)
    with pytest.raises(TransientError) as failure, store.workspace():
        pass
    assert failure.value.code == "disk_error"


def test_full_disk_has_a_code_of_its_own():
    with pytest.raises(TransientError) as failure, translate_disk_errors():
        Path("/dev/full").write_bytes(b"x")
    assert failure.value.code == "disk_full"


def test_file_larger_than_this_process_may_write_is_an_error_of_the_disk(tmp_path):
    script = """if True:
        import resource, signal, sys
        from pathlib import Path
        from resources.process.file_locks import translate_disk_errors
        from resources.contract.errors import TransientError
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        try:
            with translate_disk_errors():
                Path(sys.argv[1]).write_bytes(bytes(1000))
        except TransientError as error:
            sys.exit(error.code)
    """
    command = [sys.executable, "-c", script, str(tmp_path / "large")]
    ended = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.stderr.strip() == "disk_error"


def test_workspace_is_an_empty_folder_on_the_file_system_of_the_store(store):
    with store.workspace() as folder, store.workspace() as other:
        assert (list(folder.iterdir()), folder != other) == ([], True)
        assert folder.stat().st_dev == store.root.stat().st_dev
        assert store.root.stat().st_mode & 0o077 == 0
        with pytest.raises(InvalidInputError):
            check_task_id(folder.name)


@pytest.mark.parametrize("error", [None, RuntimeError])
def test_workspace_is_gone_at_the_end_with_all_that_was_made_in_it(store, error):
    with suppress(RuntimeError), store.workspace() as folder:
        (folder / "frames").mkdir()
        (folder / "frames" / "1.png").write_bytes(b"x")
        if error:
            raise error
    assert list(store.root.iterdir()) == []


def left_behind(store: ArtifactStore, name: str, hours: float) -> Path:
    folder = store.root / name
    folder.mkdir(parents=True)
    (folder / "half.mp4").write_bytes(b"x")
    then = time.time() - hours * 3600
    os.utime(folder, (then, then))
    return folder


def test_workspace_of_a_killed_process_is_swept_after_a_day(store):
    old = left_behind(store, ".making-old", hours=25)
    with store.workspace():
        pass
    assert not old.exists()


@pytest.mark.parametrize(
    ("name", "hours"), [(".making-young", 23), ("order-1", 1000), (".other", 1000)]
)
def test_workspace_sweeps_nothing_else(store, name, hours):
    kept = left_behind(store, name, hours)
    with store.workspace():
        pass
    assert (kept / "half.mp4").exists()


def test_workspace_minds_no_other_that_ends_at_the_same_moment(store):
    # A link to nowhere is listed and cannot be looked at, like a folder that has just gone.
    store.root.mkdir(parents=True, exist_ok=True)
    (store.root / ".making-gone").symlink_to(store.root / "nowhere")
    with store.workspace() as folder:
        assert folder.is_dir()


def test_open_of_a_file_that_is_gone_says_so(store, song):
    kept = store.store_file(song, "order-1", "song.wav")
    (store.root / kept.where).unlink()
    with pytest.raises(PermanentError, match=r"song\.wav is not in") as failure:
        store.open({"name": kept.name, "where": kept.where})
    assert failure.value.code == "artifact_missing"


def test_open_of_a_folder_is_no_artifact(store, song):
    store.store_file(song, "order-1", "song.wav")
    with pytest.raises(PermanentError) as failure:
        store.open({"name": "song.wav", "where": "order-1"})
    assert failure.value.code == "artifact_missing"


@pytest.mark.parametrize(
    ("generation", "name"), [(1, "song.wav"), (2, "song.2.wav"), (10, "song.10.wav")]
)
def test_generation_name_counts_from_the_second_on(generation, name):
    assert format_generation_name(Path("work/song.wav"), generation) == name


@given(
    st.sampled_from(["song.wav", "video.mp4", "thumbnail.jpg", "lyric"]),
    st.integers(1, 1000),
    st.integers(1, 1000),
)
def test_generation_names_differ_and_keep_their_kind(file, one, other):
    names = format_generation_name(Path(file), one), format_generation_name(Path(file), other)
    assert (names[0] == names[1]) == (one == other)


def test_restored_file_is_intact_again_though_its_time_is_that_of_the_damaged_one(tmp_path):
    file, good = tmp_path / "film.mp4", b"frames"
    digest = hashlib.sha256(good).hexdigest()
    file.write_bytes(good)
    then = file.stat().st_mtime_ns
    file.write_bytes(b"FRAMES")
    os.utime(file, ns=(then, then))
    assert not is_intact(file, len(good), digest)
    file.write_bytes(good)
    os.utime(file, ns=(then, then))
    assert is_intact(file, len(good), digest)
