"""Tests of JUnit 3, 4 and 5 and of TestNG, in Java and in Kotlin."""

import re
from dataclasses import dataclass
from functools import partial

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, combine_statuses
from pipeline_defs.analysis.counting.syntax import (
    Found,
    ParsedFile,
    find_child,
    get_line,
    list_children,
)

_NAME = re.compile(r"@(?:[\w.]*\.)?(\w+)")
_DISABLED = re.compile(r"\benabled\s{0,20}=\s{0,20}false\b")
_FUNCTIONS = frozenset({"method_declaration", "function_declaration"})
_ENTERED = frozenset({"program", "source_file", "class_body"})
_PREPARES = re.compile(r"(?:Before|After)(?:Method|Class|Suite|Test|Groups)|DataProvider|Factory")


@dataclass(frozen=True)
class _JvmRules:
    """The annotations of a framework for tests, skipped tests, and nested classes if those need one."""

    test: re.Pattern[str]
    skip: frozenset[str]
    nested: str = ""
    whole_class: bool = False


@dataclass(frozen=True)
class _Place:
    """The place of a declaration: outside or in a test class, whose public methods may all be tests."""

    status: CaseStatus
    in_class: bool = False
    all_public: bool = False


_JUNIT4 = _JvmRules(re.compile("Test"), frozenset({"Ignore"}))
# An annotation of the project's own that is made of one of JUnit's is called after it.
_JUNIT5 = _JvmRules(
    re.compile(".*Test|Test(?:Factory|Template)"),
    frozenset({"Disabled", "Ignore"}),
    nested="Nested",
)
_TESTNG = _JvmRules(re.compile("Test"), frozenset({"Ignore"}), whole_class=True)


def find_junit3_tests(source: ParsedFile) -> list[Test]:
    """Find the public methods `test…` without parameters in classes that extend a test case."""

    def visit(node: Node, in_case: bool) -> Found[bool]:
        if node.type in _FUNCTIONS:
            test = Test(source.get_field(node, "name"), get_line(node), CaseStatus.ACTIVE)
            return [test] if in_case and _is_junit3_test(source, node) else ()
        if node.type == "class_declaration":
            return list_children(node, _is_test_case(source, node))
        return list_children(node, in_case) if node.type in _ENTERED else ()

    return source.find_tests(False, visit)


def _is_test_case(source: ParsedFile, node: Node) -> bool:
    modifiers = find_child(node, "modifiers")
    is_abstract = modifiers is not None and "abstract" in source.get_text(modifiers).split()
    bases = find_child(node, "superclass", "delegation_specifiers")
    return not is_abstract and bases is not None and "TestCase" in source.get_text(bases)


def _is_junit3_test(source: ParsedFile, node: Node) -> bool:
    modifiers = find_child(node, "modifiers")
    words = source.get_text(modifiers).split() if modifiers else []
    parameters = find_child(node, "formal_parameters", "function_value_parameters")
    is_public = "public" in words or node.type == "function_declaration"
    takes_none = parameters is None or not parameters.named_children
    return is_public and takes_none and source.get_field(node, "name").startswith("test")


def _find_tests(source: ParsedFile, rules: _JvmRules) -> list[Test]:
    def visit(node: Node, place: _Place) -> Found[_Place]:
        if node.type in _FUNCTIONS:
            annotations = list_annotations(source, node)
            status = combine_statuses(place.status, _read_status(annotations, rules))
            test = Test(source.get_field(node, "name").strip("`"), get_line(node), status)
            return [test] if _is_test(source, node, annotations, place, rules) else ()
        if node.type != "class_declaration":
            return list_children(node, place) if node.type in _ENTERED else ()
        annotations = list_annotations(source, node)
        if place.in_class and rules.nested and rules.nested not in dict(annotations):
            return ()
        inner = _Place(
            status=combine_statuses(place.status, _read_status(annotations, rules)),
            in_class=True,
            all_public=rules.whole_class and _has_annotation(annotations, rules.test),
        )
        return list_children(node, inner)

    return source.find_tests(_Place(CaseStatus.ACTIVE), visit)


def list_annotations(source: ParsedFile, node: Node) -> list[tuple[str, str]]:
    """Return the simple names of a declaration's annotations, each with its text."""
    modifiers = find_child(node, "modifiers")
    texts = [
        source.get_text(child)
        for child in (modifiers.named_children if modifiers else ())
        if child.type in ("annotation", "marker_annotation")
    ]
    return [(found[1], text) for text in texts if (found := _NAME.match(text))]


def _is_test(
    source: ParsedFile,
    node: Node,
    annotations: list[tuple[str, str]],
    place: _Place,
    rules: _JvmRules,
) -> bool:
    if rules.whole_class and _has_annotation(annotations, _PREPARES):
        return False
    if _has_annotation(annotations, rules.test):
        return True
    modifiers = find_child(node, "modifiers")
    return (
        place.all_public
        and modifiers is not None
        and "public" in source.get_text(modifiers).split()
    )


def _read_status(annotations: list[tuple[str, str]], rules: _JvmRules) -> CaseStatus:
    for name, text in annotations:
        if name in rules.skip or (rules.whole_class and name == "Test" and _DISABLED.search(text)):
            return CaseStatus.SKIPPED
    return CaseStatus.ACTIVE


def _has_annotation(annotations: list[tuple[str, str]], wanted: re.Pattern[str]) -> bool:
    return any(wanted.fullmatch(name) for name, _ in annotations)


find_junit4_tests = partial(_find_tests, rules=_JUNIT4)
"""Find the methods with `@Test`."""
find_junit5_tests = partial(_find_tests, rules=_JUNIT5)
"""Find the methods with `@Test` or similar, in top-level classes and in `@Nested` ones."""
find_testng_tests = partial(_find_tests, rules=_TESTNG)
"""Find the methods with `@Test`, and the public methods of a class with it."""
