"""Tests of GoogleTest, Catch2, doctest and Boost.Test."""

import re
from functools import partial

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test
from pipeline_defs.analysis.counting.syntax import (
    Found,
    ParsedFile,
    find_child,
    get_line,
    list_children,
)

_MACROS = frozenset({"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"})
_OFF = "DISABLED_"
_NAME = rb"[ \t]{0,8}\(\s{0,80}(?:\w{1,100}\s{0,8},\s{0,80})?\"?([^\",)\n]{0,200})"
_CATCH2 = re.compile(
    rb"^[ \t]{0,40}(?:(?:TEMPLATE_)?TEST_CASE(?:_\w{1,40})?|SCENARIO(?:_\w{1,40})?)"
    + _NAME
    + rb"(?:\"\s{0,80},\s{0,80}\"([^\"\n]{0,200}))?",
    re.MULTILINE,
)
_BOOST = re.compile(
    rb"^[ \t]{0,40}BOOST_(?:AUTO|FIXTURE|DATA|PARAM)_TEST_CASE(?:_\w{1,40})?[ \t]{0,8}\(\s{0,80}(\w{1,200})()",
    re.MULTILINE,
)


def find_gtest_tests(source: ParsedFile) -> list[Test]:
    """Find the bodies of GoogleTest's macros, named suite.test."""

    def visit(node: Node, _: None) -> Found[None]:
        names = _read_names(source, node) if node.type == "function_definition" else []
        # Without its preprocessor C++ is parsed in part only: the next test may seem to stand in this one.
        inner = list_children(node, None)
        if len(names) < 2:
            return inner
        body = node.child_by_field_name("body")
        # Only a statement of the body itself: a skip under a condition does not count.
        is_off = any(name.startswith(_OFF) for name in names[:2]) or any(
            statement.type == "expression_statement"
            and source.get_text(statement).startswith("GTEST_SKIP(")
            for statement in (body.named_children if body else ())
        )
        status = CaseStatus.SKIPPED if is_off else CaseStatus.ACTIVE
        return [Test(".".join(names[:2]), get_line(node), status), *inner]

    return source.find_tests(None, visit)


def _find_by_macro(source: ParsedFile, macro: re.Pattern[bytes]) -> list[Test]:
    """Find macros at the beginning of a line: the grammar does not know a macro with a body."""
    tests, line, counted_to = [], 1, 0
    for found in source.find_matches(macro):
        line += source.count_lines(counted_to, found.start())
        counted_to = found.start()
        tags = found[2] or b""
        status = CaseStatus.ACTIVE
        if b"[." in tags or b"[!benchmark]" in tags:
            status = CaseStatus.SKIPPED
        elif b"[!shouldfail]" in tags or b"[!mayfail]" in tags:
            status = CaseStatus.XFAIL
        tests.append(Test(found[1].decode(errors="replace").strip(), line, status))
    return tests


def _read_names(source: ParsedFile, function: Node) -> list[str]:
    """Return suite and test; empty if the function is not a macro's."""
    declarator = find_child(function, "function_declarator")
    if declarator is None or source.get_field(declarator, "declarator") not in _MACROS:
        return []
    parameters = declarator.child_by_field_name("parameters")
    return [
        source.get_field(parameter, "type")
        for parameter in (parameters.named_children if parameters else ())
        if parameter.type == "parameter_declaration"
    ]


find_catch2_tests = partial(_find_by_macro, macro=_CATCH2)
"""Find the test cases and scenarios of Catch2 and doctest; tags `[.]` and `[!…]` set their status."""
find_boost_tests = partial(_find_by_macro, macro=_BOOST)
"""Find the test cases of Boost.Test that register themselves."""
