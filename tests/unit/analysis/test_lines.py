import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.analysis.measuring.languages import SYNTAXES, Lines, count_lines

PYTHON = b'''#!/usr/bin/env python
"""A module.

Its words.
"""

x = 1  # one
y = """
# no comment
"""
# a comment
'''
C = b"""/* one */ int a;
/*
 * two
 */
char *s = "/* no comment";  // a comment
char c = '"';  /* in
the middle */ int b;

// a comment
"""
GO = b"""s := `
// no comment
/* nor this`
// a comment
"""
HTML = b"<p>a</p>\n<!-- one\ntwo -->\n<p>b</p>\n"


@pytest.mark.parametrize(
    ("syntax", "content", "lines"),
    [
        ("python", PYTHON, Lines(code=4, comment=5, blank=2)),
        ("c", C, Lines(code=4, comment=4, blank=1)),
        ("go", GO, Lines(code=3, comment=1, blank=0)),
        ("xml", HTML, Lines(code=2, comment=2, blank=0)),
        ("hash", b"# a\necho '#'  # b\n\n", Lines(code=1, comment=1, blank=1)),
        ("javascript", b"const a = `\n// no\n`\n/** yes */\n", Lines(code=3, comment=1, blank=0)),
        ("ruby", b"=begin\nx\n=end\nputs 1\n", Lines(code=1, comment=3, blank=0)),
        ("lua", b"--[[ a\nb ]]\nx = 1 -- c\n-- d\n", Lines(code=1, comment=3, blank=0)),
        ("rust", b"fn f<'a>() {} // x\n/// doc\n", Lines(code=1, comment=1, blank=0)),
        ("php", b"<?php\n#[Attribute]\n# a\n// b\n", Lines(code=2, comment=2, blank=0)),
        ("sql", b"-- a\nSELECT '--';\n", Lines(code=1, comment=1, blank=0)),
        ("none", b"a\n\n# b", Lines(code=2, comment=0, blank=1)),
        ("c", b"/* never closed\n\nx", Lines(code=0, comment=2, blank=1)),
        ("c", b"", Lines()),
        ("c", b"\r\n  \r\n", Lines(blank=2)),
    ],
)
def test_lines_are_of_code_of_comment_or_blank(syntax, content, lines):
    assert count_lines(content, SYNTAXES[syntax]) == lines


PIECES = st.sampled_from(
    [b"/*", b"*/", b"//", b"#", b'"', b"'", b'"""', b"'''", b"`", b"\\", b"\n", b"\n\n", b" ", b"x",
     b"--", b"[[", b"]]", b"{-", b"-}", b"=begin", b"=end", b"<!--", b"-->", b"(*", b"*)", b"\xff"]
)  # fmt: skip


@pytest.mark.parametrize("syntax", sorted(SYNTAXES))
@given(pieces=st.lists(PIECES, max_size=60))
def test_every_line_is_counted_once(syntax, pieces):
    content = b"".join(pieces)
    lines = count_lines(content, SYNTAXES[syntax])
    assert lines.total == content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    assert min(lines.code, lines.comment, lines.blank) >= 0


SIGNS = [b"/*", b'"', b"'''", b"\\", b"{-", b"<!--", b"\n=pod", b" ", b"(*", b"#="]


@pytest.mark.parametrize("syntax", sorted(SYNTAXES))
@pytest.mark.parametrize(
    "sign", [*SIGNS[:2], *(pytest.param(each, marks=pytest.mark.slow) for each in SIGNS[2:])]
)
def test_megabyte_of_one_sign_is_counted(syntax, sign):
    content = sign * (1_000_000 // len(sign))
    assert count_lines(content, SYNTAXES[syntax]).total == content.count(b"\n") + 1
