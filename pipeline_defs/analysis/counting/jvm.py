"""Tests of JUnit 3, 4 and 5, of TestNG and of Kotest, in Java and in Kotlin."""

import re
from dataclasses import dataclass

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, combine_statuses
from pipeline_defs.analysis.counting.syntax import (
    Found,
    MarkRules,
    ParsedFile,
    find_child,
    get_line,
    list_children,
)

_NAME = re.compile(r"@(?:[\w.]*\.)?(\w+)")
_DISABLED = re.compile(r"\benabled\s{0,20}=\s{0,20}false\b")
_FUNCTIONS = frozenset({"method_declaration", "function_declaration"})
_ENTERED = frozenset({"program", "source_file", "class_body"})
_PREPARES = r"(?:Before|After)(?:Method|Class|Suite|Test|Groups)|DataProvider|Factory"


@dataclass(frozen=True)
class _JvmPlace:
    """The place of a declaration: outside or in a test class, whose public methods may all be tests."""

    status: CaseStatus
    in_class: bool = False
    all_public: bool = False


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


def find_annotated_tests(source: ParsedFile, rules: MarkRules) -> list[Test]:
    """Find the methods with a test's annotation, in top-level classes and in nested ones that may have tests."""

    def visit(node: Node, place: _JvmPlace) -> Found[_JvmPlace]:
        if node.type in _FUNCTIONS:
            annotations = _list_annotations(source, node)
            status = combine_statuses(place.status, _read_status(annotations, rules))
            test = Test(source.get_field(node, "name").strip("`"), get_line(node), status)
            return [test] if _is_test(source, node, annotations, place, rules) else ()
        if node.type != "class_declaration":
            return list_children(node, place) if node.type in _ENTERED else ()
        annotations = _list_annotations(source, node)
        if place.in_class and rules.nested and rules.nested not in dict(annotations):
            return ()
        inner = _JvmPlace(
            status=combine_statuses(place.status, _read_status(annotations, rules)),
            in_class=True,
            all_public=rules.whole_class and _has_annotation(annotations, rules.test),
        )
        return list_children(node, inner)

    return source.find_tests(_JvmPlace(CaseStatus.ACTIVE), visit)


def _list_annotations(source: ParsedFile, node: Node) -> list[tuple[str, str]]:
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
    place: _JvmPlace,
    rules: MarkRules,
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


def _read_status(annotations: list[tuple[str, str]], rules: MarkRules) -> CaseStatus:
    for name, text in annotations:
        if name in rules.skip or (rules.whole_class and name == "Test" and _DISABLED.search(text)):
            return CaseStatus.SKIPPED
    return CaseStatus.ACTIVE


def _has_annotation(annotations: list[tuple[str, str]], wanted: str) -> bool:
    return any(re.fullmatch(wanted, name) for name, _ in annotations)


_KOTEST_STYLE = re.compile(
    r"\b(Annotation|Behavior|Describe|Expect|Feature|Free|Fun|Should|String|Word)Spec\b"
)
_KOTEST_TESTS = {
    "Behavior": "then",
    "Describe": "it",
    "Expect": "expect",
    "Feature": "scenario",
    "Fun": "test",
    "Should": "should",
}
_NAMED_BY_STRING = frozenset({"Free", "String", "Word"})
_KOTEST_GROUPS = frozenset({"and", "context", "describe", "feature", "given", "when"})
_KOTEST_PREFIXES = {"x": CaseStatus.SKIPPED, "f": CaseStatus.FOCUSED}
_KOTEST_TITLES = {"!": CaseStatus.SKIPPED, "f:": CaseStatus.FOCUSED}
_KOTEST_OFF = frozenset({"Disabled", "Ignore", "Ignored"})
_KOTEST_DISABLED = re.compile(r"\benabled\s{0,8}=\s{0,8}false\b")
_KOTEST_LITERALS = ("string_literal", "multiline_string_literal")


@dataclass(frozen=True)
class _KotestPlace:
    """The place of a call: the style of its spec, empty outside of one."""

    status: CaseStatus
    style: str = ""


@dataclass(frozen=True)
class _KotestCall:
    """`name("title").config(...) { }`, or `"title" { }` without a name."""

    name: str
    title: str
    status: CaseStatus


def find_kotest_tests(source: ParsedFile) -> list[Test]:
    """Find the leaves of the specs: the calls with a block that are tests in the spec's style."""

    def visit(node: Node, place: _KotestPlace) -> Found[_KotestPlace]:
        if node.type == "class_declaration":
            return list_children(node, _enter_spec(source, node, place))
        if node.type == "function_declaration":
            return _find_annotated(source, node, place) if place.style == "Annotation" else ()
        if node.type != "call_expression" or not place.style:
            return list_children(node, place)
        call = _parse_call(source, node)
        if call is None:
            return list_children(node, place)
        status = combine_statuses(place.status, call.status)
        is_named_by_string = not call.name and place.style in _NAMED_BY_STRING
        if is_named_by_string or call.name.lower() == _KOTEST_TESTS.get(place.style):
            return [Test(call.title or call.name, get_line(node), status)]
        is_group = call.name.lower() in _KOTEST_GROUPS
        return list_children(node, _KotestPlace(status, place.style) if is_group else place)

    return source.find_tests(_KotestPlace(CaseStatus.ACTIVE), visit)


def _enter_spec(source: ParsedFile, node: Node, place: _KotestPlace) -> _KotestPlace:
    bases = find_child(node, "delegation_specifiers")
    style = _KOTEST_STYLE.search(source.get_text(bases)) if bases else None
    is_off = any(name in _KOTEST_OFF for name, _ in _list_annotations(source, node))
    own = CaseStatus.SKIPPED if is_off else CaseStatus.ACTIVE
    return _KotestPlace(combine_statuses(place.status, own), style[1] if style else "")


def _find_annotated(source: ParsedFile, node: Node, place: _KotestPlace) -> Found[_KotestPlace]:
    names = {name for name, _ in _list_annotations(source, node)}
    if "Test" not in names:
        return ()
    own = CaseStatus.SKIPPED if names & _KOTEST_OFF else CaseStatus.ACTIVE
    name = source.get_field(node, "name").strip("`")
    return [Test(name, get_line(node), combine_statuses(place.status, own))]


def _parse_call(source: ParsedFile, node: Node) -> _KotestCall | None:
    """Parse a call with a block at its end; return None for any other."""
    children = node.named_children
    if len(children) < 2 or children[-1].type != "annotated_lambda":
        return None
    callee, title, configured = children[0], "", ""
    if callee.type == "call_expression" and _get_method(source, callee) == "config":
        configured = source.get_text(callee)
        callee = _get_first(_get_first(callee))
    if callee.type == "call_expression":
        arguments = find_child(callee, "value_arguments")
        literal = find_child(_get_first(arguments), *_KOTEST_LITERALS) if arguments else None
        title = source.get_text(literal).strip('"') if literal else ""
        callee = _get_first(callee)
    if callee.type in _KOTEST_LITERALS:
        return _make_call("", source.get_text(callee).strip('"'), configured)
    return _make_call(source.get_text(callee), title, configured)


def _make_call(name: str, title: str, configured: str) -> _KotestCall:
    name = name.strip("`")
    bare, own = name, CaseStatus.ACTIVE
    if name[:1] in _KOTEST_PREFIXES and name[1:].lower() in _KOTEST_GROUPS | set(
        _KOTEST_TESTS.values()
    ):
        bare, own = name[1:], _KOTEST_PREFIXES[name[0]]
    for prefix, status in _KOTEST_TITLES.items():
        if title.startswith(prefix):
            title, own = title.removeprefix(prefix), status
    return _KotestCall(
        bare, title, CaseStatus.SKIPPED if _KOTEST_DISABLED.search(configured) else own
    )


def _get_method(source: ParsedFile, call: Node) -> str:
    """Return the name of the called method; empty if the call has no receiver."""
    callee = _get_first(call)
    if callee.type != "navigation_expression" or callee.named_child_count < 2:
        return ""
    return source.get_text(callee.named_children[-1])


def _get_first(node: Node) -> Node:
    """Return the first child, or the node itself if a syntax error left it without children."""
    return node.named_child(0) if node.named_child_count else node
