"""A song's outline as a small picture."""

import io
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from studio.band.wav import read_wav
from studio.ffmpeg import look
from studio.samples import Samples

LINE = (92, 84, 214, 255)
_SAMPLES_PER_SECOND = 8000
_LONGEST_SOUND = 1800
_DECODING_SECONDS = 30


def waveform(path: Path, width: int, height: int) -> bytes:
    """A PNG of that size with the outline of a wav or mp3, on a transparent ground.

    Raises OSError, ValueError, EOFError, wave.Error or MissingPartError `ffmpeg_missing` where the file
    cannot be read.
    """
    loud = np.abs(_samples(path)).max(axis=1)
    edges = np.linspace(0, len(loud), width + 1).astype(int)[:-1]
    peaks = np.maximum.reduceat(loud, edges) if len(loud) >= width else np.zeros(width)
    reach = np.maximum(0.5, peaks * height / 2)
    rows = np.abs(np.arange(height) - (height - 1) / 2)[:, None]
    pixels = np.where((rows <= reach)[..., None], np.array(LINE, np.uint8), np.uint8(0))
    target = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(target, "PNG", optimize=True)
    return target.getvalue()


def _samples(path: Path) -> Samples:
    if path.suffix == ".wav":
        return read_wav(path)
    with TemporaryDirectory() as folder:
        return read_wav(_decoded(path, Path(folder) / "decoded.wav"))


def _decoded(path: Path, target: Path) -> Path:
    """An mp3 as wav. Nothing but this file is opened, whatever it says of itself."""
    arguments = [
        *("-loglevel", "error", "-protocol_whitelist", "file"),
        *("-f", "mp3", "-i", f"file:{path.absolute()}", "-map", "0:a:0"),
        *("-t", str(_LONGEST_SOUND), "-ac", "2", "-ar", str(_SAMPLES_PER_SECOND)),
        *("-c:a", "pcm_s16le", f"file:{target.absolute()}"),
    ]
    report = look(arguments, seconds=_DECODING_SECONDS)
    if report.status:
        raise ValueError(f"{path.name}: ffmpeg ended with status {report.status}")
    return target
