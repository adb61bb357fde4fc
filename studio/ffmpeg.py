"""Where ffmpeg is started: to film, with frames through its standard input, to look at a file, to take covers."""

import errno
import os
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Event, Thread

from imageio_ffmpeg import get_ffmpeg_exe
from PIL import Image, ImageFilter, ImageStat

from studio.errors import MissingPartError, RenderError, StoppedError, StudioError, TemporaryError

TAIL = 600
KILL_SECONDS = 10
LISTEN_SECONDS = 0.1
NO_SPACE = "No space left on device"
_MOST_REPORTED = 200_000
LARGEST_COVER, LARGEST_THUMBNAIL = 600_000, 90_000
# Pixels on the shorter side: a list on a phone shows no more.
THUMBNAIL_SIDE = 540
# A card has come by then, and does not begin to go before the second moment (`staging.SHORTEST_TITLE`).
_TITLE_AT, _TITLE_GOES = 1.3, 1.7
# Seconds, more than a frame: a moment beside a fade.
_BESIDE = 0.04
# Parts of the film: by then it is sung, and no fade has begun.
_LATER = (0.4, 0.65)
_AS_BRIGHT = 0.7
_LONGEST_SECONDS = 20.0
_QUALITIES = range(92, 0, -8)
_LOOKED_AT = 270
Span = tuple[float, float]


@dataclass(frozen=True)
class Report:
    """What ffmpeg reports of a file: its exit status, the end of its output and the beginning of its log."""

    status: int
    output: str
    log: str


def find_ffmpeg() -> str:
    """Return the path of $IMAGEIO_FFMPEG_EXE or of the package's program, or raise a MissingPartError."""
    try:
        return get_ffmpeg_exe()
    except RuntimeError as error:
        raise _explain_missing("none was found") from error


def _explain_missing(why: str) -> MissingPartError:
    return MissingPartError(
        f"ffmpeg cannot be run ({why}); install imageio-ffmpeg or point IMAGEIO_FFMPEG_EXE at one",
        code="ffmpeg_missing",
    )


def run(
    program: str, arguments: Sequence[str], frames: Iterable[bytes], folder: Path, stop: Event
) -> None:
    """Feed the frames to ffmpeg, working in `folder`; return when it has ended well.

    Raises MissingPartError where it does not start, StoppedError where `stop` was set, and what `explain_failure`
    returns.
    """
    log = folder / "ffmpeg.log"
    with log.open("wb") as errors:
        with _explain_start(program):
            process = subprocess.Popen(
                [program, "-hide_banner", "-loglevel", "warning", "-nostdin", "-y", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                cwd=folder,
                # Its many threads would each keep a heap of their own: 13 MB less of 180 in a film.
                env={**os.environ, "MALLOC_ARENA_MAX": "1"},
            )
        with watch(process, stop):
            if process.stdin is None:
                raise ValueError("ffmpeg was started without a pipe")
            # An ffmpeg that ended early closes the pipe first: its status tells.
            with suppress(BrokenPipeError), process.stdin as pipe:
                for frame in frames:
                    pipe.write(frame)
            status = process.wait()
    if stop.is_set():
        raise StoppedError("the video was stopped")
    if status:
        raise explain_failure(status, log.read_text("utf-8", "replace"))


def look(arguments: Sequence[str], *, seconds: float) -> Report:
    """Run ffmpeg and return what it reports; after so many seconds it is killed, and the status says so."""
    program = find_ffmpeg()
    with TemporaryFile() as output, TemporaryFile() as log:
        try:
            with _explain_start(program):
                status = subprocess.run(
                    [program, "-hide_banner", "-nostdin", *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=log,
                    timeout=seconds,
                    check=False,
                ).returncode
        except subprocess.TimeoutExpired:
            status = -signal.SIGKILL
        output.seek(max(0, output.tell() - _MOST_REPORTED))
        log.seek(0)
        texts = (stream.read(_MOST_REPORTED).decode("utf-8", "replace") for stream in (output, log))
        return Report(status, *texts)


def explain_failure(status: int, log: str) -> StudioError:
    """Return the error that ffmpeg's exit status and last words mean."""
    if NO_SPACE in log:
        return TemporaryError("there is no space left on the disk for the video", code="disk_full")
    return RenderError(f"ffmpeg ended with status {status}: {log[-TAIL:].strip()}")


@contextmanager
def _explain_start(program: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.ENOMEM):
            raise
        raise _explain_missing(f"{program}: {error.strerror}") from error


@contextmanager
def watch(process: "subprocess.Popen[bytes]", stop: Event) -> Iterator[None]:
    """Kill a process when `stop` is set, also while a write to it hangs, and afterwards in any case."""
    over = Event()

    def listen() -> None:
        while not over.wait(LISTEN_SECONDS):
            if stop.is_set():
                process.kill()
                return

    watcher = Thread(target=listen, name="process-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        process.kill()
        process.wait(KILL_SECONDS)


def frame_at(film: Path, moment: float) -> Image.Image:
    """Return the film's first frame from this moment on, in seconds; raise a StudioError where there is none."""
    with TemporaryDirectory(prefix="castad-still-") as scratch:
        still = Path(scratch) / "still.ppm"
        source = ("-protocol_whitelist", "file", "-f", "mp4", "-i", f"file:{film.absolute()}")
        taken = ("-ss", f"{moment:.3f}", *source, "-frames:v", "1", str(still))
        answer = look(taken, seconds=_LONGEST_SECONDS)
        if answer.status == -signal.SIGKILL:
            raise TemporaryError(f"ffmpeg took longer than {_LONGEST_SECONDS:g} s for a frame")
        if answer.status:
            raise explain_failure(answer.status, answer.log)
        if not still.is_file():
            raise RenderError(f"the film has no frame at {moment:.3f} s")
        with Image.open(still) as picture:
            return picture.convert("RGB")


def save_covers(frame: Image.Image, folder: Path) -> tuple[Path, Path]:
    """Save the frame as `thumbnail.jpg` and `cover.jpg` in `folder`, each as good as its limit of bytes allows."""
    thumbnail, cover = folder / "thumbnail.jpg", folder / "cover.jpg"
    _save(frame, cover, LARGEST_COVER)
    _save(_reduce(frame, THUMBNAIL_SIDE), thumbnail, LARGEST_THUMBNAIL)
    return thumbnail, cover


def take_covers(
    film: Path, film_seconds: float, folder: Path, fades: Sequence[Span] = ()
) -> tuple[Path, Path]:
    """Save the film's title; where that is dark, the best of later moments: bright, clear and sharp.

    None is a moment of `fades`, in which text comes or goes, while there is any other. Raises as `frame_at`.
    """
    title, *later = (frame_at(film, each) for each in find_cover_moments(film_seconds, fades))
    best = max(later, key=lambda frame: _measure_light(frame) * (1 + _measure_edges(frame)))
    is_dark = _measure_light(title) < _AS_BRIGHT * _measure_light(best)
    return save_covers(best if is_dark else title, folder)


def try_covers(
    film: Path, film_seconds: float, folder: Path, fades: Sequence[Span] = ()
) -> tuple[Path, ...]:
    """Take the covers of a film that a vendor made; none where they cannot be made."""
    with suppress(StudioError, OSError):
        return take_covers(film, film_seconds, folder, fades)
    return ()


def find_cover_moments(film_seconds: float, fades: Sequence[Span]) -> list[float]:
    """Return the moments of the title and of later frames, at which no text comes or goes where that can be."""
    title = min(_TITLE_AT, film_seconds / 2)
    return [
        _find_calm(title, film_seconds, fades, until=_TITLE_GOES),
        *(_find_calm(film_seconds * part, film_seconds, fades) for part in _LATER),
    ]


def _find_calm(
    wished: float, film_seconds: float, fades: Sequence[Span], until: float = inf
) -> float:
    """Return the nearest moment outside of all fades, one that is not later than `until` before any other."""
    edges = (edge for begin, end in fades for edge in (begin - _BESIDE, end + _BESIDE))
    moments = [each for each in (wished, *edges) if 0 <= each < film_seconds - _BESIDE]
    calm = [each for each in moments if not any(begin < each < end for begin, end in fades)]
    return min(calm, key=lambda each: (each > until, abs(each - wished)), default=wished)


def _measure_light(frame: Image.Image) -> float:
    return float(ImageStat.Stat(frame.convert("L")).mean[0])


def _measure_edges(frame: Image.Image) -> float:
    """Return how strong the edges are: little in a blurred frame, and in one that a flash has washed out."""
    edges = _reduce(frame, _LOOKED_AT).convert("L").filter(ImageFilter.FIND_EDGES)
    return float(ImageStat.Stat(edges).mean[0])


def _reduce(picture: Image.Image, side: int) -> Image.Image:
    """Reduce the picture to this many pixels on its shorter side, where it has more."""
    share = min(1.0, side / min(picture.size))
    width, height = (max(1, round(length * share)) for length in picture.size)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _save(picture: Image.Image, target: Path, largest: int) -> None:
    for quality in _QUALITIES:
        picture.save(target, "JPEG", quality=quality, optimize=True, progressive=True)
        if target.stat().st_size < largest:
            return
