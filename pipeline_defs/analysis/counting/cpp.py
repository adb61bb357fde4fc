"""Tests of GoogleTest, Catch2, doctest and Boost.Test."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test
from pipeline_defs.analysis.counting.syntax import ParsedFile, below, child_of_type, line_of

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


def gtest_tests(source: ParsedFile) -> list[Test]:
    """The bodies of GoogleTest's macros, named suite.test."""
    tests: list[Test] = []

    def visit(node: Node, _: None) -> Sequence[tuple[Node, None]]:
        names = _names(source, node) if node.type == "function_definition" else []
        if len(names) >= 2:
            is_off = any(name.startswith(_OFF) for name in names[:2]) or _skips(source, node)
            status = CaseStatus.SKIPPED if is_off else CaseStatus.ACTIVE
            tests.append(Test(".".join(names[:2]), line_of(node), status))
        # Without its preprocessor C++ is parsed in part only: the next test may seem to stand in this one.
        return below(node, None)

    source.walk(source.root, None, visit)
    return tests


def catch2_tests(source: ParsedFile) -> list[Test]:
    """The test cases and scenarios of Catch2 and doctest; those tagged `[.]` or `[!…]` as they say."""
    return _by_macro(source, _CATCH2)


def boost_tests(source: ParsedFile) -> list[Test]:
    """The test cases of Boost.Test that declare themselves."""
    return _by_macro(source, _BOOST)


def _by_macro(source: ParsedFile, macro: re.Pattern[bytes]) -> list[Test]:
    """What stands at the beginning of a line: the grammar does not know what a macro with a body makes."""
    tests, line, counted_to = [], 1, 0
    for found in source.matches(macro):
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


def _names(source: ParsedFile, function: Node) -> list[str]:
    """Suite and test; empty if the function is no macro's."""
    declarator = child_of_type(function, "function_declarator")
    if declarator is None or source.field(declarator, "declarator") not in _MACROS:
        return []
    parameters = declarator.child_by_field_name("parameters")
    return [
        source.field(parameter, "type")
        for parameter in (parameters.named_children if parameters else ())
        if parameter.type == "parameter_declaration"
    ]


def _skips(source: ParsedFile, function: Node) -> bool:
    """Whether a statement of the body itself skips: what a condition skips may run."""
    body = function.child_by_field_name("body")
    return any(
        statement.type == "expression_statement"
        and source.text(statement).startswith("GTEST_SKIP(")
        for statement in (body.named_children if body else ())
    )
