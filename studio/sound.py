"""Sound as numbers, as WAV files and as small pictures.

Samples are float32 in [-1, 1] at 44.1 kHz, (n,) for one channel and (n, 2) for two.
"""

import io
import wave
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.ffmpeg import explain_failure, look

RATE = 44_100
Samples = NDArray[np.float32]
FULL_SCALE = 32_767
SMALLEST_FFT = 1 << 15
LINE = (92, 84, 214, 255)
_SAMPLES_PER_SECOND = 8000
_LONGEST_SOUND = 1800
_CODING_SECONDS = 30


def to_hertz(pitch: float) -> float:
    """Return the frequency of a MIDI pitch (69 = 440 Hz); fractions of a semitone are allowed."""
    return float(440.0 * 2.0 ** ((pitch - 69) / 12.0))


def add_at(song: Samples, first: int, samples: Samples) -> None:
    """Add samples to the song from its sample `first` on, which may be before 0, as far as it lasts."""
    cut = max(0, -first)
    room = song[first + cut :]
    part = samples[cut : cut + len(room)]
    room[: len(part)] += part


def convolve(
    samples: Samples, kernel: NDArray[np.floating], block: int = 0, late: int = 0
) -> Samples:
    """Filter `samples` (n,) by `kernel` (m,), cut to n samples from `late` on: overlap-add over blocks."""
    size = max(SMALLEST_FFT, 1 << (2 * len(kernel) - 1).bit_length(), 2 * block)
    block = block or size - len(kernel) + 1
    spectrum = np.fft.rfft(kernel.astype(np.float32), size)
    out = np.zeros(len(samples) + size, np.float32)
    for first in range(0, len(samples), block):
        piece = samples[first : first + block].astype(np.float32)
        if piece.any():
            out[first : first + size] += np.fft.irfft(np.fft.rfft(piece, size) * spectrum, size)
    return out[late : late + len(samples)]


def write_wav(path: Path, samples: Samples) -> None:
    """Write float32 samples (n, 2) in [-1, 1] as 44.1 kHz 16-bit stereo."""
    # A wave that cannot open its file by itself complains once more when it is collected.
    with path.open("wb") as target, wave.open(target, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(samples, -1, 1) * FULL_SCALE).round().astype("<i2").tobytes())


def read_wav(path: Path) -> Samples:
    """Return the samples (n, 2) of a file written by `write_wav`, float32 in [-1, 1]."""
    with wave.open(str(path), "rb") as file:
        frames = file.readframes(file.getnframes())
    return np.frombuffer(frames, "<i2").reshape(-1, 2).astype(np.float32) / np.float32(FULL_SCALE)


def draw_waveform(path: Path, width: int, height: int) -> bytes:
    """Draw the outline of a wav or mp3 as a PNG of that size, on a transparent ground.

    Raises OSError, ValueError, EOFError, wave.Error or MissingPartError `ffmpeg_missing` where the file
    cannot be read.
    """
    loud = np.abs(_read_sound(path)).max(axis=1)
    edges = np.linspace(0, len(loud), width + 1).astype(int)[:-1]
    peaks = np.maximum.reduceat(loud, edges) if len(loud) >= width else np.zeros(width)
    reach = np.maximum(0.5, peaks * height / 2)
    rows = np.abs(np.arange(height) - (height - 1) / 2)[:, None]
    pixels = np.where((rows <= reach)[..., None], np.array(LINE, np.uint8), np.uint8(0))
    target = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(target, "PNG", optimize=True)
    return target.getvalue()


def write_mp3(sound: Path) -> Path:
    """Encode the wav as an mp3 of the same name beside it and return its path; raise StudioError."""
    target = sound.with_suffix(".mp3")
    report = look(
        [
            *("-loglevel", "error", "-y", "-i", str(sound), "-c:a", "libmp3lame", "-b:a", "192k"),
            *("-map_metadata", "-1", "-fflags", "+bitexact", "-flags:a", "+bitexact", str(target)),
        ],
        seconds=_CODING_SECONDS,
    )
    if report.status:
        raise explain_failure(report.status, report.log)
    return target


def _read_sound(path: Path) -> Samples:
    """Read a wav, or decode an mp3; open nothing but this file, whatever it says of itself."""
    if path.suffix == ".wav":
        return read_wav(path)
    with TemporaryDirectory() as folder:
        target = Path(folder) / "decoded.wav"
        arguments = [
            *("-loglevel", "error", "-protocol_whitelist", "file"),
            *("-f", "mp3", "-i", f"file:{path.absolute()}", "-map", "0:a:0"),
            *("-t", str(_LONGEST_SOUND), "-ac", "2", "-ar", str(_SAMPLES_PER_SECOND)),
            *("-c:a", "pcm_s16le", f"file:{target}"),
        ]
        report = look(arguments, seconds=_CODING_SECONDS)
        if report.status:
            raise ValueError(f"{path.name}: ffmpeg ended with status {report.status}")
        return read_wav(target)
