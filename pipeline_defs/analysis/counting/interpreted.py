"""Tests of PHP, Python and Ruby."""

import re
from dataclasses import dataclass, replace

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, combine_statuses
from pipeline_defs.analysis.counting.syntax import (
    Found,
    ParsedFile,
    find_child,
    get_line,
    list_children,
)

_PHP_TEST_CASE = re.compile(r"(?:TestCase|Test)\s{0,8}$")
_PEST = {
    **dict.fromkeys(("it", "test", "arch"), CaseStatus.ACTIVE),
    "todo": CaseStatus.TODO,
}
_PEST_STATUSES = {"skip": CaseStatus.SKIPPED, "todo": CaseStatus.TODO, "only": CaseStatus.FOCUSED}
_PHP_STRINGS = frozenset({"string", "encapsed_string", "heredoc", "nowdoc"})
_PHPUNIT_ANNOTATED = re.compile(r"@test\b")
_PHPUNIT_ATTRIBUTED = re.compile(r"[\[,\s\\]Test\s{0,8}[\](,]")
_PHPUNIT_STATUSES = {"markTestSkipped": CaseStatus.SKIPPED, "markTestIncomplete": CaseStatus.TODO}
_MAX_COMMENT = 10_000
_PHP_ENTERED = frozenset({"program", "namespace_definition", "compound_statement", "if_statement"})


def find_phpunit_tests(source: ParsedFile) -> list[Test]:
    """Find the methods of test cases that are named `test…` or marked as tests."""

    def visit(node: Node, _: None) -> Found[None]:
        if node.type == "class_declaration":
            body = find_child(node, "declaration_list") if _is_phpunit_case(source, node) else None
            members = body.named_children if body else []
            return [
                Test(
                    source.get_field(member, "name"),
                    get_line(member),
                    _read_php_status(source, member),
                )
                for before, member in zip([None, *members], members, strict=False)
                if member.type == "method_declaration" and _is_phpunit_test(source, member, before)
            ]
        return list_children(node, None) if node.type in _PHP_ENTERED else ()

    return source.find_tests(None, visit)


def find_pest_tests(source: ParsedFile) -> list[Test]:
    """Find the named calls of `it`, `test`, `todo` and `arch`, except those within another test."""

    def visit(node: Node, outer: CaseStatus) -> Found[CaseStatus]:
        if node.type == "member_call_expression":
            status = combine_statuses(
                outer, _PEST_STATUSES.get(source.get_field(node, "name"), CaseStatus.ACTIVE)
            )
            inner = node.child_by_field_name("object")
            return [] if inner is None else [(inner, status)]
        if node.type != "function_call_expression":
            return list_children(node, outer)
        own = _PEST.get(source.get_field(node, "function"))
        name = _get_first_string(source, node)
        if own is None or name is None:
            return list_children(node, outer)
        return [Test(name, get_line(node), combine_statuses(outer, own))]

    return source.find_tests(CaseStatus.ACTIVE, visit)


def _get_first_string(source: ParsedFile, call: Node) -> str | None:
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments and arguments.named_children else None
    value = first.named_children[0] if first is not None and first.named_children else None
    if value is None or value.type not in _PHP_STRINGS:
        return None
    return source.get_text(value).strip("'\"")


def _is_phpunit_case(source: ParsedFile, node: Node) -> bool:
    """Return whether PHPUnit runs the class: not abstract, and named or derived as a test case."""
    base = find_child(node, "base_clause")
    if base is None or find_child(node, "abstract_modifier") is not None:
        return False
    named_as_test = source.get_field(node, "name").endswith("Test")
    return named_as_test or _PHP_TEST_CASE.search(source.get_text(base)) is not None


def _is_phpunit_test(source: ParsedFile, method: Node, before: Node | None) -> bool:
    visibility = find_child(method, "visibility_modifier")
    if visibility is not None and source.get_text(visibility).lower() != "public":
        return False
    if source.get_field(method, "name").startswith("test"):
        return True
    is_commented = before is not None and before.type == "comment"
    comment = source.get_text(before, _MAX_COMMENT) if before and is_commented else ""
    if comment.startswith("/**") and _PHPUNIT_ANNOTATED.search(comment):
        return True
    attributes = find_child(method, "attribute_list")
    return (
        attributes is not None
        and _PHPUNIT_ATTRIBUTED.search(source.get_text(attributes)) is not None
    )


def _read_php_status(source: ParsedFile, method: Node) -> CaseStatus:
    """Return the status that a statement of the body itself sets; a skip under a condition does not count."""
    body = method.child_by_field_name("body")
    for statement in body.named_children if body else ():
        call = find_child(statement, "member_call_expression", "scoped_call_expression")
        if call is not None and source.get_field(call, "name") in _PHPUNIT_STATUSES:
            return _PHPUNIT_STATUSES[source.get_field(call, "name")]
    return CaseStatus.ACTIVE


_PYTHON_ENTERED = frozenset(
    {
        "block",
        "module",
        "if_statement",
        "elif_clause",
        "else_clause",
        "try_statement",
        "except_clause",
        "finally_clause",
        "with_statement",
    }
)
_PYTHON_DECORATED = re.compile(
    r"@(?:\w+\.){0,3}(?:(skip|skipif|skipIf|skipUnless)|xfail|expectedFailure)\b"
)
_PYTHON_NO_TEST = re.compile(
    r"@(?:\w+\.){0,3}(?:(?:yield_)?fixture|property|cached_property|\w+\.(?:setter|deleter))\b"
)
_NOT_COLLECTED = re.compile(r"__test__\s{0,8}=\s{0,8}False\b")
_PYTHON_MARKED = re.compile(r"pytestmark\b.*?\bmark\.(?:(skip)|xfail\b)", re.DOTALL)
_PYTHON_TEST_CASE = re.compile(r"(?<!\w)(?:IsolatedAsyncio)?TestCase\b")


@dataclass(frozen=True)
class _PythonPlace:
    in_class: bool
    status: CaseStatus


def find_python_tests(source: ParsedFile, *, of_pytest: bool) -> list[Test]:
    """Find what begins with `test`: methods of test cases, and for pytest functions and other classes too."""

    def visit(node: Node, place: _PythonPlace) -> Found[_PythonPlace]:
        if node.type == "function_definition":
            name = source.get_field(node, "name")
            is_test = name.startswith("test") and (of_pytest or place.in_class)
            return [Test(name, get_line(node), place.status)] if is_test else ()
        if node.type == "class_definition":
            return enter_class(node, place)
        if node.type == "decorated_definition":
            children = node.named_children
            decorators = [source.get_text(each) for each in children if each.type == "decorator"]
            if any(map(_PYTHON_NO_TEST.match, decorators)):
                return ()
            status = combine_statuses(place.status, _match_status(_PYTHON_DECORATED, decorators))
            return list_children(node, replace(place, status=status))
        return list_children(node, place) if node.type in _PYTHON_ENTERED else ()

    def enter_class(node: Node, place: _PythonPlace) -> Found[_PythonPlace]:
        if not _is_python_test_class(source, node, of_pytest) or (place.in_class and not of_pytest):
            return ()
        body = node.child_by_field_name("body")
        if body is not None and _is_no_test(source, body):
            return ()
        if of_pytest and body is not None and _has_constructor(source, node, body):
            return ()
        marked = CaseStatus.ACTIVE if body is None else _read_marked_status(source, body)
        return list_children(
            node, _PythonPlace(in_class=True, status=combine_statuses(place.status, marked))
        )

    return source.find_tests(_PythonPlace(False, _read_marked_status(source, source.root)), visit)


def _is_python_test_class(source: ParsedFile, node: Node, of_pytest: bool) -> bool:
    name = source.get_field(node, "name")
    bases = source.get_field(node, "superclasses")
    if of_pytest:
        # A base of the project's own may be called anything; pytest asks what it inherits.
        return name.startswith("Test") or _PYTHON_TEST_CASE.search(bases) is not None
    return "TestCase" in bases or name.startswith("Test") or name.endswith("Test")


def _is_no_test(source: ParsedFile, body: Node) -> bool:
    """Return whether the class sets `__test__ = False`."""
    statements = (child for child in body.named_children if child.type == "expression_statement")
    return any(_NOT_COLLECTED.match(source.get_text(each)) for each in statements)


def _has_constructor(source: ParsedFile, node: Node, body: Node) -> bool:
    """Return whether a constructor keeps pytest from collecting the class; unittest's cases may have one."""
    if _PYTHON_TEST_CASE.search(source.get_field(node, "superclasses")) is not None:
        return False
    functions = (child for child in body.named_children if child.type == "function_definition")
    return any(source.get_field(each, "name") in ("__init__", "__new__") for each in functions)


def _read_marked_status(source: ParsedFile, body: Node) -> CaseStatus:
    """Return the status that a module or class sets for all its tests by `pytestmark`."""
    statements = [child for child in body.named_children if child.type == "expression_statement"]
    return _match_status(_PYTHON_MARKED, [source.get_text(statement) for statement in statements])


def _match_status(pattern: re.Pattern[str], texts: list[str]) -> CaseStatus:
    for text in texts:
        if found := pattern.match(text):
            return CaseStatus.SKIPPED if found[1] else CaseStatus.XFAIL
    return CaseStatus.ACTIVE


_RUBY_GROUPS = frozenset({"describe", "context"})
_RUBY_EXAMPLES = frozenset({"it", "specify", "example"})
_RUBY_HOOKS = frozenset({"after", "around", "before"})
_RUBY_PREFIXES = {"x": CaseStatus.SKIPPED, "f": CaseStatus.FOCUSED}
_RUBY_WORDS = {"skip": CaseStatus.SKIPPED, "pending": CaseStatus.XFAIL}
_RUBY_METADATA = {
    **{f":{word}": status for word, status in _RUBY_WORDS.items()},
    ":focus": CaseStatus.FOCUSED,
}
_RUBY_PAIR = re.compile(r":?(skip|pending|focus)(?::|\s{0,8}=>)\s{0,8}(?!nil|false)")
_RUBY_BLOCKS = ("do_block", "block")
_RUBY_LITERALS = frozenset({"string", "simple_symbol", "delimited_symbol"})


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
        block = find_child(node, *_RUBY_BLOCKS)
        if word in _RUBY_EXAMPLES or (word in _RUBY_WORDS and _has_title(arguments)):
            return [_make_example(source, node, status, block)]
        if block is None or word in _RUBY_HOOKS:
            return ()
        return [(block, status if word in _RUBY_GROUPS else outer)]

    return source.find_tests(CaseStatus.ACTIVE, visit)


def find_minitest_tests(source: ParsedFile) -> list[Test]:
    """Find the methods `test_…`, and the blocks of `it`, `specify` and Rails' `test`."""

    def visit(node: Node, outer: CaseStatus) -> Found[CaseStatus]:
        if node.type == "method":
            name = source.get_field(node, "name")
            status = _read_ruby_status(source, find_child(node, "body_statement"))
            return [Test(name, get_line(node), status)] if name.startswith("test_") else ()
        if node.type == "call" and node.child_by_field_name("receiver") is None:
            word = source.get_field(node, "method")
            is_test = word == "test" and _has_title(_list_arguments(node))
            if not is_test and word not in ("it", "specify"):
                return list_children(node, outer)
            block = find_child(node, *_RUBY_BLOCKS)
            body = block and find_child(block, "body_statement", "block_body")
            return [_make_example(source, node, _read_ruby_status(source, body), block)]
        return list_children(node, outer)

    return source.find_tests(CaseStatus.ACTIVE, visit)


def _split_prefix(name: str) -> tuple[str, CaseStatus]:
    """Return the name of an example or group without its prefix, and the status of the prefix."""
    if name[:1] in _RUBY_PREFIXES and name[1:] in _RUBY_GROUPS | _RUBY_EXAMPLES:
        return name[1:], _RUBY_PREFIXES[name[0]]
    return name, _RUBY_WORDS.get(name, CaseStatus.ACTIVE)


def _make_example(source: ParsedFile, node: Node, status: CaseStatus, block: Node | None) -> Test:
    if block is None and status is CaseStatus.ACTIVE:
        status = CaseStatus.TODO
    first = next(iter(_list_arguments(node)), None)
    name = "(anonymous)" if first is None else source.get_text(first).strip("'\"")
    return Test(name, get_line(node), status)


def _read_metadata(source: ParsedFile, arguments: list[Node]) -> CaseStatus:
    for argument in arguments:
        text = source.get_text(argument)
        if argument.type == "simple_symbol" and text in _RUBY_METADATA:
            return _RUBY_METADATA[text]
        if argument.type == "pair" and (found := _RUBY_PAIR.match(text)):
            return _RUBY_METADATA[f":{found[1]}"]
    return CaseStatus.ACTIVE


def _read_ruby_status(source: ParsedFile, body: Node | None) -> CaseStatus:
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
    return bool(arguments) and arguments[0].type in _RUBY_LITERALS
