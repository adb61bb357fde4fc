"""Whether a downloaded song or film is one: by its first bytes, and by decoding it.

Only the file itself is opened, whatever it refers to. A bad file is a fault of the download (TransientError
`bad_download`): the file is fetched again and not made again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from resources.contract.errors import TransientError
from resources.contract.studio_errors import as_castad_errors
from resources.process.disk_errors import disk_errors
from studio.ffmpeg import Report, look

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


@dataclass(frozen=True)
class Film:
    """A film's properties; sizes in pixels."""

    seconds: float
    width: int
    height: int
    fps: float


def check_sound(path: Path, what: str) -> float:
    """The file is an mp3 that decodes to its end; returns its seconds.

    An mp3 without a stated length that was cut between two frames passes: the download has to notice that.
    Raises TransientError `bad_download`, whose message begins with `what`.
    """
    with disk_errors(), as_castad_errors():
        if not _begins_like_mp3(_first_bytes(path)):
            raise _bad(what, "it is not an mp3")
        decoded = look(_reading("mp3", path, (), ("-map", "0:a:0")), seconds=_DECODE_TIMEOUT)
    decoded_seconds = int((_DECODED_TIME.findall(decoded.output) or ["0"])[-1]) / 1_000_000
    if decoded.status or decoded_seconds < _SHORTEST_SECONDS:
        raise _bad(what, "it cannot be played")
    # Without a stated length ffmpeg guesses one by the first frame's rate: that proves nothing.
    announced = None if _GUESSED in decoded.log else _duration(decoded)
    if announced is not None and announced - decoded_seconds > _TOLERANCE_SECONDS:
        raise _bad(what, f"it holds only {decoded_seconds:.1f} of its {announced:.1f} s")
    return decoded_seconds


def check_film(path: Path, what: str) -> Film:
    """The file is an mp4 whose picture and sound decode to their end; returns its properties.

    Only the picture's key frames are decoded, which takes a fraction of the time. Raises TransientError
    `bad_download`, whose message begins with `what`.
    """
    careful = ("-xerror", "-max_pixels", str(_MOST_PIXELS), "-skip_frame", "nokey")
    both = ("-map", "0:v:0", "-map", "0:a:0")
    with disk_errors(), as_castad_errors():
        if _first_bytes(path)[4:8] != b"ftyp":
            raise _bad(what, "it is not an mp4")
        decoded = look(_reading("mp4", path, careful, both), seconds=_DECODE_TIMEOUT)
    seconds, size, fps = _duration(decoded), _PICTURE.search(decoded.log), _FPS.search(decoded.log)
    if decoded.status or seconds is None or seconds < _SHORTEST_SECONDS or not size or not fps:
        raise _bad(what, "it cannot be played to its end with picture and sound")
    return Film(seconds, int(size[1]), int(size[2]), float(fps[1]))


def stated_seconds(path: Path) -> float | None:
    """The length that an mp4 states, None where it states none; nothing is decoded."""
    source = ("-f", "mp4", "-i", f"file:{path.absolute()}")
    return _duration(look((*_ONLY_THE_FILE, *source), seconds=_DECODE_TIMEOUT))


def _reading(kind: str, path: Path, how: Sequence[str], streams: Sequence[str]) -> Sequence[str]:
    source = ("-f", kind, "-i", f"file:{path.absolute()}")
    return (*_ONLY_THE_FILE, *how, *source, *streams, *_NO_RESULT)


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(16)


def _begins_like_mp3(begin: bytes) -> bool:
    """An ID3 tag, or the sync of an MPEG audio frame of layer III."""
    frame = len(begin) > 1 and begin[0] == 0xFF and begin[1] & 0xE6 == 0xE2
    return frame or begin.startswith(b"ID3")


def _duration(decoded: Report) -> float | None:
    """The length that the file states, in seconds."""
    found = _DURATION.search(decoded.log)
    return int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3]) if found else None


def _bad(what: str, why: str) -> TransientError:
    return TransientError(f"{what} did not arrive complete: {why}", code="bad_download")
