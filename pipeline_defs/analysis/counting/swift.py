"""Tests of XCTest and Swift Testing."""

import re

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, combine_statuses
from pipeline_defs.analysis.counting.syntax import (
    Found,
    ParsedFile,
    find_child,
    get_line,
    list_children,
)

_TEST_METHOD = re.compile(r"test(?:[A-Z0-9_]|$)")
_OFF = re.compile(r"\.disabled\b(?!\(\s{0,8}if:)")
_SKIPS = re.compile(r"throw\s{1,8}XCTSkip\b")
_EXPECTED = re.compile(r"XCTExpectFailure\b")
_ENTERED = frozenset({"source_file", "class_body", "enum_class_body"})


def find_xctest_tests(source: ParsedFile) -> list[Test]:
    """Find the methods `test…` of the test cases."""

    def visit(node: Node, in_case: bool) -> Found[bool]:
        if node.type == "class_declaration":
            bases = (each for each in node.named_children if each.type == "inheritance_specifier")
            is_case = any(source.get_text(base).endswith("TestCase") for base in bases)
            return list_children(node, is_case)
        if node.type == "function_declaration":
            name = source.get_field(node, "name")
            is_test = in_case and _TEST_METHOD.match(name)
            return [Test(name, get_line(node), _read_status(source, node))] if is_test else ()
        return list_children(node, in_case) if node.type in _ENTERED else ()

    return source.find_tests(False, visit)


def find_swift_testing_tests(source: ParsedFile) -> list[Test]:
    """Find the functions with `@Test`, in a type or not."""

    def visit(node: Node, outer: CaseStatus) -> Found[CaseStatus]:
        if node.type == "class_declaration":
            return list_children(
                node, combine_statuses(outer, _read_trait(_read_modifiers(source, node)))
            )
        if node.type == "function_declaration":
            modifiers = _read_modifiers(source, node)
            status = combine_statuses(outer, _read_trait(modifiers))
            test = Test(source.get_field(node, "name"), get_line(node), status)
            return [test] if "@Test" in modifiers else ()
        return list_children(node, outer) if node.type in _ENTERED else ()

    return source.find_tests(CaseStatus.ACTIVE, visit)


def _read_modifiers(source: ParsedFile, node: Node) -> str:
    modifiers = find_child(node, "modifiers")
    return source.get_text(modifiers) if modifiers else ""


def _read_trait(modifiers: str) -> CaseStatus:
    return CaseStatus.SKIPPED if _OFF.search(modifiers) else CaseStatus.ACTIVE


def _read_status(source: ParsedFile, function: Node) -> CaseStatus:
    """Return the status that a statement of the body itself sets; a skip under a condition does not count."""
    body = function.child_by_field_name("body")
    statements = body and find_child(body, "statements")
    for statement in statements.named_children if statements else ():
        text = source.get_text(statement)
        if _SKIPS.match(text):
            return CaseStatus.SKIPPED
        if _EXPECTED.match(text):
            return CaseStatus.XFAIL
    return CaseStatus.ACTIVE
