"""Where ffmpeg is started: to film, with frames through its standard input, or to look at a file."""

import errno
import os
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event, Thread

from imageio_ffmpeg import get_ffmpeg_exe

from studio.errors import MissingPartError, RenderError, StoppedError, StudioError, TemporaryError

TAIL = 600
KILL_SECONDS = 10
LISTEN_SECONDS = 0.2
NO_SPACE = "No space left on device"
_MOST_REPORTED = 200_000


@dataclass(frozen=True)
class Report:
    """What ffmpeg reports of a file: its exit status, the end of its output and the beginning of its log."""

    status: int
    output: str
    log: str


def find_ffmpeg() -> str:
    """The program's path: $IMAGEIO_FFMPEG_EXE, or the one that came with the package imageio-ffmpeg.

    Raises:
        MissingPartError: `ffmpeg_missing`.
    """
    try:
        return get_ffmpeg_exe()
    except RuntimeError as error:
        raise missing("none was found") from error


def missing(why: str) -> MissingPartError:
    """The error that says how to get ffmpeg."""
    return MissingPartError(
        f"ffmpeg cannot be run ({why}); install imageio-ffmpeg or point IMAGEIO_FFMPEG_EXE at one",
        code="ffmpeg_missing",
    )


def run(
    program: str, arguments: Sequence[str], frames: Iterable[bytes], folder: Path, stop: Event
) -> None:
    """Feed the frames to ffmpeg, working in `folder`; returns when it has ended well.

    Raises:
        MissingPartError: `ffmpeg_missing`, where it does not start.
        TemporaryError: `disk_full`.
        RenderError: it failed; the message ends with its last words.
        StoppedError: `stop` was set; ffmpeg was killed.
        OSError: the machine has no room for another process.
    """
    log = folder / "ffmpeg.log"
    with log.open("wb") as errors:
        with _starting(program):
            process = subprocess.Popen(
                [program, "-hide_banner", "-loglevel", "warning", "-nostdin", "-y", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                cwd=folder,
                # Its many threads would each keep a heap of their own: 13 MB less of 180 in a film.
                env={**os.environ, "MALLOC_ARENA_MAX": "1"},
            )
        with _watched(process, stop):
            _feed(process, frames)
            status = process.wait()
    if stop.is_set():
        raise StoppedError("the video was stopped")
    if status:
        raise failure(status, log.read_text("utf-8", "replace"))


def look(arguments: Sequence[str], *, seconds: float) -> Report:
    """What ffmpeg reports when it has ended; after so many seconds it is killed, and the status says so.

    Raises:
        MissingPartError: `ffmpeg_missing`.
        OSError: the machine has no room for another process or for its output.
    """
    program = find_ffmpeg()
    with TemporaryFile() as output, TemporaryFile() as log:
        try:
            with _starting(program):
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


def failure(status: int, log: str) -> StudioError:
    """What ffmpeg's exit status and last words mean."""
    if NO_SPACE in log:
        return TemporaryError("there is no space left on the disk for the video", code="disk_full")
    return RenderError(f"ffmpeg ended with status {status}: {log[-TAIL:].strip()}")


@contextmanager
def _starting(program: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.ENOMEM):
            raise
        raise missing(f"{program}: {error.strerror}") from error


def _feed(process: "subprocess.Popen[bytes]", frames: Iterable[bytes]) -> None:
    """Write every frame and close the pipe. An ffmpeg that ended early closes it first: its status tells."""
    if process.stdin is None:
        raise ValueError("ffmpeg was started without a pipe")
    with suppress(BrokenPipeError), process.stdin as pipe:
        for frame in frames:
            pipe.write(frame)


@contextmanager
def _watched(process: "subprocess.Popen[bytes]", stop: Event) -> Iterator[None]:
    """Kill ffmpeg when `stop` is set, also while a write to it hangs; afterwards it is gone in any case."""
    over = Event()

    def watch() -> None:
        while not over.wait(LISTEN_SECONDS):
            if stop.is_set():
                process.kill()
                return

    watcher = Thread(target=watch, name="ffmpeg-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        process.kill()
        process.wait(KILL_SECONDS)
