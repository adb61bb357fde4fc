"""Check songs, films and rendered pictures, describe refused graphs of pictures, and take covers out of films.

A song or film is checked by its first bytes, and by decoding it. Only the file itself is opened, whatever it
refers to. A bad file is a fault of the download (TransientError `bad_download`): the file is fetched again
and not made again.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from resources.contract.errors import InvalidInputError, TransientError
from resources.contract.protocol import Product
from resources.contract.studio_errors import translate_studio_errors
from resources.files.artifacts import ArtifactStore, DamagedArtifactError, StoredArtifact
from resources.http.vendor_client import read_json_object, shorten_to_line
from resources.process.file_locks import translate_disk_errors
from studio.errors import RenderError
from studio.ffmpeg import Report, frame_at, look, save_covers

_DECODE_TIMEOUT = 120.0
_SHORTEST_SECONDS = 0.1
_TOLERANCE_SECONDS = 1.0
_MOST_PIXELS = 40_000_000
_ONLY_THE_FILE = ("-protocol_whitelist", "file")
_NO_RESULT = ("-progress", "pipe:1", "-nostats", "-f", "null", "-")

_DURATION = re.compile(r"^ *Duration: (\d+):(\d\d):(\d\d\.\d+)", re.MULTILINE)
_GUESSED = "Estimating duration from bitrate"
_DECODED_TIME = re.compile(r"^out_time_us=(\d+)$", re.MULTILINE)
_PICTURE = re.compile(r"^ *Stream #0:\d+.*?: Video: .*?, (\d{1,5})x(\d{1,5})[ ,]", re.MULTILINE)
_FPS = re.compile(r"^ *Stream #0:\d+.*?: Video: .*?, (\d+(?:\.\d+)?) fps,", re.MULTILINE)
_LAST = 0.1
"""Seconds before its end at which a film is sure to have a frame; a later moment shows that one."""
_LETTERS = 16
BAD_PICTURE = "bad_picture"
_FORMATS = ("PNG", "JPEG", "WEBP")
_MOST_RENDERED_PIXELS = 150_000_000
INVALID_WORKFLOW = "invalid_workflow"
_MOST_NAMED = 3


@dataclass(frozen=True)
class Film:
    """A film's properties: length in seconds, width and height in pixels, frames per second."""

    seconds: float
    width: int
    height: int
    fps: float


def check_audio_file(path: Path, label: str) -> float:
    """Check that the file is an mp3 that decodes to its end; return its length in seconds.

    An mp3 without a stated length that was cut between two frames passes: the download has to notice that. Raises
    TransientError `bad_download`, whose message begins with `label`.
    """
    with translate_disk_errors(), translate_studio_errors():
        begin = _read_first_bytes(path)
        # The sync of an MPEG audio frame of layer III.
        is_frame = len(begin) > 1 and begin[0] == 0xFF and begin[1] & 0xE6 == 0xE2
        if not is_frame and not begin.startswith(b"ID3"):
            raise _build_download_error(label, "it is not an mp3")
        decoded = _run_ffmpeg("mp3", path, (), ("-map", "0:a:0", *_NO_RESULT))
    decoded_seconds = int((_DECODED_TIME.findall(decoded.output) or ["0"])[-1]) / 1_000_000
    if decoded.status or decoded_seconds < _SHORTEST_SECONDS:
        raise _build_download_error(label, "it cannot be played")
    # Without a stated length ffmpeg guesses one by the first frame's rate: that proves nothing.
    announced = None if _GUESSED in decoded.log else _read_duration(decoded)
    if announced is not None and announced - decoded_seconds > _TOLERANCE_SECONDS:
        raise _build_download_error(
            label, f"it holds only {decoded_seconds:.1f} of its {announced:.1f} s"
        )
    return decoded_seconds


def check_film(path: Path, label: str) -> Film:
    """Check that the file is an mp4 whose picture and sound decode to their end; return its properties.

    Only the picture's key frames are decoded, which takes a fraction of the time. Raises TransientError
    `bad_download`, whose message begins with `label`.
    """
    careful = ("-xerror", "-max_pixels", str(_MOST_PIXELS), "-skip_frame", "nokey")
    both = ("-map", "0:v:0", "-map", "0:a:0")
    with translate_disk_errors(), translate_studio_errors():
        if _read_first_bytes(path)[4:8] != b"ftyp":
            raise _build_download_error(label, "it is not an mp4")
        decoded = _run_ffmpeg("mp4", path, careful, (*both, *_NO_RESULT))
    seconds = _read_duration(decoded)
    size, fps = _PICTURE.search(decoded.log), _FPS.search(decoded.log)
    if decoded.status or seconds is None or seconds < _SHORTEST_SECONDS or not size or not fps:
        raise _build_download_error(label, "it cannot be played to its end with picture and sound")
    return Film(seconds, int(size[1]), int(size[2]), float(fps[1]))


def _run_ffmpeg(kind: str, path: Path, how: Sequence[str], streams: Sequence[str]) -> Report:
    source = ("-f", kind, "-i", f"file:{path.absolute()}")
    return look((*_ONLY_THE_FILE, *how, *source, *streams), seconds=_DECODE_TIMEOUT)


def _read_first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(16)


def _read_duration(decoded: Report) -> float | None:
    """Return the length in seconds that ffmpeg's log states for the file; None without one."""
    found = _DURATION.search(decoded.log)
    return int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3]) if found else None


def _build_download_error(label: str, why: str) -> TransientError:
    return TransientError(f"{label} did not arrive complete: {why}", code="bad_download")


def store_rendered_pictures(
    maker: str, pictures: Sequence[tuple[str, Path]], folder: Path
) -> Product:
    """Check pictures (node, file) and move them to `folder` as `rendered-1.png` …; return them as a product.

    `maker` begins error messages. Raises TransientError `bad_picture` for a file that is no whole picture, which
    is then removed.
    """
    files, described = [], []
    for number, (node, picture) in enumerate(pictures, start=1):
        try:
            ending, size = _check_picture(maker, picture)
        except TransientError:
            picture.unlink(missing_ok=True)
            raise
        with translate_disk_errors():
            file = picture.rename(folder / f"rendered-{number}.{ending}")
        files.append(file)
        described.append({"node": node, "name": file.name, "width": size[0], "height": size[1]})
    return Product({"pictures": described}, tuple(files))


def _check_picture(maker: str, picture: Path) -> tuple[str, tuple[int, int]]:
    """Decode a picture; return its file ending and its size. Raises TransientError `bad_picture`."""
    try:
        with Image.open(picture, formats=_FORMATS) as image:
            _check_pixel_count(image)
            image.load()
            return {"JPEG": "jpg"}.get(str(image.format), str(image.format).lower()), image.size
    except (
        OSError,
        SyntaxError,
        ValueError,
        UnidentifiedImageError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ) as error:
        raise TransientError(
            f"{maker}: the picture {picture.name[:100]} cannot be used ({type(error).__name__})",
            code=BAD_PICTURE,
        ) from None


def _check_pixel_count(image: Image.Image) -> None:
    if image.width * image.height > _MOST_RENDERED_PIXELS:
        raise ValueError(f"it has more than {_MOST_RENDERED_PIXELS // 1_000_000} million pixels")


def describe_workflow_refusal(fields: Mapping[str, Any], *secrets: str) -> str | None:
    """Describe the errors in an engine's answer to a graph, with node, class and input; None without any.

    `fields` is the answer with `error` and `node_errors`; these secrets are removed from the text.
    """
    wrong = [*_list_node_refusals(read_json_object(fields.get("node_errors")))]
    error = read_json_object(fields.get("error"))
    if not wrong and not error:
        return None
    named = wrong[:_MOST_NAMED] or [_format_message(error) or "it cannot be run"]
    more = f"; and {len(wrong) - len(named)} more" if len(wrong) > len(named) else ""
    return "; ".join(shorten_to_line(each, *secrets) for each in named) + more


def _list_node_refusals(nodes: Mapping[str, Any]) -> Iterator[str]:
    for node, about in nodes.items():
        refusals = read_json_object(about)
        kind = str(refusals.get("class_type", ""))
        listed = refusals.get("errors")
        for error in listed if isinstance(listed, list) else ():
            if not isinstance(error, dict):
                continue
            name = read_json_object(error.get("extra_info")).get("input_name")
            where = f", input {name}" if name else ""
            yield f"node {node} ({kind}){where}: {_format_message(error)}"


def _format_message(error: Mapping[str, Any]) -> str:
    parts = (str(error.get(name) or "") for name in ("message", "details"))
    return ": ".join(part for part in parts if part)


def store_cover_frame(
    store: ArtifactStore, film: Mapping[str, Any], seconds: float, folder: str
) -> list[StoredArtifact]:
    """Store the film's frame at `seconds`, as a small `thumbnail.jpg` and a full-size `cover.jpg`.

    The stored paths contain a hash of the content, so that two concurrent calls do not replace each other's files.
    Raises InvalidInputError `seconds` for a moment outside of the film, MissingArtifactError,
    DamagedArtifactError, and TransientError if the machine lacks space or time.
    """
    path = store.open(film)
    with translate_disk_errors(), translate_studio_errors():
        # The length that the mp4's header states: nothing is decoded.
        length = _read_duration(_run_ffmpeg("mp4", path, (), ()))
        if length is None:
            raise DamagedArtifactError(str(film["name"]))
        if not 0 <= seconds <= length:
            raise InvalidInputError("seconds", f"expected a moment of the video, 0 to {length:g}")
        try:
            frame = frame_at(path, max(0.0, min(seconds, length - _LAST)))
        except RenderError:
            raise DamagedArtifactError(str(film["name"])) from None
        stored = []
        with store.workspace() as scratch:
            for made in save_covers(frame, scratch):
                found = store.sync_and_describe(made, folder, made.name)
                unique = f"{made.stem}-{found.sha256[:_LETTERS]}{made.suffix}"
                stored.append(replace(found, where=f"{folder}/{unique}"))
                store.move_into_store(made, stored[-1])
        return stored
