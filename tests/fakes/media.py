"""Real small files, made once in a process: songs of one tone and videos of one colour."""

import subprocess
import tempfile
from functools import cache
from pathlib import Path

from imageio_ffmpeg import get_ffmpeg_exe

_TIMEOUT = 60


class UndecodableError(Exception):
    """What was given as sound is none."""


@cache
def song(seconds: float, hertz: int) -> bytes:
    """An mp3 of one audible tone."""
    tone = f"sine=frequency={hertz}:sample_rate=44100:duration={seconds}"
    return _made(["-f", "lavfi", "-i", tone, "-ac", "1", "-b:a", "48k"], "song.mp3")


@cache
def video(width: int, height: int, seconds: float, sound: bytes | None) -> bytes:
    """An mp4 of one colour with this sound, or with silence. Raises UndecodableError."""
    picture = f"color=c=0x204060:size={width}x{height}:rate=2:duration={seconds}"
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "given"
        given.write_bytes(sound or b"")
        heard = ["-i", str(given)] if sound else ["-f", "lavfi", "-i", "anullsrc=sample_rate=44100"]
        codecs = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac"]
        mapped = ["-map", "0:v", "-map", "1:a", "-af", "apad", "-t", str(seconds)]
        inputs = ["-f", "lavfi", "-i", picture, *heard]
        return _made([*inputs, *mapped, *codecs, "-movflags", "+faststart"], "video.mp4")


def _made(arguments: list[str], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / name
        run = subprocess.run(
            [get_ffmpeg_exe(), "-nostdin", "-loglevel", "error", *arguments, str(made)],
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
        )
        if run.returncode:
            raise UndecodableError(run.stderr.decode(errors="replace"))
        return made.read_bytes()
