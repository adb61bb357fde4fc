"""Metadata of each product for Dagster's asset catalog."""

import base64
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from dagster import MetadataValue

from pipeline_defs.song_video.products import Lyric, Song, Video
from resources.files.artifacts import ArtifactStore, StoredArtifact
from resources.views.text import as_markdown
from studio.sound import draw_waveform
from studio.words import list_sung_lines


def build_lyric_metadata(lyric: Lyric, store: ArtifactStore) -> Mapping[str, Any]:
    """Build the lyric's text and size; for a model's lyric also the model and its tokens."""
    quoted = "\n".join(f"    {line}" for line in lyric.text.splitlines())
    written = lyric.model_dump(include={"model", "tokens_in", "tokens_out"}, exclude_none=True)
    return {
        "lyric": MetadataValue.md(f"**{as_markdown(lyric.title)}**\n\n{quoted}"),
        "characters": len(lyric.text),
        "lines": len(list_sung_lines(lyric.text)),
        **written,
    }


def build_song_metadata(song: Song, store: ArtifactStore) -> Mapping[str, Any]:
    """Build waveform, length and files of the used song, and length and path of the other versions."""
    preview = {}
    with suppress(Exception):  # an error must not fail the stage of a paid song
        picture = draw_waveform(store.open(vars(song.audio)), width=480, height=96)
        preview = {"preview": _embed_picture(picture, "png", "waveform")}
    return {
        **preview,
        "seconds": song.seconds,
        "genre": song.genre,
        "lines_sung": len(song.timeline),
        **_describe_file(song.audio, store),
        **_list_other_songs(song, store),
        **_link_files(song.files[max(1, len(song.songs)) :], store),
        **_join_notes(song.notes),
    }


def _list_other_songs(song: Song, store: ArtifactStore) -> Mapping[str, Any]:
    """Return the length and path of each version that is not used."""
    shown: dict[str, Any] = {}
    for number, (version, file) in enumerate(zip(song.songs, song.files, strict=False), 1):
        if file is song.audio:
            continue
        shown[f"song_{number}"] = MetadataValue.path(store.root / file.where)
        shown[f"song_{number}_seconds"] = version.seconds
    return shown


def build_video_metadata(video: Video, store: ArtifactStore) -> Mapping[str, Any]:
    """Build a frame of the video, its length, size and files."""
    thumbnail, movie = video.find_file("image/jpeg"), video.find_file("video/mp4")
    metadata: dict[str, Any] = {"seconds": video.seconds, "size": f"{video.width}x{video.height}"}
    if thumbnail is not None:
        frame = store.open(vars(thumbnail)).read_bytes()
        metadata["preview"] = _embed_picture(frame, "jpeg", "a frame of the video")
    if movie is not None:
        metadata |= _describe_file(movie, store)
    metadata |= _link_files([file for file in video.files if file not in (movie, thumbnail)], store)
    return {**metadata, **_join_notes(video.notes)}


def _describe_file(file: StoredArtifact, store: ArtifactStore) -> Mapping[str, Any]:
    path: Path = store.root / file.where
    return {"link": MetadataValue.path(path), "bytes": file.bytes, "sha256": file.sha256}


def _link_files(files: list[StoredArtifact], store: ArtifactStore) -> Mapping[str, Any]:
    return {file.name: MetadataValue.path(store.root / file.where) for file in files}


def _join_notes(notes: list[str]) -> Mapping[str, Any]:
    return {"notes": "; ".join(notes)} if notes else {}


def _embed_picture(data: bytes, kind: str, alternative: str) -> MetadataValue[Any]:
    encoded = base64.b64encode(data).decode()
    return MetadataValue.md(f"![{alternative}](data:image/{kind};base64,{encoded})")
