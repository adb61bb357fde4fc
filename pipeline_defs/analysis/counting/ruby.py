"""Tests of RSpec and Minitest."""

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

_GROUPS = frozenset({"describe", "context"})
_EXAMPLES = frozenset({"it", "specify", "example"})
_HOOKS = frozenset({"after", "around", "before"})
_PREFIXES = {"x": CaseStatus.SKIPPED, "f": CaseStatus.FOCUSED}
_WORDS = {"skip": CaseStatus.SKIPPED, "pending": CaseStatus.XFAIL}
_METADATA = {
    **{f":{word}": status for word, status in _WORDS.items()},
    ":focus": CaseStatus.FOCUSED,
}
_PAIR = re.compile(r":?(skip|pending|focus)(?::|\s{0,8}=>)\s{0,8}(?!nil|false)")
_BLOCKS = ("do_block", "block")
_LITERALS = frozenset({"string", "simple_symbol", "delimited_symbol"})


def find_rspec_tests(source: ParsedFile) -> list[Test]:
    """Find the examples that are not within another example; one without a block is `todo`."""

    def visit(node: Node, outer: CaseStatus) -> Found[CaseStatus]:
        if node.type != "call":
            return list_children(node, outer)
        word, own = _split_prefix(source.get_field(node, "method"))
        arguments = _list_arguments(node)
        status = combine_statuses(
            outer, own if own is not CaseStatus.ACTIVE else _read_metadata(source, arguments)
        )
        block = find_child(node, *_BLOCKS)
        if word in _EXAMPLES or (word in _WORDS and _has_title(arguments)):
            return [_make_example(source, node, status, block)]
        if block is None or word in _HOOKS:
            return ()
        return [(block, status if word in _GROUPS else outer)]

    return source.find_tests(CaseStatus.ACTIVE, visit)


def find_minitest_tests(source: ParsedFile) -> list[Test]:
    """Find the methods `test_…`, and the blocks of `it`, `specify` and Rails' `test`."""

    def visit(node: Node, outer: CaseStatus) -> Found[CaseStatus]:
        if node.type == "method":
            name = source.get_field(node, "name")
            status = _read_status(source, find_child(node, "body_statement"))
            return [Test(name, get_line(node), status)] if name.startswith("test_") else ()
        if node.type == "call" and node.child_by_field_name("receiver") is None:
            word = source.get_field(node, "method")
            is_test = word == "test" and _has_title(_list_arguments(node))
            if not is_test and word not in ("it", "specify"):
                return list_children(node, outer)
            block = find_child(node, *_BLOCKS)
            body = block and find_child(block, "body_statement", "block_body")
            return [_make_example(source, node, _read_status(source, body), block)]
        return list_children(node, outer)

    return source.find_tests(CaseStatus.ACTIVE, visit)


def _split_prefix(name: str) -> tuple[str, CaseStatus]:
    """Return the name of an example or group without its prefix, and the status of the prefix."""
    if name[:1] in _PREFIXES and name[1:] in _GROUPS | _EXAMPLES:
        return name[1:], _PREFIXES[name[0]]
    return name, _WORDS.get(name, CaseStatus.ACTIVE)


def _make_example(source: ParsedFile, node: Node, status: CaseStatus, block: Node | None) -> Test:
    if block is None and status is CaseStatus.ACTIVE:
        status = CaseStatus.TODO
    first = next(iter(_list_arguments(node)), None)
    name = "(anonymous)" if first is None else source.get_text(first).strip("'\"")
    return Test(name, get_line(node), status)


def _read_metadata(source: ParsedFile, arguments: list[Node]) -> CaseStatus:
    for argument in arguments:
        text = source.get_text(argument)
        if argument.type == "simple_symbol" and text in _METADATA:
            return _METADATA[text]
        if argument.type == "pair" and (found := _PAIR.match(text)):
            return _METADATA[f":{found[1]}"]
    return CaseStatus.ACTIVE


def _read_status(source: ParsedFile, body: Node | None) -> CaseStatus:
    """Return skipped if a statement of the body itself skips; a skip under a condition does not count."""
    for statement in body.named_children if body else ():
        is_word = statement.type == "identifier" and source.get_text(statement) == "skip"
        is_call = statement.type == "call" and source.get_field(statement, "method") == "skip"
        if is_word or is_call:
            return CaseStatus.SKIPPED
    return CaseStatus.ACTIVE


def _list_arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return [] if arguments is None else arguments.named_children


def _has_title(arguments: list[Node]) -> bool:
    return bool(arguments) and arguments[0].type in _LITERALS
