"""Frames of a finished film as pictures: its cover, in the film's full size, and the same one small for lists."""

import signal
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, ImageFilter, ImageStat

from studio.errors import RenderError, StudioError, TemporaryError
from studio.ffmpeg import failure, look

LARGEST_COVER = 600_000
LARGEST_THUMBNAIL = 90_000
Span = tuple[float, float]
THUMBNAIL_SIDE = 540
"""Pixels on the shorter side: a list on a phone shows no more."""
# A card has come by then, and does not begin to go before the second moment (`card_times.SHORTEST_TITLE`).
_TITLE_AT, _TITLE_GOES = 1.3, 1.7
_BESIDE = 0.04
"""Seconds, more than a frame: a moment beside a fade."""
_LATER = (0.4, 0.65)
"""Parts of the film: by then it is sung, and no fade has begun."""
_AS_BRIGHT = 0.7
_LONGEST_SECONDS = 20.0
_QUALITIES = range(92, 0, -8)
_LOOKED_AT = 270


def frame_at(film: Path, moment: float) -> Image.Image:
    """The film's first frame that is not shown before this moment, in seconds.

    Raises MissingPartError `ffmpeg_missing`, TemporaryError where ffmpeg did not end in time, OSError, and
    RenderError where the film has no such frame.
    """
    with TemporaryDirectory(prefix="castad-still-") as scratch:
        still = Path(scratch) / "still.ppm"
        source = ("-protocol_whitelist", "file", "-f", "mp4", "-i", f"file:{film.absolute()}")
        answer = look(
            ("-ss", f"{moment:.3f}", *source, "-frames:v", "1", str(still)),
            seconds=_LONGEST_SECONDS,
        )
        if answer.status == -signal.SIGKILL:
            raise TemporaryError(f"ffmpeg took longer than {_LONGEST_SECONDS:g} s for a frame")
        if answer.status:
            raise failure(answer.status, answer.log)
        if not still.is_file():
            raise RenderError(f"the film has no frame at {moment:.3f} s")
        with Image.open(still) as picture:
            return picture.convert("RGB")


def save_covers(frame: Image.Image, folder: Path) -> tuple[Path, Path]:
    """`thumbnail.jpg` and `cover.jpg` in `folder` show the frame; each is as good as its limit of bytes allows."""
    thumbnail, cover = folder / "thumbnail.jpg", folder / "cover.jpg"
    _save(frame, cover, LARGEST_COVER)
    _save(_reduced(frame, THUMBNAIL_SIDE), thumbnail, LARGEST_THUMBNAIL)
    return thumbnail, cover


def take_covers(
    film: Path, film_seconds: float, folder: Path, fades: Sequence[Span] = ()
) -> tuple[Path, Path]:
    """The covers show the film's title; where that is dark, the best of later moments: bright, clear and sharp.

    None is a moment of `fades`, in which text comes or goes, while there is any other. Raises as `frame_at`.
    """
    title_at, *later_at = cover_moments(film_seconds, fades)
    title = frame_at(film, title_at)
    later = [frame_at(film, moment) for moment in later_at]
    best = max(later, key=lambda frame: _brightness(frame) * (1 + _clearness(frame)))
    is_dark = _brightness(title) < _AS_BRIGHT * _brightness(best)
    return save_covers(best if is_dark else title, folder)


def try_covers(
    film: Path, film_seconds: float, folder: Path, fades: Sequence[Span] = ()
) -> tuple[Path, ...]:
    """The covers of a film that a vendor made, as `take_covers` makes them; none where they cannot be made."""
    with suppress(StudioError, OSError):
        return take_covers(film, film_seconds, folder, fades)
    return ()


def cover_moments(film_seconds: float, fades: Sequence[Span]) -> list[float]:
    """Return the moments of the title and of later frames, at which no text comes or goes where that can be."""
    title = min(_TITLE_AT, film_seconds / 2)
    return [
        _calm(title, film_seconds, fades, until=_TITLE_GOES),
        *(_calm(film_seconds * part, film_seconds, fades) for part in _LATER),
    ]


def _calm(wished: float, film_seconds: float, fades: Sequence[Span], until: float = inf) -> float:
    """Return the nearest moment outside of all fades, one that is not later than `until` before any other."""
    edges = (edge for begin, end in fades for edge in (begin - _BESIDE, end + _BESIDE))
    moments = [each for each in (wished, *edges) if 0 <= each < film_seconds - _BESIDE]
    calm = [each for each in moments if not any(begin < each < end for begin, end in fades)]
    return min(calm, key=lambda each: (each > until, abs(each - wished)), default=wished)


def _brightness(frame: Image.Image) -> float:
    return float(ImageStat.Stat(frame.convert("L")).mean[0])


def _clearness(frame: Image.Image) -> float:
    """How strong the edges of a frame are: little in a blurred one, and in one that a flash has washed out."""
    edges = _reduced(frame, _LOOKED_AT).convert("L").filter(ImageFilter.FIND_EDGES)
    return float(ImageStat.Stat(edges).mean[0])


def _reduced(picture: Image.Image, side: int) -> Image.Image:
    """The picture with so many pixels on its shorter side, or its own where it has fewer."""
    share = min(1.0, side / min(picture.size))
    width, height = (max(1, round(length * share)) for length in picture.size)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _save(picture: Image.Image, target: Path, largest: int) -> None:
    for quality in _QUALITIES:
        picture.save(target, "JPEG", quality=quality, optimize=True, progressive=True)
        if target.stat().st_size < largest:
            return
