"""The metadata that the asset catalog shows of each product."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dagster import MetadataValue

from pipeline_defs.song_video.products import Lyric, Song, Video
from resources.files.artifacts import ArtifactStore, StoredArtifact
from resources.views.text import as_markdown
from studio.sound import draw_waveform
from studio.words import list_sung_lines


def lyric_metadata(lyric: Lyric, store: ArtifactStore) -> Mapping[str, Any]:
    """The lyric's text and size; for a model's lyric also the model and its tokens."""
    quoted = "\n".join(f"    {line}" for line in lyric.text.splitlines())
    written = {
        "model": lyric.model,
        "tokens_in": lyric.tokens_in,
        "tokens_out": lyric.tokens_out,
    }
    return {
        "lyric": MetadataValue.md(f"**{as_markdown(lyric.title)}**\n\n{quoted}"),
        "characters": len(lyric.text),
        "lines": len(list_sung_lines(lyric.text)),
        **{name: value for name, value in written.items() if value is not None},
    }


def song_metadata(song: Song, store: ArtifactStore) -> Mapping[str, Any]:
    """The waveform, length and files of the song used, and length and path of the other versions."""
    return {
        **_wave(song.audio, store),
        "seconds": song.seconds,
        "genre": song.genre,
        "lines_sung": len(song.timeline),
        **_file(song.audio, store),
        **_other_songs(song, store),
        **_further(song.files[max(1, len(song.songs)) :], store),
        **_notes(song.notes),
    }


def _wave(file: StoredArtifact, store: ArtifactStore) -> Mapping[str, Any]:
    """The waveform, or nothing after an error: the song is paid for, and a picture must not fail its stage."""
    try:
        picture = draw_waveform(store.open(vars(file)), width=480, height=96)
    except Exception:  # noqa: BLE001 - see the docstring
        return {}
    return {"preview": _picture(picture, "png", "waveform")}


def _other_songs(song: Song, store: ArtifactStore) -> Mapping[str, Any]:
    """Length and path of the versions that are not used."""
    shown: dict[str, Any] = {}
    for number, (version, file) in enumerate(zip(song.songs, song.files, strict=False), 1):
        if file is song.audio:
            continue
        shown[f"song_{number}"] = MetadataValue.path(store.root / file.where)
        shown[f"song_{number}_seconds"] = version.seconds
    return shown


def video_metadata(video: Video, store: ArtifactStore) -> Mapping[str, Any]:
    """A frame of the video, its length, size and files."""
    thumbnail, movie = video.file("image/jpeg"), video.file("video/mp4")
    metadata: dict[str, Any] = {"seconds": video.seconds, "size": f"{video.width}x{video.height}"}
    if thumbnail is not None:
        frame = store.open(vars(thumbnail)).read_bytes()
        metadata["preview"] = _picture(frame, "jpeg", "a frame of the video")
    if movie is not None:
        metadata |= _file(movie, store)
    metadata |= _further([file for file in video.files if file not in (movie, thumbnail)], store)
    return {**metadata, **_notes(video.notes)}


def _file(file: StoredArtifact, store: ArtifactStore) -> Mapping[str, Any]:
    path: Path = store.root / file.where
    return {"link": MetadataValue.path(path), "bytes": file.bytes, "sha256": file.sha256}


def _further(files: list[StoredArtifact], store: ArtifactStore) -> Mapping[str, Any]:
    """The path of each file, by its name."""
    return {file.name: MetadataValue.path(store.root / file.where) for file in files}


def _notes(notes: list[str]) -> Mapping[str, Any]:
    return {"notes": "; ".join(notes)} if notes else {}


def _picture(data: bytes, kind: str, alternative: str) -> MetadataValue[Any]:
    encoded = base64.b64encode(data).decode()
    return MetadataValue.md(f"![{alternative}](data:image/{kind};base64,{encoded})")
