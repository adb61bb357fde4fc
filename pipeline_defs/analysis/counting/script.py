"""Tests of the JavaScript frameworks, which share their function names."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, combine_statuses
from pipeline_defs.analysis.counting.syntax import Found, ParsedFile, get_line, list_children

_TESTS = frozenset({"it", "test", "specify", "bench"})
_GROUPS = frozenset({"describe", "context", "suite"})
_PREFIXES = {"x": CaseStatus.SKIPPED, "f": CaseStatus.FOCUSED}
_STATUSES = {
    "fail": CaseStatus.XFAIL,
    "failing": CaseStatus.XFAIL,
    "fails": CaseStatus.XFAIL,
    "fixme": CaseStatus.SKIPPED,
    "only": CaseStatus.FOCUSED,
    "skip": CaseStatus.SKIPPED,
    "todo": CaseStatus.TODO,
}
_RETURNS_FUNCTION = frozenset({"each", "for", "runIf", "skipIf"})
"""Their call returns the function that declares."""
_NEUTRAL = frozenset({"concurrent", "parallel", "sequential", "serial", "shuffle"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_STRINGS = frozenset({"string", "template_string"})
_MAX_CHAIN = 5
_ALIAS = re.compile(
    rb"\btest\s{1,8}as\s{1,8}(\w{1,40})|\b(\w{1,40})\s{0,8}=\s{0,8}(?:base|test|it)\.extend\b"
)


@dataclass(frozen=True)
class _Declared:
    is_test: bool
    status: CaseStatus


def find_script_tests(source: ParsedFile, *, needs_name: bool) -> list[Test]:
    """Find the calls that declare a test outside of another test; `each` and loops count once."""
    aliases = {name.decode() for found in source.find_matches(_ALIAS) for name in found.groups(b"")}

    def visit(node: Node, outer: CaseStatus) -> Found[CaseStatus]:
        if node.type != "call_expression":
            return list_children(node, outer)
        arguments = node.child_by_field_name("arguments")
        given = [] if arguments is None else arguments.named_children
        if made := _find_generated(source, node, given):
            return [Test(made, get_line(node), outer)]
        declared = _parse_declaration(source, node, aliases)
        if declared is None or not _is_declaration(declared, given, needs_name):
            return list_children(node, outer)
        status = combine_statuses(outer, _apply_options(source, given, declared.status))
        if not declared.is_test:
            return list_children(node, status)
        if needs_name and len(given) == 1 and status is CaseStatus.ACTIVE:
            status = CaseStatus.TODO
        return [Test(_get_name(source, given), get_line(node), status)]

    return source.find_tests(CaseStatus.ACTIVE, visit)


def _parse_declaration(
    source: ParsedFile, call: Node, aliases: Collection[str]
) -> _Declared | None:
    function = call.child_by_field_name("function")
    called_before = function is not None and function.type == "call_expression"
    if function is not None and called_before:
        function = function.child_by_field_name("function")
    chain = _read_chain(source, _choose_branch(function))
    if not chain or called_before is not (chain[-1] in _RETURNS_FUNCTION):
        return None
    chain = chain[1:] if chain[:2] == ["Deno", "test"] else chain
    declared = _parse_base("test" if chain[0] in aliases else chain[0])
    for name in chain[1:]:
        declared = declared and _apply_modifier(declared, name)
    return declared


def _choose_branch(function: Node | None) -> Node | None:
    """Return the first alternative of `(condition ? it : it.skip)`."""
    if function is not None and function.type == "parenthesized_expression":
        inner = function.named_child(0) if function.named_child_count else None
        if inner is not None and inner.type == "ternary_expression":
            return inner.child_by_field_name("consequence")
    return function


def _read_chain(source: ParsedFile, function: Node | None) -> list[str]:
    """Return the names in `a.b.c`; empty for anything else."""
    names: list[str] = []
    while function is not None and len(names) < _MAX_CHAIN:
        if function.type == "identifier":
            return [source.get_text(function), *reversed(names)]
        if function.type != "member_expression":
            return []
        names.append(source.get_field(function, "property"))
        function = function.child_by_field_name("object")
    return []


def _parse_base(name: str) -> _Declared | None:
    status = _PREFIXES.get(name[0], CaseStatus.ACTIVE) if name[1:] in _TESTS | _GROUPS else None
    if status is not None and status is not CaseStatus.ACTIVE:
        return _Declared(name[1:] in _TESTS, status)
    if name in _TESTS or name in _GROUPS:
        return _Declared(name in _TESTS, CaseStatus.ACTIVE)
    return None


def _apply_modifier(declared: _Declared, name: str) -> _Declared | None:
    if name in _STATUSES:
        return replace(declared, status=combine_statuses(declared.status, _STATUSES[name]))
    if name in _GROUPS:
        return replace(declared, is_test=False)
    return declared if name in _NEUTRAL or name in _RETURNS_FUNCTION else None


def _is_declaration(declared: _Declared, given: list[Node], needs_name: bool) -> bool:
    """Return whether the call declares something, unlike `test.skip(condition)` or a foreign `test(x)`."""
    if not given:
        return False
    if given[0].type in _FUNCTIONS or (given[0].type == "object" and len(given) == 1):
        return not needs_name
    return given[0].type in _STRINGS or any(node.type in _FUNCTIONS for node in given[1:])


def _find_generated(source: ParsedFile, call: Node, given: list[Node]) -> str:
    """Return the name of a test whose cases are known only at run time; empty for any other call.

    These are a linter's `tester.run(name, rule, cases)` and jscodeshift's `defineTest(folder, name)`.
    """
    chain = _read_chain(source, call.child_by_field_name("function"))
    is_run = len(chain) >= 2 and chain[-1] == "run" and "tester" in chain[-2].lower()
    if (is_run and len(given) >= 3) or chain == ["defineTest"]:
        names = [source.get_text(node).strip("'\"`") for node in given if node.type in _STRINGS]
        return names[0] if names else chain[-1]
    return ""


def _apply_options(source: ParsedFile, given: list[Node], status: CaseStatus) -> CaseStatus:
    """Return the status by `{skip: true}`, `{todo: true}` or `{only: true}` after the name."""
    options = next((node for node in given[:3] if node.type == "object"), None)
    for pair in options.named_children if options else ():
        key = source.get_field(pair, "key")
        key = "skip" if key == "ignore" else key
        if key in ("skip", "todo", "only") and source.get_field(pair, "value") != "false":
            return _STATUSES[key]
    return status


def _get_name(source: ParsedFile, given: list[Node]) -> str:
    if given[0].type == "object":
        pairs = given[0].named_children
        names = (
            source.get_field(each, "value")
            for each in pairs
            if source.get_field(each, "key") == "name"
        )
        return next(names, "(anonymous)").strip("'\"`")
    if given[0].type in _FUNCTIONS:
        return source.get_field(given[0], "name") or "(anonymous)"
    text = source.get_text(given[0])
    return text.strip("'\"`") if given[0].type in _STRINGS else text
