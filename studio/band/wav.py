"""16-bit stereo WAV files by the standard library."""

import wave
from pathlib import Path

import numpy as np

from studio.samples import RATE, Samples

FULL_SCALE = 32_767


def write_wav(path: Path, samples: Samples) -> None:
    """Write float32 samples (n, 2) in [-1, 1] as 44.1 kHz 16-bit stereo."""
    # A wave that cannot open its file by itself complains once more when it is collected.
    with path.open("wb") as target, wave.open(target, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(samples, -1, 1) * FULL_SCALE).round().astype("<i2").tobytes())


def read_wav(path: Path) -> Samples:
    """The samples (n, 2) of a file written by `write_wav`, float32 in [-1, 1]."""
    with wave.open(str(path), "rb") as file:
        frames = file.readframes(file.getnframes())
    return np.frombuffer(frames, "<i2").reshape(-1, 2).astype(np.float32) / np.float32(FULL_SCALE)
