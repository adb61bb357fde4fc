"""Tests of XCTest and Swift Testing."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, within
from pipeline_defs.analysis.counting.syntax import ParsedFile, below, child_of_type, line_of

_TEST_METHOD = re.compile(r"test(?:[A-Z0-9_]|$)")
_OFF = re.compile(r"\.disabled\b(?!\(\s{0,8}if:)")
_SKIPS = re.compile(r"throw\s{1,8}XCTSkip\b")
_EXPECTED = re.compile(r"XCTExpectFailure\b")
_ENTERED = frozenset({"source_file", "class_body", "enum_class_body"})


def xctest_tests(source: ParsedFile) -> list[Test]:
    """The methods named `test…` of the test cases."""
    tests: list[Test] = []

    def visit(node: Node, in_case: bool) -> Sequence[tuple[Node, bool]]:
        if node.type == "class_declaration":
            return below(node, _is_test_case(source, node))
        if node.type == "function_declaration":
            name = source.field(node, "name")
            if in_case and _TEST_METHOD.match(name):
                tests.append(Test(name, line_of(node), _status(source, node)))
            return ()
        return below(node, in_case) if node.type in _ENTERED else ()

    source.walk(source.root, False, visit)
    return tests


def swift_testing_tests(source: ParsedFile) -> list[Test]:
    """The functions with `@Test`, in a type or not."""
    tests: list[Test] = []

    def visit(node: Node, outer: CaseStatus) -> Sequence[tuple[Node, CaseStatus]]:
        if node.type == "class_declaration":
            return below(node, within(outer, _trait(_modifiers(source, node))))
        if node.type == "function_declaration":
            modifiers = _modifiers(source, node)
            if "@Test" in modifiers:
                status = within(outer, _trait(modifiers))
                tests.append(Test(source.field(node, "name"), line_of(node), status))
            return ()
        return below(node, outer) if node.type in _ENTERED else ()

    source.walk(source.root, CaseStatus.ACTIVE, visit)
    return tests


def _is_test_case(source: ParsedFile, node: Node) -> bool:
    bases = (child for child in node.named_children if child.type == "inheritance_specifier")
    return any(source.text(base).endswith("TestCase") for base in bases)


def _modifiers(source: ParsedFile, node: Node) -> str:
    modifiers = child_of_type(node, "modifiers")
    return source.text(modifiers) if modifiers else ""


def _trait(modifiers: str) -> CaseStatus:
    return CaseStatus.SKIPPED if _OFF.search(modifiers) else CaseStatus.ACTIVE


def _status(source: ParsedFile, function: Node) -> CaseStatus:
    """What a statement of the body itself says: what a condition skips may run."""
    body = function.child_by_field_name("body")
    statements = body and child_of_type(body, "statements")
    for statement in statements.named_children if statements else ():
        text = source.text(statement)
        if _SKIPS.match(text):
            return CaseStatus.SKIPPED
        if _EXPECTED.match(text):
            return CaseStatus.XFAIL
    return CaseStatus.ACTIVE
