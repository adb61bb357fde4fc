"""Tests of Go's package testing."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, within
from pipeline_defs.analysis.counting.syntax import ParsedFile, below, child_of_type, line_of

_KIND = re.compile(r"(Test|Benchmark|Fuzz|Example)(?![a-z])")
_PARAMETER = {"Test": "testing.T", "Benchmark": "testing.B", "Fuzz": "testing.F"}
_LITERALS = ("interpreted_string_literal", "raw_string_literal")
_SKIPS = frozenset({"Skip", "Skipf", "SkipNow"})


def go_tests(source: ParsedFile) -> list[Test]:
    """Tests, benchmarks, fuzz tests and examples; a test with named subtests counts as its subtests."""
    tests: list[Test] = []
    for function in source.root.named_children:
        kind = _kind(source, function) if function.type == "function_declaration" else None
        if kind is None:
            continue
        name = source.field(function, "name")
        body = function.child_by_field_name("body")
        status = _status(source, body)
        subtests = _subtests(source, body, status) if kind == "Test" and body else []
        tests += subtests or [Test(name, line_of(function), status)]
    return tests


def _kind(source: ParsedFile, function: Node) -> str | None:
    found = _KIND.match(source.field(function, "name"))
    if found is None:
        return None
    parameters = function.child_by_field_name("parameters")
    declared = [] if parameters is None else parameters.named_children
    types = [source.field(parameter, "type") for parameter in declared]
    wanted = [f"*{_PARAMETER[found[1]]}"] if found[1] in _PARAMETER else []
    return found[1] if types == wanted else None


def _subtests(source: ParsedFile, body: Node, outer: CaseStatus) -> list[Test]:
    tests: list[Test] = []

    def visit(node: Node, status: CaseStatus) -> Sequence[tuple[Node, CaseStatus]]:
        if node.type != "call_expression" or _method(source, node) != "Run":
            return below(node, status)
        arguments = node.child_by_field_name("arguments")
        name = arguments and child_of_type(arguments, *_LITERALS)
        if not arguments or not name:
            return below(node, status)
        function = child_of_type(arguments, "func_literal")
        own = _status(source, function and function.child_by_field_name("body"))
        tests.append(Test(source.text(name)[1:-1], line_of(node), within(status, own)))
        return below(node, tests[-1].status)

    source.walk(body, outer, visit)
    return tests


def _status(source: ParsedFile, body: Node | None) -> CaseStatus:
    """Skipped, if a statement of the body itself says so: what a condition skips may run."""
    statements = body and child_of_type(body, "statement_list")
    for statement in statements.named_children if statements else ():
        call = child_of_type(statement, "call_expression")
        if statement.type == "expression_statement" and call and _method(source, call) in _SKIPS:
            return CaseStatus.SKIPPED
    return CaseStatus.ACTIVE


def _method(source: ParsedFile, call: Node) -> str:
    function = call.child_by_field_name("function")
    if function is None or function.type != "selector_expression":
        return ""
    return source.field(function, "field")
