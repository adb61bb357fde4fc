"""Tests of RSpec and Minitest."""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, within
from pipeline_defs.analysis.counting.syntax import ParsedFile, below, child_of_type, line_of

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


def rspec_tests(source: ParsedFile) -> list[Test]:
    """The examples, in whatever they stand but another example; one without a block is still to be done."""
    tests: list[Test] = []

    def visit(node: Node, outer: CaseStatus) -> Sequence[tuple[Node, CaseStatus]]:
        if node.type != "call":
            return below(node, outer)
        word, own = _plain(source.field(node, "method"))
        arguments = _arguments(node)
        status = within(
            outer, own if own is not CaseStatus.ACTIVE else _metadata(source, arguments)
        )
        block = child_of_type(node, *_BLOCKS)
        if word in _EXAMPLES or (word in _WORDS and _titled(arguments)):
            tests.append(_example(source, node, status, block))
            return ()
        if block is None or word in _HOOKS:
            return ()
        return [(block, status if word in _GROUPS else outer)]

    source.walk(source.root, CaseStatus.ACTIVE, visit)
    return tests


def minitest_tests(source: ParsedFile) -> list[Test]:
    """The methods named `test_…`, and the blocks of `it`, `specify` and of Rails' `test`."""
    tests: list[Test] = []

    def visit(node: Node, outer: CaseStatus) -> Sequence[tuple[Node, CaseStatus]]:
        is_method = node.type == "method"
        if is_method and source.field(node, "name").startswith("test_"):
            status = _skipped(source, child_of_type(node, "body_statement"))
            tests.append(Test(source.field(node, "name"), line_of(node), status))
        elif node.type == "call" and _is_minitest(source, node):
            block = child_of_type(node, *_BLOCKS)
            body = block and child_of_type(block, "body_statement", "block_body")
            tests.append(_example(source, node, _skipped(source, body), block))
            return ()
        return () if is_method else below(node, outer)

    source.walk(source.root, CaseStatus.ACTIVE, visit)
    return tests


def _is_minitest(source: ParsedFile, call: Node) -> bool:
    if call.child_by_field_name("receiver") is not None:
        return False
    word = source.field(call, "method")
    return word in ("it", "specify") or (word == "test" and _titled(_arguments(call)))


def _plain(name: str) -> tuple[str, CaseStatus]:
    """The word for an example or a group without its prefix, and what the prefix says."""
    if name[:1] in _PREFIXES and name[1:] in _GROUPS | _EXAMPLES:
        return name[1:], _PREFIXES[name[0]]
    return name, _WORDS.get(name, CaseStatus.ACTIVE)


def _example(source: ParsedFile, node: Node, status: CaseStatus, block: Node | None) -> Test:
    if block is None and status is CaseStatus.ACTIVE:
        status = CaseStatus.TODO
    first = next(iter(_arguments(node)), None)
    name = "(anonymous)" if first is None else source.text(first).strip("'\"")
    return Test(name, line_of(node), status)


def _metadata(source: ParsedFile, arguments: list[Node]) -> CaseStatus:
    for argument in arguments:
        text = source.text(argument)
        if argument.type == "simple_symbol" and text in _METADATA:
            return _METADATA[text]
        if argument.type == "pair" and (found := _PAIR.match(text)):
            return _METADATA[f":{found[1]}"]
    return CaseStatus.ACTIVE


def _skipped(source: ParsedFile, body: Node | None) -> CaseStatus:
    """Skipped, if a statement of the body itself says so: what a condition skips may run."""
    said = any(_said(source, body)) if body else False
    return CaseStatus.SKIPPED if said else CaseStatus.ACTIVE


def _said(source: ParsedFile, body: Node) -> Iterator[bool]:
    for statement in body.named_children:
        if statement.type == "identifier":
            yield source.text(statement) == "skip"
        elif statement.type == "call":
            yield source.field(statement, "method") == "skip"


def _arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return [] if arguments is None else arguments.named_children


def _titled(arguments: list[Node]) -> bool:
    return bool(arguments) and arguments[0].type in _LITERALS
