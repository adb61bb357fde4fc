"""The model's file, edited as bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.singer.kokoro.model import INNER, edit_for_planning, edit_for_singing, edit_model


def sized(number: int, content: bytes) -> bytes:
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


def node(inputs: list[str], outputs: list[str]) -> bytes:
    names = [sized(1, name.encode()) for name in inputs] + [
        sized(2, name.encode()) for name in outputs
    ]
    return sized(1, b"".join(names))


def model(*parts: bytes) -> bytes:
    body = b"".join(parts)
    length = len(body)
    assert length < 1 << 14
    return bytes([7 << 3 | 2, length & 0x7F | 0x80, length >> 7]) + body


DURATIONS, TONE, ENERGY = INNER
MODEL = model(
    node(["tokens"], [DURATIONS]),
    node([DURATIONS, "weights"], [TONE]),
    node([DURATIONS], [ENERGY]),
    node([TONE, ENERGY, "heavy"], ["audio"]),
    sized(5, sized(8, b"weights")),
    sized(5, sized(8, b"heavy")),
    sized(12, sized(1, b"audio")),
)


def test_the_singing_graph_takes_the_inner_values():
    edited = edit_model(MODEL, edit_for_singing)
    assert all(inner.name.encode() in edited for inner in INNER.values())


def test_the_singing_graph_no_longer_makes_what_it_takes():
    edited = edit_model(MODEL, edit_for_singing)
    assert sized(2, b"own_tone") in edited
    assert sized(2, TONE.encode()) not in edited


def test_the_planning_graph_leaves_out_what_sounds():
    edited = edit_model(MODEL, edit_for_planning)
    assert b"audio" not in edited
    assert b"heavy" not in edited


def test_the_planning_graph_keeps_the_weights_it_needs():
    assert b"weights" in edit_model(MODEL, edit_for_planning)


def test_the_planning_graph_gives_its_own_values():
    edited = edit_model(MODEL, edit_for_planning)
    assert all(b"own_" + inner.name.encode() in edited for inner in INNER.values())


@given(cut=st.integers(1, len(MODEL) - 1))
def test_a_model_that_is_cut_off_is_refused(cut):
    with pytest.raises((ValueError, IndexError)):
        edit_model(MODEL[:cut], edit_for_singing)
