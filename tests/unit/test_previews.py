from pathlib import Path
from typing import Any

from dagster import MetadataValue

from pipeline_defs.song_video.previews import build_song_metadata, build_video_metadata
from pipeline_defs.song_video.products import Song, SongVersion, Video
from resources.files.artifacts import ArtifactStore, StoredArtifact
from tests.fakes import media


def stored(name: str) -> StoredArtifact:
    return StoredArtifact(
        name=name, sha256="ab" * 32, bytes=4, media_type="audio/mpeg", where=f"order-1/{name}"
    )


TAKES = [
    SongVersion(id="a", title="머뭄", seconds=4.0),
    SongVersion(id="b", title="머뭄", seconds=5.0),
]
SONG = Song(
    seconds=4.0,
    genre="pop",
    timeline=[],
    songs=TAKES,
    files=[stored("song.mp3"), stored("song-2.mp3")],
)


def shown(folder: Path, content: bytes | None) -> Any:
    store = ArtifactStore(folder / "artifacts")
    if content is not None:
        (store.root / "order-1").mkdir(parents=True)
        (store.root / "order-1/song.mp3").write_bytes(content)
    return build_song_metadata(SONG, store)


def test_song_metadata_draws_an_mp3(tmp_path):
    preview = shown(tmp_path, media.song(4.0, 440))["preview"]
    assert isinstance(preview, type(MetadataValue.md("")))


def test_song_metadata_shows_the_length_and_place_of_both_songs(tmp_path):
    metadata = shown(tmp_path, media.song(4.0, 440))
    root = tmp_path / "artifacts" / "order-1"
    assert (metadata["seconds"], metadata["song_2_seconds"]) == (4.0, 5.0)
    assert metadata["link"] == MetadataValue.path(root / "song.mp3")
    assert metadata["song_2"] == MetadataValue.path(root / "song-2.mp3")


def test_song_metadata_shows_the_take_that_is_used(tmp_path):
    used = SONG.model_copy(update={"used": 1, "seconds": 5.0})
    metadata = build_song_metadata(used, ArtifactStore(tmp_path))
    assert metadata["link"] == MetadataValue.path(tmp_path / "order-1" / "song-2.mp3")
    assert (metadata["song_1_seconds"], "song_2_seconds" in metadata) == (4.0, False)


def test_song_metadata_shows_where_stems_and_midi_lie(tmp_path):
    files = [stored("song.wav"), stored("song.mid"), stored("stem-vocals.wav")]
    song = SONG.model_copy(update={"songs": [], "files": files})
    metadata = build_song_metadata(song, ArtifactStore(tmp_path))
    assert metadata["song.mid"] == MetadataValue.path(tmp_path / "order-1" / "song.mid")
    assert metadata["stem-vocals.wav"] == MetadataValue.path(tmp_path / "order-1/stem-vocals.wav")


def test_song_metadata_of_a_song_that_cannot_be_drawn_has_no_picture(tmp_path):
    assert "preview" not in shown(tmp_path, b"nothing")


def test_song_metadata_of_a_song_that_is_gone_is_still_shown(tmp_path):
    assert shown(tmp_path, None)["seconds"] == 4.0


def test_song_metadata_of_a_song_without_takes_shows_one_song(tmp_path):
    metadata = build_song_metadata(SONG.model_copy(update={"songs": []}), ArtifactStore(tmp_path))
    assert not [name for name in metadata if name.startswith("song_")]


def test_video_metadata_shows_where_the_transcripts_lie(tmp_path):
    video = Video(
        seconds=4.0, width=2, height=2, fps=30, files=[stored("video.mp4"), stored("lyrics.vtt")]
    )
    metadata = build_video_metadata(video, ArtifactStore(tmp_path))
    assert metadata["lyrics.vtt"] == MetadataValue.path(tmp_path / "order-1" / "lyrics.vtt")
