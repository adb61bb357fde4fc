"""Tests of GoogleTest."""

from collections.abc import Sequence

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import Status, Test
from pipeline_defs.analysis.counting.syntax import Source, below, child_of_type, line_of

_MACROS = frozenset({"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"})
_OFF = "DISABLED_"


def gtest_tests(source: Source) -> list[Test]:
    """The bodies of GoogleTest's macros, named suite.test."""
    tests: list[Test] = []

    def visit(node: Node, _: None) -> Sequence[tuple[Node, None]]:
        names = _names(source, node) if node.type == "function_definition" else []
        if len(names) >= 2:
            is_off = any(name.startswith(_OFF) for name in names[:2]) or _skips(source, node)
            status = Status.SKIPPED if is_off else Status.ACTIVE
            tests.append(Test(".".join(names[:2]), line_of(node), status))
        # Without its preprocessor C++ is parsed in part only: the next test may seem to stand in this one.
        return below(node, None)

    source.walk(source.root, None, visit)
    return tests


def _names(source: Source, function: Node) -> list[str]:
    """Suite and test; empty if the function is no macro's."""
    declarator = child_of_type(function, "function_declarator")
    if declarator is None or source.field(declarator, "declarator") not in _MACROS:
        return []
    parameters = declarator.child_by_field_name("parameters")
    return [
        source.field(parameter, "type")
        for parameter in (parameters.named_children if parameters else ())
        if parameter.type == "parameter_declaration"
    ]


def _skips(source: Source, function: Node) -> bool:
    """Whether a statement of the body itself skips: what a condition skips may run."""
    body = function.child_by_field_name("body")
    return any(
        statement.type == "expression_statement"
        and source.text(statement).startswith("GTEST_SKIP(")
        for statement in (body.named_children if body else ())
    )
