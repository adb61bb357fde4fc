"""Kokoro in a process of its own: `python worker.py FOLDER THREADS SECONDS MEGABYTES`.

It answers every line of JSON on its standard input, and the arrays after it, with such a line and such arrays:

    {"graph": "planning", "inputs": {name: [kind, [sizes]]}, "outputs": [name]}   {"outputs": [[kind, [sizes]]]}

An array is its bytes in the order of C; its kind is numpy's, such as "<f4". The answer is {"broken": reason} if
a graph cannot be loaded, and {"missing": reason} if onnxruntime cannot, or if a question raises another error than
that memory lacks. The process ends with its input, and after so many seconds in any case.
"""

import json
import os
import resource
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

GRAPHS = ("planning", "singing")
NO_ROOM = "RuntimeException"
"""What onnxruntime raises where it gets no memory: another try may get some."""


def main(folder: str, threads: str, seconds: str, megabytes: str) -> None:
    """Answer until the input ends."""
    signal.setitimer(signal.ITIMER_REAL, float(seconds))
    room = int(megabytes) << 20
    resource.setrlimit(resource.RLIMIT_DATA, (room, room))
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the library prints must not get between the answers
    doing = "loading"
    try:
        graphs = _load(Path(folder), int(threads))
        doing = "asking"
        for line in sys.stdin.buffer:
            asked = json.loads(line)
            inputs = {name: _read_array(*shape) for name, shape in asked["inputs"].items()}
            made = graphs[asked["graph"]].run(asked["outputs"], inputs)
            _answer(output, {"outputs": [[one.dtype.str, one.shape] for one in made]}, made)
    except Exception as error:
        if isinstance(error, MemoryError) or type(error).__name__ == NO_ROOM:
            raise
        is_graphs = doing == "loading" and not isinstance(error, ImportError)
        reason = f"{doing} it raised {type(error).__name__}"
        _answer(output, {"broken" if is_graphs else "missing": reason}, [])


def _load(folder: Path, threads: int) -> dict[str, Any]:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_mem_pattern = False  # its plan for one line keeps 40 MB that no other line uses
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")

    def load(name: str) -> Any:
        file = str(folder / f"{name}.onnx")
        return InferenceSession(file, options, providers=["CPUExecutionProvider"])

    with ThreadPoolExecutor(threads) as pool:
        return dict(zip(GRAPHS, pool.map(load, GRAPHS), strict=True))


def _read_array(kind: str, sizes: list[int]) -> "np.ndarray[Any, Any]":
    data = sys.stdin.buffer.read(np.dtype(kind).itemsize * prod(sizes))
    return np.frombuffer(data, kind).reshape(sizes)


def _answer(output: Any, head: dict[str, Any], arrays: list["np.ndarray[Any, Any]"]) -> None:
    output.write(json.dumps(head).encode() + b"\n")
    for array in arrays:
        output.write(np.ascontiguousarray(array).tobytes())
    output.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
