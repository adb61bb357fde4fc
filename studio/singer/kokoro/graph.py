"""Kokoro's graph made to sing: three values that it works out for itself become inputs. Pure.

The model is an ONNX file, a protobuf message, and is edited as bytes. Source of the field numbers: onnx.proto3 of
ONNX (ModelProto, GraphProto, NodeProto, TensorProto, ValueInfoProto) and the encoding guide of Protocol Buffers.
"""

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass

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
