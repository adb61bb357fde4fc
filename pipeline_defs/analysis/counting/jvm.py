"""Tests of JUnit 3, 4 and 5 and of TestNG, in Java and in Kotlin."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, within
from pipeline_defs.analysis.counting.syntax import ParsedFile, below, child_of_type, line_of

_NAME = re.compile(r"@(?:[\w.]*\.)?(\w+)")
_DISABLED = re.compile(r"\benabled\s{0,20}=\s{0,20}false\b")
_FUNCTIONS = frozenset({"method_declaration", "function_declaration"})
_ENTERED = frozenset({"program", "source_file", "class_body"})
_PREPARES = re.compile(r"(?:Before|After)(?:Method|Class|Suite|Test|Groups)|DataProvider|Factory")


@dataclass(frozen=True)
class _JvmRules:
    """The annotations of a framework: of tests, of what is skipped, of nested classes if they need one."""

    test: re.Pattern[str]
    skip: frozenset[str]
    nested: str = ""
    whole_class: bool = False


@dataclass(frozen=True)
class _Place:
    """Where a declaration stands: outside, or in a class of tests, whose public methods may all be tests."""

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


def junit3_tests(source: ParsedFile) -> list[Test]:
    """The public methods named `test…` without parameters, of classes that extend a test case."""
    tests: list[Test] = []

    def visit(node: Node, in_case: bool) -> Sequence[tuple[Node, bool]]:
        if node.type in _FUNCTIONS:
            if in_case and _is_of_junit3(source, node):
                tests.append(Test(source.field(node, "name"), line_of(node), CaseStatus.ACTIVE))
            return ()
        if node.type == "class_declaration":
            return below(node, _extends_test_case(source, node))
        return below(node, in_case) if node.type in _ENTERED else ()

    source.walk(source.root, False, visit)
    return tests


def _extends_test_case(source: ParsedFile, node: Node) -> bool:
    modifiers = child_of_type(node, "modifiers")
    is_abstract = modifiers is not None and "abstract" in source.text(modifiers).split()
    bases = child_of_type(node, "superclass", "delegation_specifiers")
    return not is_abstract and bases is not None and "TestCase" in source.text(bases)


def _is_of_junit3(source: ParsedFile, node: Node) -> bool:
    modifiers = child_of_type(node, "modifiers")
    words = source.text(modifiers).split() if modifiers else []
    parameters = child_of_type(node, "formal_parameters", "function_value_parameters")
    is_public = "public" in words or node.type == "function_declaration"
    takes_none = parameters is None or not parameters.named_children
    return is_public and takes_none and source.field(node, "name").startswith("test")


def junit4_tests(source: ParsedFile) -> list[Test]:
    """The methods with `@Test`."""
    return _tests(source, _JUNIT4)


def junit5_tests(source: ParsedFile) -> list[Test]:
    """The methods with `@Test` or its kin, in classes of the top level and in `@Nested` ones."""
    return _tests(source, _JUNIT5)


def testng_tests(source: ParsedFile) -> list[Test]:
    """The methods with `@Test`, and the public ones of a class with it."""
    return _tests(source, _TESTNG)


def _tests(source: ParsedFile, rules: _JvmRules) -> list[Test]:
    tests: list[Test] = []

    def visit(node: Node, place: _Place) -> Sequence[tuple[Node, _Place]]:
        if node.type in _FUNCTIONS:
            annotations = annotations_of(source, node)
            if _is_test(source, node, annotations, place, rules):
                name = source.field(node, "name").strip("`")
                status = within(place.status, _status(annotations, rules))
                tests.append(Test(name, line_of(node), status))
            return ()
        if node.type != "class_declaration":
            return below(node, place) if node.type in _ENTERED else ()
        annotations = annotations_of(source, node)
        if place.in_class and rules.nested and rules.nested not in dict(annotations):
            return ()
        inner = _Place(
            status=within(place.status, _status(annotations, rules)),
            in_class=True,
            all_public=rules.whole_class and _has(annotations, rules.test),
        )
        return below(node, inner)

    source.walk(source.root, _Place(CaseStatus.ACTIVE), visit)
    return tests


def annotations_of(source: ParsedFile, node: Node) -> list[tuple[str, str]]:
    """The simple names of a declaration's annotations, each with its text."""
    modifiers = child_of_type(node, "modifiers")
    texts = [
        source.text(child)
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
    if rules.whole_class and _has(annotations, _PREPARES):
        return False
    if _has(annotations, rules.test):
        return True
    modifiers = child_of_type(node, "modifiers")
    return place.all_public and modifiers is not None and "public" in source.text(modifiers).split()


def _status(annotations: list[tuple[str, str]], rules: _JvmRules) -> CaseStatus:
    for name, text in annotations:
        if name in rules.skip or (rules.whole_class and name == "Test" and _DISABLED.search(text)):
            return CaseStatus.SKIPPED
    return CaseStatus.ACTIVE


def _has(annotations: list[tuple[str, str]], wanted: re.Pattern[str]) -> bool:
    return any(wanted.fullmatch(name) for name, _ in annotations)
