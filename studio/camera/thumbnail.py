"""One frame of a finished film as a small JPEG."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Timer

from PIL import Image

from studio.errors import StudioError
from studio.ffmpeg import find_ffmpeg, run

_SIDE = 480
_LARGEST = 30_000
# A card has come by then and does not go before `staging.SHORTEST_TITLE`.
_SHOWN_AT = 1.3
_LONGEST_SECONDS = 60


def take_thumbnail(program: str, folder: Path, film_seconds: float, stop: Event) -> Path:
    """`thumbnail.jpg` in `folder` shows a moment of the `video.mp4` there at which its title is on it.

    Nothing else is left there. Raises what `studio.ffmpeg.run` raises, and OSError.
    """
    film, target = folder / "video.mp4", folder / "thumbnail.jpg"
    with TemporaryDirectory(prefix=".still-", dir=folder) as scratch:
        run(program, _still(film, film_seconds), (), Path(scratch), stop)
        _save(Path(scratch) / "still.png", target)
    return target


def try_thumbnail(folder: Path, film_seconds: float) -> tuple[Path, ...]:
    """The thumbnail of somebody else's film where one can be made in time, else nothing."""
    stop = Event()
    timer = Timer(_LONGEST_SECONDS, stop.set)
    timer.start()
    try:
        with suppress(StudioError, OSError):
            return (take_thumbnail(find_ffmpeg(), folder, film_seconds, stop),)
    finally:
        timer.cancel()
    return ()


def _still(film: Path, film_seconds: float) -> Sequence[str]:
    size = f"scale={_SIDE}:{_SIDE}:force_original_aspect_ratio=decrease"
    moment, source = min(_SHOWN_AT, film_seconds / 2), f"file:{film.absolute()}"
    return ("-ss", f"{moment:.3f}", "-i", source, "-frames:v", "1", "-vf", size, "still.png")


def _save(still: Path, target: Path) -> None:
    """Write a JPEG of at most `_LARGEST` bytes: the best quality that fits."""
    with Image.open(still) as picture:
        for quality in range(84, 0, -12):
            picture.convert("RGB").save(target, "JPEG", quality=quality, optimize=True)
            if target.stat().st_size <= _LARGEST:
                return
