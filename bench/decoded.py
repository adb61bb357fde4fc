"""The sound of a finished film, as a player decodes it."""

import subprocess
from pathlib import Path

import numpy as np

from studio.band.mixing import measure_peak
from studio.ffmpeg import find_ffmpeg
from studio.sound import RATE


def measure_decoded_peak(film: Path) -> float:
    """Measure the true peak of the film's sound in dBTP after its lossy coding."""
    done = subprocess.run(
        [
            find_ffmpeg(),
            "-v",
            "error",
            "-i",
            str(film),
            "-f",
            "f32le",
            "-ac",
            "2",
            "-ar",
            str(RATE),
            "-",
        ],
        stdout=subprocess.PIPE,
        check=True,
    )
    samples = np.frombuffer(done.stdout, np.float32).reshape(-1, 2)
    return float(20 * np.log10(max(measure_peak(samples), 1e-9)))
