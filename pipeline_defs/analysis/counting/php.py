"""Tests of PHPUnit and Pest."""

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


def find_phpunit_tests(source: ParsedFile) -> list[Test]:
    """Find the methods of test cases that are named `test…` or marked as tests."""

    def visit(node: Node, _: None) -> Found[None]:
        if node.type == "class_declaration":
            body = find_child(node, "declaration_list") if _is_test_case(source, node) else None
            members = body.named_children if body else []
            return [
                Test(
                    source.get_field(member, "name"), get_line(member), _read_status(source, member)
                )
                for before, member in zip([None, *members], members, strict=False)
                if member.type == "method_declaration" and _is_test(source, member, before)
            ]
        return list_children(node, None) if node.type in _ENTERED else ()

    return source.find_tests(None, visit)


def find_pest_tests(source: ParsedFile) -> list[Test]:
    """Find the named calls of `it`, `test`, `todo` and `arch`, except those within another test."""

    def visit(node: Node, outer: CaseStatus) -> Found[CaseStatus]:
        if node.type == "member_call_expression":
            status = combine_statuses(
                outer, _PEST_STATUSES.get(source.get_field(node, "name"), CaseStatus.ACTIVE)
            )
            inner = node.child_by_field_name("object")
            return [] if inner is None else [(inner, status)]
        if node.type != "function_call_expression":
            return list_children(node, outer)
        own = _PEST.get(source.get_field(node, "function"))
        name = _get_first_string(source, node)
        if own is None or name is None:
            return list_children(node, outer)
        return [Test(name, get_line(node), combine_statuses(outer, own))]

    return source.find_tests(CaseStatus.ACTIVE, visit)


def _get_first_string(source: ParsedFile, call: Node) -> str | None:
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments and arguments.named_children else None
    value = first.named_children[0] if first is not None and first.named_children else None
    if value is None or value.type not in _STRINGS:
        return None
    return source.get_text(value).strip("'\"")


def _is_test_case(source: ParsedFile, node: Node) -> bool:
    """Return whether PHPUnit runs the class: not abstract, and named or derived as a test case."""
    base = find_child(node, "base_clause")
    if base is None or find_child(node, "abstract_modifier") is not None:
        return False
    named_as_test = source.get_field(node, "name").endswith("Test")
    return named_as_test or _TEST_CASE.search(source.get_text(base)) is not None


def _is_test(source: ParsedFile, method: Node, before: Node | None) -> bool:
    visibility = find_child(method, "visibility_modifier")
    if visibility is not None and source.get_text(visibility).lower() != "public":
        return False
    if source.get_field(method, "name").startswith("test"):
        return True
    is_commented = before is not None and before.type == "comment"
    comment = source.get_text(before, _MAX_COMMENT) if before and is_commented else ""
    if comment.startswith("/**") and _ANNOTATED.search(comment):
        return True
    attributes = find_child(method, "attribute_list")
    return attributes is not None and _ATTRIBUTED.search(source.get_text(attributes)) is not None


def _read_status(source: ParsedFile, method: Node) -> CaseStatus:
    """Return the status that a statement of the body itself sets; a skip under a condition does not count."""
    body = method.child_by_field_name("body")
    for statement in body.named_children if body else ():
        call = find_child(statement, "member_call_expression", "scoped_call_expression")
        if call is not None and source.get_field(call, "name") in _STATUSES:
            return _STATUSES[source.get_field(call, "name")]
    return CaseStatus.ACTIVE
