"""Where espeak-ng is started: a process per song, so that its licence and its crashes stay outside."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.errors import MissingPartError, TemporaryError

SPOKEN_RATE = 22_050
FULL_SCALE = 32_768
LONGEST_SECONDS = 60.0
KILL_SECONDS = 10
_WORKER = str(Path(__file__).with_name("worker.py"))


@dataclass(frozen=True)
class Installation:
    """Where espeak-ng's library and its folder `espeak-ng-data` are."""

    library: str
    data: str


@dataclass(frozen=True)
class Spoken:
    """Samples float32 (n,) at `SPOKEN_RATE`, and the phonemes in it with the sample at which each begins."""

    samples: NDArray[np.float32]
    phones: tuple[tuple[str, int], ...]


def find_espeak() -> Installation:
    """The one that came with the package espeakng-loader; nothing is loaded.

    Raises:
        MissingPartError: `singer_missing`.
    """
    found = find_spec("espeakng_loader")
    if found is None or found.origin is None:
        raise missing("it was not found")
    folder = Path(found.origin).parent
    names = ("libespeak-ng.so", "libespeak-ng.dylib")
    library = next(
        (folder / name for name in names if (folder / name).is_file()), folder / names[0]
    )
    return Installation(str(library), str(folder / "espeak-ng-data"))


def missing(why: str) -> MissingPartError:
    """The error that says how to get the singer, or how to do without."""
    return MissingPartError(
        f"the singer cannot be used ({why}); install espeakng-loader or order with `vocals: false`",
        code="singer_missing",
    )


def failed(why: str) -> TemporaryError:
    """The error of a singer that was there, but did not answer."""
    return TemporaryError(f"the singer {why}", code="singer_failed")


class Espeak:
    """A running espeak-ng. Each question is answered as a whole; see `worker` for what is said.

    Methods raise MissingPartError `singer_missing` and TemporaryError `singer_failed`.
    """

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def spell(self, texts: Sequence[str], voice: str) -> list[list[str]]:
        """The names of each text's phonemes, with marks of stress."""
        answer, _ = self._ask({"voice": voice, "spell": list(texts)})
        return [list(names) for names in answer["phonemes"]]

    def speak(self, phonemes: Sequence[str], voice: str, pitch: int, rate: int) -> list[Spoken]:
        """How each string of phonemes sounds: on one tone, `pitch` of 100 high, `rate` words in a minute."""
        asked = {"voice": voice, "pitch": pitch, "rate": rate, "speak": list(phonemes)}
        answer, pipe = self._ask(asked)
        spoken = []
        for size, phones in answer["sounds"]:
            samples = np.frombuffer(self._read(pipe, size), "<i2").astype(np.float32)
            samples /= np.float32(FULL_SCALE)
            spoken.append(Spoken(samples, tuple((name, start) for name, start in phones)))
        return spoken

    def _ask(self, question: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        if self._process.stdin is None or self._process.stdout is None:
            raise ValueError("the singer was started without pipes")
        try:
            self._process.stdin.write(json.dumps(question).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # its last words, or that there are none, tell why
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._fallen()
        answer = json.loads(line)
        if "missing" in answer:
            raise missing(answer["missing"])
        return answer, self._process.stdout

    def _read(self, pipe: Any, size: int) -> bytes:
        data: bytes = pipe.read(size)
        if len(data) < size:
            raise self._fallen()
        return data

    def _fallen(self) -> TemporaryError:
        status = self._process.wait(KILL_SECONDS)
        killed = status in (-signal.SIGKILL, -signal.SIGALRM)
        return failed("took too long or was killed" if killed else f"ended with status {status}")


@contextmanager
def espeak(installation: Installation, seconds: float = LONGEST_SECONDS) -> Iterator[Espeak]:
    """espeak-ng in a process of its own, which is gone afterwards and gets `seconds` at most.

    Raises:
        OSError: the machine has no room for another process.
    """
    process = subprocess.Popen(
        [
            sys.executable,
            "-I",
            "-S",
            _WORKER,
            installation.library,
            installation.data,
            str(seconds),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
    )
    limit = Timer(seconds, process.kill)
    limit.daemon = True
    limit.start()
    try:
        yield Espeak(process)
    finally:
        limit.cancel()
        process.kill()
        process.wait(KILL_SECONDS)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
