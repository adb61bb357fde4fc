"""Pictures of films and songs for people who check them: contact sheets and spectrograms."""

from pathlib import Path
from threading import Event

import numpy as np
from PIL import Image, ImageDraw

from studio.camera.shots import FPS
from studio.ffmpeg import find_ffmpeg, run
from studio.sound import RATE, read_wav

FRAMES = 12
TILE = 320
WIDTH, HEIGHT = 1400, 420
WINDOW = 4096
LOWEST, HIGHEST = 40, 14_000
MARKED = 50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800
SHOWN_DECIBELS = 90
COLOURS = (
    ((0.0, 0.4, 0.7, 1.0), (0.0, 0.45, 0.95, 1.0)),
    ((0.0, 0.4, 0.7, 1.0), (0.0, 0.05, 0.45, 1.0)),
    ((0.0, 0.4, 0.7, 1.0), (0.05, 0.45, 0.10, 0.7)),
)
"""How much red, green and blue every level has."""


def draw_contact_sheet(film: Path, seconds: float, target: Path) -> None:
    """Write twelve frames, evenly spaced over the film, as one PNG; raise what `studio.ffmpeg.run` raises."""
    step = int(seconds * FPS / FRAMES)
    chosen = f"select=eq(mod(n\\,{step})\\,{step // 2})"
    _draw_picture(film, ("-vf", f"{chosen},scale={TILE}:-2,tile=6x2:padding=6"), target)


def draw_spectrogram(sound: Path, target: Path) -> None:
    """Draw a spectrogram of both channels together as a PNG, whose rows are even steps of pitch."""
    samples = read_wav(sound).mean(axis=1)
    samples = np.pad(samples, (0, max(0, WINDOW - len(samples))))
    starts = np.linspace(0, len(samples) - WINDOW, WIDTH).astype(int)
    frames = np.stack([samples[start : start + WINDOW] for start in starts]) * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(frames, axis=1)) / (WINDOW / 4)
    rows = np.geomspace(HIGHEST, LOWEST, HEIGHT) * WINDOW / RATE
    shown = np.stack(
        [np.interp(rows, np.arange(power.shape[1]), column) for column in power], axis=1
    )
    level = np.clip(20 * np.log10(shown + 1e-9) / SHOWN_DECIBELS + 1, 0, 1)
    colours = np.stack([np.interp(level, *curve) for curve in COLOURS], axis=-1)
    picture = Image.fromarray((255 * colours).astype(np.uint8))
    pen = ImageDraw.Draw(picture)
    for hertz in MARKED:
        place = HEIGHT * np.log(HIGHEST / hertz) / np.log(HIGHEST / LOWEST)
        pen.text((4, place - 6), f"- {hertz}", fill="white")
    picture.save(target)


def _draw_picture(source: Path, how: tuple[str, ...], target: Path) -> None:
    read = ("-i", f"file:{source.absolute()}")
    write = ("-frames:v", "1", "-update", "1", f"file:{target.absolute()}")
    run(find_ffmpeg(), (*read, *how, *write), (), target.parent, Event())
    (target.parent / "ffmpeg.log").unlink(missing_ok=True)
