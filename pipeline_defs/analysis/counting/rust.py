"""Tests of `cargo test`."""

import re

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test
from pipeline_defs.analysis.counting.syntax import Found, ParsedFile, find_child, get_line

_TEST = re.compile(r"#!?\[\s{0,8}(?:[\w:]{1,60}::)?(?:test|rstest|test_case|\w{1,40}_test)\b")
_IGNORE = re.compile(r"#\[\s{0,8}ignore\b")
_MADE_BY_MACRO = re.compile(r"#\s{0,8}\[\s{0,8}(?:\w{1,40}::)?test\s{0,8}\]")
_MAX_MACRO = 100_000
_COMMENTS = frozenset({"line_comment", "block_comment"})


def find_cargo_tests(source: ParsedFile) -> list[Test]:
    """Find the functions with `#[test]` and similar, and the calls of macros that make a test."""
    makers: set[str] = set()

    def visit(node: Node, attributes: str) -> Found[str]:
        if node.type == "function_item":
            status = CaseStatus.SKIPPED if _IGNORE.search(attributes) else CaseStatus.ACTIVE
            test = Test(source.get_field(node, "name"), get_line(node), status)
            return [test] if _TEST.search(attributes) else ()
        if node.type == "macro_definition":
            if _MADE_BY_MACRO.search(source.get_text(node, _MAX_MACRO)):
                makers.add(source.get_field(node, "name"))
            return ()
        if node.type == "macro_invocation":
            name = _get_macro_test(source, node, makers)
            return [Test(name, get_line(node), CaseStatus.ACTIVE)] if name else ()
        return _pair_with_attributes(source, node)

    return source.find_tests("", visit)


def _get_macro_test(source: ParsedFile, node: Node, makers: set[str]) -> str:
    """Return the name of the test that a macro makes; empty if it makes none."""
    macro = source.get_field(node, "macro").rpartition("::")[2]
    if macro not in makers and "test" not in macro.lower():
        return ""
    tokens = find_child(node, "token_tree")
    name = tokens and find_child(tokens, "identifier")
    return source.get_text(name) if name else ""


def _pair_with_attributes(source: ParsedFile, parent: Node) -> Found[str]:
    """Return the children of `parent`, each with the attributes in front of it."""
    found, written = [], ""
    for child in parent.named_children:
        if child.type == "attribute_item":
            written += source.get_text(child)
        elif child.type not in _COMMENTS:
            found.append((child, written))
            written = ""
    return found
