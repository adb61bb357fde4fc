"""Tests of PHPUnit."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import Status, Test
from pipeline_defs.analysis.counting.syntax import Source, below, child_of_type, line_of

_TEST_CASE = re.compile(r"(?:TestCase|Test)\s{0,8}$")
_ANNOTATED = re.compile(r"@test\b")
_ATTRIBUTED = re.compile(r"[\[,\s\\]Test\s{0,8}[\](,]")
_STATUSES = {"markTestSkipped": Status.SKIPPED, "markTestIncomplete": Status.TODO}
_MAX_COMMENT = 10_000
_ENTERED = frozenset({"program", "namespace_definition", "compound_statement", "if_statement"})


def phpunit_tests(source: Source) -> list[Test]:
    """The methods of test cases that are named `test…` or marked as tests."""
    tests: list[Test] = []

    def visit(node: Node, _: None) -> Sequence[tuple[Node, None]]:
        if node.type == "class_declaration":
            base = child_of_type(node, "base_clause")
            if base is not None and _TEST_CASE.search(source.text(base)):
                tests.extend(_methods(source, child_of_type(node, "declaration_list")))
            return ()
        return below(node, None) if node.type in _ENTERED else ()

    source.walk(source.root, None, visit)
    return tests


def _methods(source: Source, body: Node | None) -> list[Test]:
    tests, before = [], None
    for member in body.named_children if body else ():
        if member.type == "method_declaration" and _is_test(source, member, before):
            tests.append(
                Test(source.field(member, "name"), line_of(member), _status(source, member))
            )
        before = member
    return tests


def _is_test(source: Source, method: Node, before: Node | None) -> bool:
    if source.field(method, "name").startswith("test"):
        return True
    comment = before if before is not None and before.type == "comment" else None
    if comment is not None and _ANNOTATED.search(source.text(comment, _MAX_COMMENT)):
        return True
    attributes = child_of_type(method, "attribute_list")
    return attributes is not None and _ATTRIBUTED.search(source.text(attributes)) is not None


def _status(source: Source, method: Node) -> Status:
    """What a statement of the body itself says: what a condition skips may run."""
    body = method.child_by_field_name("body")
    for statement in body.named_children if body else ():
        call = child_of_type(statement, "member_call_expression", "scoped_call_expression")
        if call is not None and source.field(call, "name") in _STATUSES:
            return _STATUSES[source.field(call, "name")]
    return Status.ACTIVE
