"""espeak-ng and Kokoro, each in a process per song: licence, memory, threads and crashes stay outside."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from math import prod
from pathlib import Path
from threading import Event, Timer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.errors import MissingPartError, StoppedError, TemporaryError
from studio.ffmpeg import watch
from studio.singer.kokoro.model import BrokenGraphsError, make_voice_error

SPOKEN_RATE = 22_050
FULL_SCALE = 32_768
LONGEST_SECONDS = 60.0
KILL_SECONDS = 10
MOST_MEGABYTES = 1_500
THREADS = 2
_ESPEAK = str(Path(__file__).with_name("worker.py"))
_KOKORO = str(Path(__file__).parent / "kokoro" / "worker.py")

Array = NDArray[Any]


class Worker:
    """A process that answers lines of JSON, and bytes after them, with such lines and bytes.

    `name` is what its failures call it: a failed "singer" raises TemporaryError `singer_failed`.
    """

    def __init__(self, name: str, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        self._name = name
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd="/",
        )
        if self.process.stdin is None or self.process.stdout is None:
            raise ValueError(f"the {name} was started without pipes")
        self._into, self._out = self.process.stdin, self.process.stdout

    def ask(self, question: Mapping[str, Any], *arrays: Array) -> dict[str, Any]:
        """Ask a question and return the line of the answer."""
        with suppress(BrokenPipeError):  # its last answer, or that there is none, says why
            self._into.write(json.dumps(question).encode() + b"\n")
            for array in arrays:
                self._into.write(np.ascontiguousarray(array).tobytes())
            self._into.flush()
        line = self._out.readline()
        if not line.endswith(b"\n"):
            raise self._explain_end()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def read(self, kind: str, count: int) -> Array:
        """Read that many numbers of numpy's kind, such as "<f4", after an answer."""
        size = np.dtype(kind).itemsize * count
        data = self._out.read(size)
        if len(data) < size:
            raise self._explain_end()
        return np.frombuffer(data, kind)

    def end(self) -> None:
        """Kill the process, wait for its end and close its pipes."""
        self.process.kill()
        self.process.wait(KILL_SECONDS)
        for pipe in (self._into, self._out):
            with suppress(OSError):
                pipe.close()

    def _explain_end(self) -> TemporaryError:
        status = self.process.wait(KILL_SECONDS)
        killed = status in (-signal.SIGKILL, -signal.SIGALRM)
        why = "took too long or was killed" if killed else f"ended with status {status}"
        return TemporaryError(f"the {self._name} {why}", code=f"{self._name}_failed")


@dataclass(frozen=True)
class Installation:
    """Where espeak-ng's library and its folder `espeak-ng-data` are."""

    library: str
    data: str


@dataclass(frozen=True)
class Speech:
    """Samples float32 (n,) at `SPOKEN_RATE`, and the phonemes in it with the sample at which each begins."""

    samples: NDArray[np.float32]
    phones: tuple[tuple[str, int], ...]


def find_espeak() -> Installation:
    """Find espeak-ng in the package espeakng-loader, or raise MissingPartError `singer_missing`; load nothing."""
    found = find_spec("espeakng_loader")
    if found is None or found.origin is None:
        raise _make_singer_error("it was not found")
    folder = Path(found.origin).parent
    libraries = [folder / name for name in ("libespeak-ng.so", "libespeak-ng.dylib")]
    library = next(filter(Path.is_file, libraries), libraries[0])
    return Installation(str(library), str(folder / "espeak-ng-data"))


def _make_singer_error(why: str) -> MissingPartError:
    """Make the error that says how to get the singer, or how to do without."""
    return MissingPartError(
        f"the singer cannot be used ({why}); install espeakng-loader or order with `vocals: false`",
        code="singer_missing",
    )


class Espeak(Worker):
    """A running espeak-ng. Each question is answered as a whole; see `worker` for what is said.

    Methods raise MissingPartError `singer_missing` and TemporaryError `singer_failed`.
    """

    def spell(self, texts: Sequence[str], voice: str) -> list[list[str]]:
        """Return the names of each text's phonemes, with marks of stress."""
        answer = self._ask({"voice": voice, "spell": list(texts)})
        return [list(names) for names in answer["phonemes"]]

    def speak(self, phonemes: Sequence[str], voice: str, pitch: int, rate: int) -> list[Speech]:
        """Speak each string of phonemes on one tone, `pitch` of 100 high, at `rate` words a minute."""
        asked = {"voice": voice, "pitch": pitch, "rate": rate, "speak": list(phonemes)}
        spoken = []
        for size, phones in self._ask(asked)["sounds"]:
            samples = self.read("<i2", size // 2).astype(np.float32)
            samples /= np.float32(FULL_SCALE)
            spoken.append(Speech(samples, tuple((name, start) for name, start in phones)))
        return spoken

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        answer = self.ask(question)
        if "missing" in answer:
            raise _make_singer_error(answer["missing"])
        return answer


@contextmanager
def run_espeak(installation: Installation, seconds: float = LONGEST_SECONDS) -> Iterator[Espeak]:
    """Run espeak-ng in its own process for `seconds` at most; raise OSError where there is no room for it."""
    arguments = (_ESPEAK, installation.library, installation.data, str(seconds))
    espeak = Espeak("singer", ("-I", "-S", *arguments), {})
    limit = Timer(seconds, espeak.process.kill)
    limit.daemon = True
    limit.start()
    try:
        yield espeak
    finally:
        limit.cancel()
        espeak.end()


class Kokoro(Worker):
    """A running model, which answers one question after the other.

    Raises MissingPartError `voice_missing`, of which BrokenGraphsError is one, and TemporaryError `voice_failed`.
    """

    def plan(self, inputs: Mapping[str, Array], outputs: Sequence[str]) -> list[Array]:
        """Return what the model works out before it sounds: `own_durations`, `own_tone`, `own_energy`."""
        return self._run("planning", inputs, outputs)

    def sing(self, inputs: Mapping[str, Array]) -> Array:
        """Return the sound, float32 (n,) at 24 kHz."""
        (sound,) = self._run("singing", inputs, ["audio"])
        return np.asarray(sound, np.float32).ravel()

    def _run(self, graph: str, inputs: Mapping[str, Array], outputs: Sequence[str]) -> list[Array]:
        shapes = {name: [array.dtype.str, array.shape] for name, array in inputs.items()}
        question = {"graph": graph, "inputs": shapes, "outputs": list(outputs)}
        answer = self.ask(question, *inputs.values())
        if "missing" in answer:
            raise make_voice_error(answer["missing"])
        if "broken" in answer:
            raise make_voice_error(answer["broken"], BrokenGraphsError)
        return [self.read(kind, prod(sizes)).reshape(sizes) for kind, sizes in answer["outputs"]]


@contextmanager
def run_kokoro(graphs: Path, stop: Event, seconds: float) -> Iterator[Kokoro]:
    """Run Kokoro in its own process for `seconds` at most; end it afterwards, or at once after `stop`.

    Raises StoppedError once `stop` was set, and OSError where the machine has no room for another process.
    """
    arguments = (_KOKORO, str(graphs), str(THREADS), str(seconds), str(MOST_MEGABYTES))
    # With a heap for each of its threads it takes 9 MB more of 330.
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "MALLOC_ARENA_MAX": "1"}
    kokoro = Kokoro("voice", ("-P", "-s", *arguments), environment)
    try:
        with watch(kokoro.process, stop):
            yield kokoro
    except TemporaryError:
        if stop.is_set():
            raise StoppedError("the song was stopped") from None
        raise
    finally:
        kokoro.end()
