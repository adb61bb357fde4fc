"""Tests of Go's package testing."""

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

_KIND = re.compile(r"(Test|Benchmark|Fuzz|Example)(?![a-z])")
_PARAMETER = {"Test": "testing.T", "Benchmark": "testing.B", "Fuzz": "testing.F"}
_LITERALS = ("interpreted_string_literal", "raw_string_literal")
_SKIPS = frozenset({"Skip", "Skipf", "SkipNow"})


def find_go_tests(source: ParsedFile) -> list[Test]:
    """Find tests, benchmarks, fuzz tests and examples; a test with named subtests counts as its subtests."""
    tests: list[Test] = []
    for function in source.root.named_children:
        kind = _find_kind(source, function) if function.type == "function_declaration" else None
        if kind is None:
            continue
        name = source.get_field(function, "name")
        body = function.child_by_field_name("body")
        status = _read_status(source, body)
        subtests = _find_subtests(source, body, status) if kind == "Test" and body else []
        tests += subtests or [Test(name, get_line(function), status)]
    return tests


def _find_kind(source: ParsedFile, function: Node) -> str | None:
    found = _KIND.match(source.get_field(function, "name"))
    if found is None:
        return None
    parameters = function.child_by_field_name("parameters")
    declared = [] if parameters is None else parameters.named_children
    types = [source.get_field(parameter, "type") for parameter in declared]
    wanted = [f"*{_PARAMETER[found[1]]}"] if found[1] in _PARAMETER else []
    return found[1] if types == wanted else None


def _find_subtests(source: ParsedFile, body: Node, outer: CaseStatus) -> list[Test]:
    def visit(node: Node, status: CaseStatus) -> Found[CaseStatus]:
        if node.type != "call_expression" or _get_method(source, node) != "Run":
            return list_children(node, status)
        arguments = node.child_by_field_name("arguments")
        name = arguments and find_child(arguments, *_LITERALS)
        if not arguments or not name:
            return list_children(node, status)
        function = find_child(arguments, "func_literal")
        own = _read_status(source, function and function.child_by_field_name("body"))
        test = Test(source.get_text(name)[1:-1], get_line(node), combine_statuses(status, own))
        return [test, *list_children(node, test.status)]

    return source.find_tests(outer, visit, body)


def _read_status(source: ParsedFile, body: Node | None) -> CaseStatus:
    """Return skipped if a statement of the body itself skips; a skip under a condition does not count."""
    statements = body and find_child(body, "statement_list")
    for statement in statements.named_children if statements else ():
        call = find_child(statement, "call_expression")
        if (
            statement.type == "expression_statement"
            and call
            and _get_method(source, call) in _SKIPS
        ):
            return CaseStatus.SKIPPED
    return CaseStatus.ACTIVE


def _get_method(source: ParsedFile, call: Node) -> str:
    function = call.child_by_field_name("function")
    if function is None or function.type != "selector_expression":
        return ""
    return source.get_field(function, "field")
