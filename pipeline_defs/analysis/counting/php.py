"""Tests of PHPUnit."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, within
from pipeline_defs.analysis.counting.syntax import ParsedFile, below, child_of_type, line_of

_TEST_CASE = re.compile(r"(?:TestCase|Test)\s{0,8}$")
_PEST = {
    **dict.fromkeys(("it", "test", "arch"), CaseStatus.ACTIVE),
    "todo": CaseStatus.TODO,
}
_PEST_STATUSES = {"skip": CaseStatus.SKIPPED, "todo": CaseStatus.TODO, "only": CaseStatus.FOCUSED}
_STRINGS = frozenset({"string", "encapsed_string", "heredoc", "nowdoc"})
_ANNOTATED = re.compile(r"@test\b")
_ATTRIBUTED = re.compile(r"[\[,\s\\]Test\s{0,8}[\](,]")
_STATUSES = {"markTestSkipped": CaseStatus.SKIPPED, "markTestIncomplete": CaseStatus.TODO}
_MAX_COMMENT = 10_000
_ENTERED = frozenset({"program", "namespace_definition", "compound_statement", "if_statement"})


def phpunit_tests(source: ParsedFile) -> list[Test]:
    """The methods of test cases that are named `test…` or marked as tests."""
    tests: list[Test] = []

    def visit(node: Node, _: None) -> Sequence[tuple[Node, None]]:
        if node.type == "class_declaration":
            if _is_test_case(source, node):
                tests.extend(_methods(source, child_of_type(node, "declaration_list")))
            return ()
        return below(node, None) if node.type in _ENTERED else ()

    source.walk(source.root, None, visit)
    return tests


def pest_tests(source: ParsedFile) -> list[Test]:
    """The calls of `it`, `test`, `todo` and `arch` with a name, but those within another test."""
    tests: list[Test] = []

    def visit(node: Node, outer: CaseStatus) -> Sequence[tuple[Node, CaseStatus]]:
        if node.type == "member_call_expression":
            status = within(
                outer, _PEST_STATUSES.get(source.field(node, "name"), CaseStatus.ACTIVE)
            )
            inner = node.child_by_field_name("object")
            return [] if inner is None else [(inner, status)]
        if node.type != "function_call_expression":
            return below(node, outer)
        own = _PEST.get(source.field(node, "function"))
        name = _first_string(source, node)
        if own is None or name is None:
            return below(node, outer)
        tests.append(Test(name, line_of(node), within(outer, own)))
        return ()

    source.walk(source.root, CaseStatus.ACTIVE, visit)
    return tests


def _first_string(source: ParsedFile, call: Node) -> str | None:
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments and arguments.named_children else None
    value = first.named_children[0] if first is not None and first.named_children else None
    if value is None or value.type not in _STRINGS:
        return None
    return source.text(value).strip("'\"")


def _is_test_case(source: ParsedFile, node: Node) -> bool:
    """Whether PHPUnit runs the class: it extends a test case, by either name, and is not abstract."""
    base = child_of_type(node, "base_clause")
    if base is None or child_of_type(node, "abstract_modifier") is not None:
        return False
    named_as_test = source.field(node, "name").endswith("Test")
    return named_as_test or _TEST_CASE.search(source.text(base)) is not None


def _methods(source: ParsedFile, body: Node | None) -> list[Test]:
    tests, before = [], None
    for member in body.named_children if body else ():
        if member.type == "method_declaration" and _is_test(source, member, before):
            tests.append(
                Test(source.field(member, "name"), line_of(member), _status(source, member))
            )
        before = member
    return tests


def _is_test(source: ParsedFile, method: Node, before: Node | None) -> bool:
    visibility = child_of_type(method, "visibility_modifier")
    if visibility is not None and source.text(visibility).lower() != "public":
        return False
    if source.field(method, "name").startswith("test"):
        return True
    comment = before if before is not None and before.type == "comment" else None
    if comment is not None and _is_annotated(source, comment):
        return True
    attributes = child_of_type(method, "attribute_list")
    return attributes is not None and _ATTRIBUTED.search(source.text(attributes)) is not None


def _is_annotated(source: ParsedFile, comment: Node) -> bool:
    text = source.text(comment, _MAX_COMMENT)
    return text.startswith("/**") and _ANNOTATED.search(text) is not None


def _status(source: ParsedFile, method: Node) -> CaseStatus:
    """What a statement of the body itself says: what a condition skips may run."""
    body = method.child_by_field_name("body")
    for statement in body.named_children if body else ():
        call = child_of_type(statement, "member_call_expression", "scoped_call_expression")
        if call is not None and source.field(call, "name") in _STATUSES:
            return _STATUSES[source.field(call, "name")]
    return CaseStatus.ACTIVE
