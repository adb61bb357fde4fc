"""Where Kokoro is started: a process per song, so that its memory, its threads and its crashes stay outside."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import prod
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.errors import StoppedError, TemporaryError
from studio.singer.kokoro.package import BrokenGraphsError, missing

MOST_MEGABYTES = 1_500
THREADS = 2
KILL_SECONDS = 10
LOOK_SECONDS = 0.1
_WORKER = str(Path(__file__).with_name("worker.py"))

Array = NDArray[Any]


class Kokoro:
    """A running model, which answers one question after the other.

    Raises MissingPartError `voice_missing`, of which BrokenGraphsError is one, and TemporaryError `voice_failed`.
    """

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def planned(self, inputs: Mapping[str, Array], outputs: Sequence[str]) -> list[Array]:
        """Values that the model works out before it sounds: `own_durations`, `own_tone`, `own_energy`."""
        return self._ask("planning", inputs, outputs)

    def sung(self, inputs: Mapping[str, Array]) -> Array:
        """The sound, float32 (n,) at 24 kHz."""
        (sound,) = self._ask("singing", inputs, ["audio"])
        return np.asarray(sound, np.float32).ravel()

    def _ask(self, graph: str, inputs: Mapping[str, Array], outputs: Sequence[str]) -> list[Array]:
        shapes = {name: [array.dtype.str, array.shape] for name, array in inputs.items()}
        question = {"graph": graph, "inputs": shapes, "outputs": list(outputs)}
        into, out = self._process.stdin, self._process.stdout
        if into is None or out is None:
            raise ValueError("the voice was started without pipes")
        with suppress(BrokenPipeError):  # its last answer, or that there is none, says why
            into.write(json.dumps(question).encode() + b"\n")
            for array in inputs.values():
                into.write(np.ascontiguousarray(array).tobytes())
            into.flush()
        line = out.readline()
        if not line.endswith(b"\n"):
            raise self._ended()
        answer = json.loads(line)
        if "missing" in answer:
            raise missing(answer["missing"])
        if "broken" in answer:
            raise missing(answer["broken"], BrokenGraphsError)
        return [self._array(out, *shape) for shape in answer["outputs"]]

    def _array(self, out: Any, kind: str, sizes: Sequence[int]) -> Array:
        size = np.dtype(kind).itemsize * prod(sizes)
        data = out.read(size)
        if len(data) < size:
            raise self._ended()
        return np.frombuffer(data, kind).reshape(sizes)

    def _ended(self) -> TemporaryError:
        status = self._process.wait(KILL_SECONDS)
        return TemporaryError(f"the voice ended with status {status}", code="voice_failed")


@contextmanager
def kokoro(graphs: Path, stop: Event, seconds: float) -> Iterator[Kokoro]:
    """Kokoro in a process of its own, which is gone afterwards, at once after `stop`, and gets `seconds` at most.

    Raises:
        StoppedError: `stop` was set.
        OSError: the machine has no room for another process.
    """
    arguments = (str(graphs), str(THREADS), str(seconds), str(MOST_MEGABYTES))
    process = subprocess.Popen(
        [sys.executable, "-P", "-s", _WORKER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # With a heap for each of its threads it takes 9 MB more of 330.
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "MALLOC_ARENA_MAX": "1"},
        cwd="/",
    )
    done = Event()
    Thread(target=_kill_when_stopped, args=(process, stop, done), daemon=True).start()
    try:
        yield Kokoro(process)
    except TemporaryError:
        if stop.is_set():
            raise StoppedError("the song was stopped") from None
        raise
    finally:
        done.set()
        process.kill()
        process.wait(KILL_SECONDS)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _kill_when_stopped(process: "subprocess.Popen[bytes]", stop: Event, done: Event) -> None:
    while not done.wait(LOOK_SECONDS):
        if stop.is_set():
            process.kill()
            return
