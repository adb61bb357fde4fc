"""No source crashes the counting, nor keeps it longer than it may take."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.analysis.counting.count import Configs, count_tests
from pipeline_defs.analysis.counting.found import GRAMMARS, load_grammar
from pipeline_defs.analysis.counting.syntax import MAX_BYTES, UncountableSourceError
from tests.tables import read_beside

BEGINNINGS = read_beside(__file__)["BEGINNINGS"]
NESTED = read_beside(__file__)["NESTED"]
PATHS = st.sampled_from(sorted(BEGINNINGS))
PIECES = st.lists(
    st.one_of(st.binary(max_size=40), st.sampled_from([text.encode() for text in NESTED])),
    max_size=40,
)


def count(path: str, after: bytes, seconds: float = 60) -> int:
    found = count_tests(path, BEGINNINGS[path].encode() + after, Configs(), seconds=seconds)
    assert found is not None
    return len(found.tests)


def count_or_refuse(path: str, after: bytes) -> None:
    with contextlib.suppress(UncountableSourceError):
        count(path, after, seconds=0.2)


@pytest.mark.parametrize("path", BEGINNINGS)
def test_source_without_faults_is_counted(path):
    assert count(path, b"") == 1


@given(PATHS, PIECES)
def test_any_bytes_are_counted(path, pieces):
    assert count(path, b"\n" + b"".join(pieces)) >= 0


@pytest.mark.parametrize("path", BEGINNINGS)
def test_deep_nesting_is_counted_or_refused(path):
    for nested in NESTED:
        count_or_refuse(path, b"\n" + nested.encode() * 2_000)


@pytest.mark.parametrize("path", BEGINNINGS)
def test_100_000_brackets_are_counted_or_refused(path):
    count_or_refuse(path, b"\n" + b"[" * 100_000 + b"]" * 100_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", [b"a", b"a ", b"\x00", b"\xff", b"it('a');", b" test!", b"import "]
)
@pytest.mark.parametrize("path", BEGINNINGS)
def test_line_of_5_megabytes_is_counted_or_refused(path, piece):
    count_or_refuse(path, b" " + piece * (5_000_000 // len(piece)))


def test_source_beyond_its_limit_is_refused():
    with pytest.raises(UncountableSourceError, match="source: expected at most 10,485,760 bytes"):
        count("test_a.py", b" " * MAX_BYTES)


def test_source_that_takes_too_long_is_refused():
    with pytest.raises(UncountableSourceError, match="source: expected to be counted within -1 "):
        count("a.test.js", b"it('a', () => {});" * 10_000, seconds=-1)


@pytest.mark.parametrize("language", GRAMMARS)
def test_grammar_is_loaded_once(language):
    assert load_grammar(language) is load_grammar(language)
