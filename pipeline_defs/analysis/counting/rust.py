"""Tests of `cargo test`."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test
from pipeline_defs.analysis.counting.syntax import ParsedFile, child_of_type, line_of

_TEST = re.compile(r"#!?\[\s{0,8}(?:[\w:]{1,60}::)?(?:test|rstest|test_case|\w{1,40}_test)\b")
_IGNORE = re.compile(r"#\[\s{0,8}ignore\b")
_MADE_BY_MACRO = re.compile(r"#\s{0,8}\[\s{0,8}(?:\w{1,40}::)?test\s{0,8}\]")
_MAX_MACRO = 100_000
_COMMENTS = frozenset({"line_comment", "block_comment"})


def cargo_tests(source: ParsedFile) -> list[Test]:
    """The functions with `#[test]` and its kin, and the calls of macros that make one."""
    tests: list[Test] = []
    makers: set[str] = set()

    def visit(node: Node, attributes: str) -> Sequence[tuple[Node, str]]:
        if node.type == "function_item":
            if _TEST.search(attributes):
                status = CaseStatus.SKIPPED if _IGNORE.search(attributes) else CaseStatus.ACTIVE
                tests.append(Test(source.field(node, "name"), line_of(node), status))
            return ()
        if node.type == "macro_definition":
            if _MADE_BY_MACRO.search(source.text(node, _MAX_MACRO)):
                makers.add(source.field(node, "name"))
            return ()
        if node.type == "macro_invocation":
            if name := _made(source, node, makers):
                tests.append(Test(name, line_of(node), CaseStatus.ACTIVE))
            return ()
        return _attributed(source, node)

    source.walk(source.root, "", visit)
    return tests


def _made(source: ParsedFile, node: Node, makers: set[str]) -> str:
    """The name of the test that a macro makes; empty if it makes none."""
    macro = source.field(node, "macro").rpartition("::")[2]
    if macro not in makers and "test" not in macro.lower():
        return ""
    tokens = child_of_type(node, "token_tree")
    name = tokens and child_of_type(tokens, "identifier")
    return source.text(name) if name else ""


def _attributed(source: ParsedFile, parent: Node) -> list[tuple[Node, str]]:
    """What stands below `parent`, each with the attributes in front of it."""
    found, written = [], ""
    for child in parent.named_children:
        if child.type == "attribute_item":
            written += source.text(child)
        elif child.type not in _COMMENTS:
            found.append((child, written))
            written = ""
    return found
