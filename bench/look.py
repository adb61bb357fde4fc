"""Pictures of films and songs for people who check them: contact sheets and spectrograms, by ffmpeg."""

from pathlib import Path
from threading import Event

from studio.camera.shots import FPS
from studio.ffmpeg import find_ffmpeg, run

FRAMES = 12
TILE = 320


def contact_sheet(film: Path, seconds: float, target: Path) -> None:
    """Twelve frames, evenly spaced over the film, in one PNG. Raises what `studio.ffmpeg.run` raises."""
    step = int(seconds * FPS / FRAMES)
    chosen = f"select=eq(mod(n\\,{step})\\,{step // 2})"
    _picture(film, ("-vf", f"{chosen},scale={TILE}:-2,tile=6x2:padding=6"), target)


def spectrogram(sound: Path, target: Path) -> None:
    """What sounds when, from 40 Hz to 12 kHz, both channels together, as a PNG."""
    shown = (
        "showspectrumpic=s=1400x420:mode=combined:scale=log:fscale=log:start=40:stop=12000:legend=1"
    )
    _picture(sound, ("-lavfi", shown), target)


def _picture(source: Path, how: tuple[str, ...], target: Path) -> None:
    read = ("-i", f"file:{source.absolute()}")
    write = ("-frames:v", "1", "-update", "1", f"file:{target.absolute()}")
    run(find_ffmpeg(), (*read, *how, *write), (), target.parent, Event())
    (target.parent / "ffmpeg.log").unlink(missing_ok=True)
