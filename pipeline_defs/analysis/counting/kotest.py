"""Tests of Kotest, in each of its styles."""

import re
from dataclasses import dataclass

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, combine_statuses
from pipeline_defs.analysis.counting.jvm import list_annotations
from pipeline_defs.analysis.counting.syntax import (
    Found,
    ParsedFile,
    find_child,
    get_line,
    list_children,
)

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
    """The place of a call: the style of its spec, empty outside of one."""

    status: CaseStatus
    style: str = ""


@dataclass(frozen=True)
class _Call:
    """`name("title").config(...) { }`, or `"title" { }` without a name."""

    name: str
    title: str
    status: CaseStatus


def find_kotest_tests(source: ParsedFile) -> list[Test]:
    """Find the leaves of the specs: the calls with a block that are tests in the spec's style."""

    def visit(node: Node, place: _Place) -> Found[_Place]:
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
        if is_named_by_string or call.name.lower() == _TESTS.get(place.style):
            return [Test(call.title or call.name, get_line(node), status)]
        is_group = call.name.lower() in _GROUPS
        return list_children(node, _Place(status, place.style) if is_group else place)

    return source.find_tests(_Place(CaseStatus.ACTIVE), visit)


def _enter_spec(source: ParsedFile, node: Node, place: _Place) -> _Place:
    bases = find_child(node, "delegation_specifiers")
    style = _STYLE.search(source.get_text(bases)) if bases else None
    is_off = any(name in _OFF for name, _ in list_annotations(source, node))
    own = CaseStatus.SKIPPED if is_off else CaseStatus.ACTIVE
    return _Place(combine_statuses(place.status, own), style[1] if style else "")


def _find_annotated(source: ParsedFile, node: Node, place: _Place) -> Found[_Place]:
    names = {name for name, _ in list_annotations(source, node)}
    if "Test" not in names:
        return ()
    own = CaseStatus.SKIPPED if names & _OFF else CaseStatus.ACTIVE
    name = source.get_field(node, "name").strip("`")
    return [Test(name, get_line(node), combine_statuses(place.status, own))]


def _parse_call(source: ParsedFile, node: Node) -> _Call | None:
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
        literal = find_child(_get_first(arguments), *_LITERALS) if arguments else None
        title = source.get_text(literal).strip('"') if literal else ""
        callee = _get_first(callee)
    if callee.type in _LITERALS:
        return _make_call("", source.get_text(callee).strip('"'), configured)
    return _make_call(source.get_text(callee), title, configured)


def _make_call(name: str, title: str, configured: str) -> _Call:
    name = name.strip("`")
    bare, own = name, CaseStatus.ACTIVE
    if name[:1] in _PREFIXES and name[1:].lower() in _GROUPS | set(_TESTS.values()):
        bare, own = name[1:], _PREFIXES[name[0]]
    for prefix, status in _TITLES.items():
        if title.startswith(prefix):
            title, own = title.removeprefix(prefix), status
    return _Call(bare, title, CaseStatus.SKIPPED if _DISABLED.search(configured) else own)


def _get_method(source: ParsedFile, call: Node) -> str:
    """Return the name of the called method; empty if the call has no receiver."""
    callee = _get_first(call)
    if callee.type != "navigation_expression" or callee.named_child_count < 2:
        return ""
    return source.get_text(callee.named_children[-1])


def _get_first(node: Node) -> Node:
    """Return the first child, or the node itself if a syntax error left it without children."""
    return node.named_child(0) if node.named_child_count else node
