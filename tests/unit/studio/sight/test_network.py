import os
import pickle
import struct
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.sight import TensorsError, parse_tensors

MAGIC = 0x1950A86A20F9469CFC6C
REBUILD = b"ctorch._utils\n_rebuild_tensor_v2\n"
FLOATS = b"ctorch\nFloatStorage\n"
NAMES = st.sampled_from(
    [
        ("os", "system"),
        ("posix", "system"),
        ("builtins", "eval"),
        ("builtins", "getattr"),
        ("subprocess", "Popen"),
        ("torch._utils", "_rebuild_tensor"),
        ("torch", "_utils._rebuild_tensor_v2"),
        ("collections", "OrderedDict.__class__"),
        ("studio.sight", "parse_tensors"),
    ]
)
ANYTHING = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.floats() | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.lists(inner, max_size=4),
    max_leaves=6,
)


def heads(magic: int = MAGIC, version: int = 1001) -> bytes:
    return pickle.dumps(magic, 2) + pickle.dumps(version, 2) + pickle.dumps({}, 2)


def tensor(name: str, arguments: bytes) -> bytes:
    """A dictionary with one tensor: `arguments` are opcodes behind its storage."""
    return b"".join(
        [
            b"\x80\x03}" + pickle.dumps(name, 3)[2:-1] + REBUILD + b"(",
            b"(" + pickle.dumps("storage", 3)[2:-1] + FLOATS,
            b"".join(pickle.dumps(each, 3)[2:-1] for each in ("0", "cpu", 6)),
            b"NtQ" + arguments + b"tRs.",
        ]
    )


def file_of(described: bytes, numbers: bytes | None = None) -> bytes:
    body = struct.pack("<6f", *range(6)) if numbers is None else numbers
    return heads() + described + pickle.dumps(["0"], 2) + struct.pack("<q", 6) + body


def arguments(*values: Any) -> bytes:
    return b"".join(pickle.dumps(value, 3)[2:-1] for value in values)


def test_tensors_are_read_with_their_places_shapes_and_steps():
    plain = parse_tensors(file_of(tensor("weight", arguments(1, (2, 2), (2, 1)))))
    turned = parse_tensors(file_of(tensor("weight", arguments(0, (2, 3), (1, 2)))))
    single = parse_tensors(file_of(tensor("count", arguments(4, (), ()))))
    assert plain["weight"].tolist() == [[1, 2], [3, 4]]
    assert turned["weight"].tolist() == [[0, 2, 4], [1, 3, 5]]
    assert single["count"] == 4
    with pytest.raises(ValueError, match="read-only"):
        plain["weight"][0, 0] = 1


@given(NAMES, st.sampled_from(["GLOBAL", "STACK_GLOBAL", "INST", "NEWOBJ"]))
def test_a_pickle_that_names_any_other_function_is_refused_and_calls_none(named, opcode):
    module, name = (part.encode() for part in named)
    line = module + b"\n" + name + b"\n"
    text = b"".join(b"\x8c" + bytes([len(part)]) + part for part in (module, name))
    argument = b"\x8c\x08exit 111"
    hostile = {
        "GLOBAL": b"\x80\x04c" + line + argument + b"\x85R.",
        "STACK_GLOBAL": b"\x80\x04" + text + b"\x93" + argument + b"\x85R.",
        "INST": b"\x80\x04(" + argument + b"i" + line + b".",
        "NEWOBJ": b"\x80\x04c" + line + argument + b"\x85\x81.",
    }[opcode]
    with pytest.raises(TensorsError, match=f"it names {named[0]}"):
        parse_tensors(heads() + hostile)
    with pytest.raises(TensorsError, match=f"it names {named[0]}"):
        parse_tensors(hostile)


def test_an_object_that_python_pickles_by_a_call_is_refused(tmp_path):
    class Hostile:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "called"),)

    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TensorsError, match="it names "):
            parse_tensors(heads() + pickle.dumps({"weight": Hostile()}, protocol))
    assert list(tmp_path.iterdir()) == []


@given(st.lists(ANYTHING, max_size=5))
def test_a_tensor_made_of_anything_is_refused_or_lies_inside_its_storage(values):
    try:
        (found,) = parse_tensors(file_of(tensor("weight", arguments(*values)))).values()
    except TensorsError:
        return
    assert set(np.asarray(found).ravel().tolist()) <= set(range(6))


@given(
    st.integers(-2, 8),
    st.lists(st.integers(-1, 4), max_size=3),
    st.lists(st.integers(-2, 7), max_size=3),
)
def test_no_tensor_shows_memory_beside_its_storage(offset, shape, steps):
    file = file_of(tensor("weight", arguments(offset, tuple(shape), tuple(steps))))
    try:
        found = parse_tensors(file + struct.pack("<3f", 77, 77, 77))["weight"]
    except TensorsError:
        return
    assert found.shape == tuple(shape)
    assert set(found.ravel().tolist()) <= set(range(6))


@given(ANYTHING)
def test_a_reference_to_anything_but_a_storage_is_refused(reference):
    hostile = b"\x80\x03" + pickle.dumps(reference, 3)[2:-1] + b"Q."
    with pytest.raises(TensorsError, match="no storage"):
        parse_tensors(heads() + hostile)


def test_a_file_cut_short_anywhere_is_refused():
    whole = file_of(tensor("weight", arguments(0, (2, 3), (3, 1))))
    for end in range(len(whole)):
        with pytest.raises(TensorsError):
            parse_tensors(whole[:end])


@pytest.mark.parametrize("start", [heads(magic=1), heads(version=1002), pickle.dumps([]) * 3])
def test_another_format_is_refused(start):
    with pytest.raises(TensorsError, match="another format"):
        parse_tensors(start + file_of(tensor("weight", b""))[len(heads()) :])


def test_what_a_file_does_to_the_names_it_may_use_does_not_outlive_it():
    rename = pickle.dumps({"__defaults__": (1, 2)}, 3)[2:-1]
    hostile = b"\x80\x03" + REBUILD + b"N" + rename + b"\x86b."
    with pytest.raises(TensorsError):
        parse_tensors(heads() + hostile)
    ordered = (
        b"\x80\x03ccollections\nOrderedDict\nN" + pickle.dumps({"get": 1}, 3)[2:-1] + b"\x86b."
    )
    with pytest.raises(TensorsError):
        parse_tensors(heads() + ordered)
    assert OrderedDict(a=1).get("a") == 1
    read = parse_tensors(file_of(tensor("weight", arguments(0, (6,), (1,)))))
    assert read["weight"].tolist() == [0, 1, 2, 3, 4, 5]
