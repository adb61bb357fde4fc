import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.analysis.reading.members import AnalysisLimits, MemberRemark, parse_path

LIMITS = AnalysisLimits(depth=3, name_bytes=50)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        (b"a.py", "a.py"),
        (b"./src//a.py", "src/a.py"),
        ("한글/나.py".encode(), "한글/나.py"),
        (b"..a/b..", "..a/b.."),
        (b"a\\b", "a\\b"),
    ],
)
def test_name_below_the_repository_is_a_path(name, path):
    assert parse_path(name, LIMITS) == (path, None)


@pytest.mark.parametrize(
    ("name", "remark"),
    [
        (b"/etc/passwd", MemberRemark.ABSOLUTE_NAME),
        (b"../a", MemberRemark.PARENT_NAME),
        (b"a/../../b", MemberRemark.PARENT_NAME),
        (b"", MemberRemark.EMPTY_NAME),
        (b"./.", MemberRemark.EMPTY_NAME),
        (b"a\0b", MemberRemark.NAME_WITH_NUL),
        (b"caf\xe9", MemberRemark.NAME_NOT_UTF8),
        (b"a" * 51, MemberRemark.NAME_TOO_LONG),
        (b"a/b/c/d", MemberRemark.NAME_TOO_DEEP),
    ],
)
def test_name_that_is_no_path_is_a_remark(name, remark):
    assert parse_path(name, LIMITS)[1] is remark


@given(st.binary(max_size=200))
def test_path_never_leaves_the_repository(name):
    path, remark = parse_path(name, LIMITS)
    assert remark or (path and not path.startswith("/") and ".." not in path.split("/"))


@given(st.binary(max_size=5_000))
def test_shown_name_can_be_written_as_utf_8(name):
    assert len(parse_path(name, LIMITS)[0].encode()) <= 4 * 200
