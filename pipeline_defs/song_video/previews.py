"""What the catalog shows of each product."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dagster import MetadataValue

from pipeline_defs.song_video.products import Lyric, Song, StoredFile, Video
from resources.artifacts import ArtifactStore
from resources.studio.waveform import waveform


def lyric_metadata(lyric: Lyric) -> Mapping[str, Any]:
    """The words themselves."""
    lines = lyric.text.splitlines()
    quoted = "\n".join(f"    {line}" for line in lines)
    return {
        "lyric": MetadataValue.md(f"**{_plain(lyric.title)}**\n\n{quoted}"),
        "characters": len(lyric.text),
        "lines": len(lines),
    }


def song_metadata(song: Song, store: ArtifactStore) -> Mapping[str, Any]:
    """Its wave, length and size."""
    picture = waveform(store.open(song.audio.model_dump()), width=480, height=96)
    return {
        "preview": _picture(picture, "png", "waveform"),
        "seconds": song.seconds,
        "genre": song.genre,
        "lines_sung": len(song.timeline),
        **_file(song.audio, store),
        **_notes(song.notes),
    }


def video_metadata(video: Video, store: ArtifactStore) -> Mapping[str, Any]:
    """A frame of it, length and size."""
    thumbnail, movie = video.file("image/jpeg"), video.file("video/mp4")
    metadata: dict[str, Any] = {"seconds": video.seconds, "size": f"{video.width}x{video.height}"}
    if thumbnail is not None:
        frame = store.open(thumbnail.model_dump()).read_bytes()
        metadata["preview"] = _picture(frame, "jpeg", "a frame of the video")
    if movie is not None:
        metadata |= _file(movie, store)
    return {**metadata, **_notes(video.notes)}


def _file(file: StoredFile, store: ArtifactStore) -> Mapping[str, Any]:
    path: Path = store.root / file.where
    return {"link": MetadataValue.path(path), "bytes": file.bytes, "sha256": file.sha256}


def _notes(notes: list[str]) -> Mapping[str, Any]:
    return {"notes": "; ".join(notes)} if notes else {}


def _picture(data: bytes, kind: str, alternative: str) -> MetadataValue[Any]:
    encoded = base64.b64encode(data).decode()
    return MetadataValue.md(f"![{alternative}](data:image/{kind};base64,{encoded})")


def _plain(text: str) -> str:
    return "".join(
        f"\\{character}" if character in "\\`*_[]<>#|!" else character for character in text
    )
