"""Tests of pytest and unittest."""

import re
from dataclasses import dataclass, replace
from functools import partial

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Framework, Test, combine_statuses
from pipeline_defs.analysis.counting.syntax import Found, ParsedFile, get_line, list_children

_ENTERED = frozenset(
    {
        "block",
        "module",
        "if_statement",
        "elif_clause",
        "else_clause",
        "try_statement",
        "except_clause",
        "finally_clause",
        "with_statement",
    }
)
_DECORATED = re.compile(
    r"@(?:\w+\.){0,3}(?:(skip|skipif|skipIf|skipUnless)|xfail|expectedFailure)\b"
)
_NO_TEST = re.compile(
    r"@(?:\w+\.){0,3}(?:(?:yield_)?fixture|property|cached_property|\w+\.(?:setter|deleter))\b"
)
_NOT_COLLECTED = re.compile(r"__test__\s{0,8}=\s{0,8}False\b")
_MARKED = re.compile(r"pytestmark\b.*?\bmark\.(?:(skip)|xfail\b)", re.DOTALL)
_TEST_CASE = re.compile(r"(?<!\w)(?:IsolatedAsyncio)?TestCase\b")


@dataclass(frozen=True)
class _Place:
    """The place of a definition."""

    in_class: bool
    status: CaseStatus


def _find_tests(source: ParsedFile, framework: Framework) -> list[Test]:
    of_pytest = framework is Framework.PYTEST

    def visit(node: Node, place: _Place) -> Found[_Place]:
        if node.type == "function_definition":
            name = source.get_field(node, "name")
            is_test = name.startswith("test") and (of_pytest or place.in_class)
            return [Test(name, get_line(node), place.status)] if is_test else ()
        if node.type == "class_definition":
            return enter_class(node, place)
        if node.type == "decorated_definition":
            children = node.named_children
            decorators = [source.get_text(each) for each in children if each.type == "decorator"]
            if any(map(_NO_TEST.match, decorators)):
                return ()
            status = combine_statuses(place.status, _match_status(_DECORATED, decorators))
            return list_children(node, replace(place, status=status))
        return list_children(node, place) if node.type in _ENTERED else ()

    def enter_class(node: Node, place: _Place) -> Found[_Place]:
        if not _is_test_class(source, node, of_pytest) or (place.in_class and not of_pytest):
            return ()
        body = node.child_by_field_name("body")
        if body is not None and _is_no_test(source, body):
            return ()
        if of_pytest and body is not None and _has_constructor(source, node, body):
            return ()
        marked = CaseStatus.ACTIVE if body is None else _read_marked_status(source, body)
        return list_children(
            node, _Place(in_class=True, status=combine_statuses(place.status, marked))
        )

    return source.find_tests(_Place(False, _read_marked_status(source, source.root)), visit)


def _is_test_class(source: ParsedFile, node: Node, of_pytest: bool) -> bool:
    name = source.get_field(node, "name")
    bases = source.get_field(node, "superclasses")
    if of_pytest:
        # A base of the project's own may be called anything; pytest asks what it inherits.
        return name.startswith("Test") or _TEST_CASE.search(bases) is not None
    return "TestCase" in bases or name.startswith("Test") or name.endswith("Test")


def _is_no_test(source: ParsedFile, body: Node) -> bool:
    """Return whether the class sets `__test__ = False`."""
    statements = (child for child in body.named_children if child.type == "expression_statement")
    return any(_NOT_COLLECTED.match(source.get_text(each)) for each in statements)


def _has_constructor(source: ParsedFile, node: Node, body: Node) -> bool:
    """Return whether a constructor keeps pytest from collecting the class; unittest's cases may have one."""
    if _TEST_CASE.search(source.get_field(node, "superclasses")) is not None:
        return False
    functions = (child for child in body.named_children if child.type == "function_definition")
    return any(source.get_field(each, "name") in ("__init__", "__new__") for each in functions)


def _read_marked_status(source: ParsedFile, body: Node) -> CaseStatus:
    """Return the status that a module or class sets for all its tests by `pytestmark`."""
    statements = [child for child in body.named_children if child.type == "expression_statement"]
    return _match_status(_MARKED, [source.get_text(statement) for statement in statements])


def _match_status(pattern: re.Pattern[str], texts: list[str]) -> CaseStatus:
    for text in texts:
        if found := pattern.match(text):
            return CaseStatus.SKIPPED if found[1] else CaseStatus.XFAIL
    return CaseStatus.ACTIVE


find_pytest_tests = partial(_find_tests, framework=Framework.PYTEST)
"""Find functions and methods whose names begin with `test`, in the module and its test classes."""
find_unittest_tests = partial(_find_tests, framework=Framework.UNITTEST)
"""Find methods whose names begin with `test`, in the module's test cases."""
