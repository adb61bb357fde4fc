"""Tests of Kotest, in each of its styles."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, within
from pipeline_defs.analysis.counting.jvm import annotations_of
from pipeline_defs.analysis.counting.syntax import ParsedFile, below, child_of_type, line_of

_STYLE = re.compile(
    r"\b(Annotation|Behavior|Describe|Expect|Feature|Free|Fun|Should|String|Word)Spec\b"
)
_TESTS = {
    "Behavior": "then",
    "Describe": "it",
    "Expect": "expect",
    "Feature": "scenario",
    "Fun": "test",
    "Should": "should",
}
_NAMED_BY_STRING = frozenset({"Free", "String", "Word"})
_GROUPS = frozenset({"and", "context", "describe", "feature", "given", "when"})
_PREFIXES = {"x": CaseStatus.SKIPPED, "f": CaseStatus.FOCUSED}
_TITLES = {"!": CaseStatus.SKIPPED, "f:": CaseStatus.FOCUSED}
_OFF = frozenset({"Disabled", "Ignore", "Ignored"})
_DISABLED = re.compile(r"\benabled\s{0,8}=\s{0,8}false\b")
_LITERALS = ("string_literal", "multiline_string_literal")


@dataclass(frozen=True)
class _Place:
    """Where a call stands: the style of its spec, empty outside of one."""

    status: CaseStatus
    style: str = ""


@dataclass(frozen=True)
class _Call:
    """`name("title").config(...) { }`, or `"title" { }` without a name."""

    name: str
    title: str
    status: CaseStatus


def kotest_tests(source: ParsedFile) -> list[Test]:
    """The leaves of the specs: what a style calls its tests, with a block."""
    tests: list[Test] = []

    def visit(node: Node, place: _Place) -> Sequence[tuple[Node, _Place]]:
        if node.type == "class_declaration":
            return below(node, _spec(source, node, place))
        if node.type == "function_declaration":
            if place.style == "Annotation" and (test := _annotated(source, node, place)):
                tests.append(test)
            return ()
        if node.type != "call_expression" or not place.style:
            return below(node, place)
        call = _call(source, node)
        if call is None:
            return below(node, place)
        status = within(place.status, call.status)
        if _is_test(call, place.style):
            tests.append(Test(call.title or call.name, line_of(node), status))
            return ()
        is_group = call.name.lower() in _GROUPS
        return below(node, _Place(status, place.style) if is_group else place)

    source.walk(source.root, _Place(CaseStatus.ACTIVE), visit)
    return tests


def _spec(source: ParsedFile, node: Node, place: _Place) -> _Place:
    bases = child_of_type(node, "delegation_specifiers")
    style = _STYLE.search(source.text(bases)) if bases else None
    is_off = any(name in _OFF for name, _ in annotations_of(source, node))
    own = CaseStatus.SKIPPED if is_off else CaseStatus.ACTIVE
    return _Place(within(place.status, own), style[1] if style else "")


def _annotated(source: ParsedFile, node: Node, place: _Place) -> Test | None:
    names = {name for name, _ in annotations_of(source, node)}
    if "Test" not in names:
        return None
    own = CaseStatus.SKIPPED if names & _OFF else CaseStatus.ACTIVE
    name = source.field(node, "name").strip("`")
    return Test(name, line_of(node), within(place.status, own))


def _is_test(call: _Call, style: str) -> bool:
    if not call.name:
        return style in _NAMED_BY_STRING
    return call.name.lower() == _TESTS.get(style)


def _call(source: ParsedFile, node: Node) -> _Call | None:
    """What a call with a block at its end says; None for any other."""
    children = node.named_children
    if len(children) < 2 or children[-1].type != "annotated_lambda":
        return None
    callee, title, configured = children[0], "", ""
    if callee.type == "call_expression" and _called(source, callee) == "config":
        configured = source.text(callee)
        callee = _first(_first(callee))
    if callee.type == "call_expression":
        title = _title(source, callee)
        callee = _first(callee)
    if callee.type in _LITERALS:
        return _with_status("", source.text(callee).strip('"'), configured)
    return _with_status(source.text(callee), title, configured)


def _with_status(name: str, title: str, configured: str) -> _Call:
    name = name.strip("`")
    bare, own = name, CaseStatus.ACTIVE
    if name[:1] in _PREFIXES and name[1:].lower() in _GROUPS | set(_TESTS.values()):
        bare, own = name[1:], _PREFIXES[name[0]]
    for prefix, status in _TITLES.items():
        if title.startswith(prefix):
            title, own = title.removeprefix(prefix), status
    return _Call(bare, title, CaseStatus.SKIPPED if _DISABLED.search(configured) else own)


def _called(source: ParsedFile, call: Node) -> str:
    """The method that is called on something; empty for another call."""
    callee = _first(call)
    if callee.type != "navigation_expression" or callee.named_child_count < 2:
        return ""
    return source.text(callee.named_children[-1])


def _title(source: ParsedFile, call: Node) -> str:
    arguments = child_of_type(call, "value_arguments")
    literal = child_of_type(_first(arguments), *_LITERALS) if arguments else None
    return source.text(literal).strip('"') if literal else ""


def _first(node: Node) -> Node:
    """The first child; the node itself where a fault in the source left it none."""
    return node.named_child(0) if node.named_child_count else node
