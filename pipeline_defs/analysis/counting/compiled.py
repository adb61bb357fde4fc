"""Tests of C++, C#, Go, Rust and Swift."""

import re

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

_GTEST_MACROS = frozenset({"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"})
_GTEST_OFF = "DISABLED_"


def find_gtest_tests(source: ParsedFile) -> list[Test]:
    """Find the bodies of GoogleTest's macros, named suite.test."""

    def visit(node: Node, _: None) -> Found[None]:
        names = _read_gtest_names(source, node) if node.type == "function_definition" else []
        # Without its preprocessor C++ is parsed in part only: the next test may seem to stand in this one.
        inner = list_children(node, None)
        if len(names) < 2:
            return inner
        body = node.child_by_field_name("body")
        # Only a statement of the body itself: a skip under a condition does not count.
        is_off = any(name.startswith(_GTEST_OFF) for name in names[:2]) or any(
            statement.type == "expression_statement"
            and source.get_text(statement).startswith("GTEST_SKIP(")
            for statement in (body.named_children if body else ())
        )
        status = CaseStatus.SKIPPED if is_off else CaseStatus.ACTIVE
        return [Test(".".join(names[:2]), get_line(node), status), *inner]

    return source.find_tests(None, visit)


def find_macro_tests(source: ParsedFile, macro: str) -> list[Test]:
    """Find macros at the beginning of a line: the grammar does not know a macro with a body."""
    tests, line, counted_to = [], 1, 0
    for found in source.find_matches(re.compile(macro.encode(), re.MULTILINE)):
        line += source.count_lines(counted_to, found.start())
        counted_to = found.start()
        tags = found[2] or b""
        status = CaseStatus.ACTIVE
        if b"[." in tags or b"[!benchmark]" in tags:
            status = CaseStatus.SKIPPED
        elif b"[!shouldfail]" in tags or b"[!mayfail]" in tags:
            status = CaseStatus.XFAIL
        tests.append(Test(found[1].decode(errors="replace").strip(), line, status))
    return tests


def _read_gtest_names(source: ParsedFile, function: Node) -> list[str]:
    """Return suite and test; empty if the function is not a macro's."""
    declarator = find_child(function, "function_declarator")
    if declarator is None or source.get_field(declarator, "declarator") not in _GTEST_MACROS:
        return []
    parameters = declarator.child_by_field_name("parameters")
    return [
        source.get_field(parameter, "type")
        for parameter in (parameters.named_children if parameters else ())
        if parameter.type == "parameter_declaration"
    ]


_CSHARP_ENTERED = re.compile(
    r"compilation_unit|declaration_list|(?:file_scoped_)?namespace_declaration|preproc_\w+"
)
_CSHARP_CLASSES = frozenset({"class_declaration", "record_declaration", "struct_declaration"})
_DERIVED = re.compile(
    rb"\bclass[ \t]{1,8}(\w{1,80})Attribute\b[^:{;\n]{0,200}:\s{0,40}(?:\w{1,40}\.){0,6}"
    rb"\w{0,40}(?:TestMethod|Fact|Theory|Test)(?:Attribute)?\b"
)


def find_derived_attributes(content: bytes) -> set[str]:
    """Return the names of test attributes that the file derives from a framework's."""
    if b"Attribute" not in content:
        return set()
    return {found[1].decode() for found in _DERIVED.finditer(content)}


def find_attributed_tests(source: ParsedFile, rules: MarkRules) -> list[Test]:
    """Find the methods with a test's attribute; one test for each attribute of a case."""

    def visit(node: Node, outer: CaseStatus) -> Found[CaseStatus]:
        if node.type in _CSHARP_CLASSES:
            status = combine_statuses(
                outer, _read_csharp_status(_list_attributes(source, node), rules)
            )
            return list_children(node, status)
        if node.type != "method_declaration":
            return list_children(node, outer) if _CSHARP_ENTERED.fullmatch(node.type) else ()
        attributes = _list_attributes(source, node)
        status = combine_statuses(outer, _read_csharp_status(attributes, rules))
        names = [name for name, _ in attributes]
        is_test = any(re.fullmatch(rules.test, name) or name in source.derived for name in names)
        test = Test(source.get_field(node, "name"), get_line(node), status)
        return [test] * (names.count(rules.case) or int(is_test))

    return source.find_tests(CaseStatus.ACTIVE, visit)


def _read_csharp_status(attributes: list[tuple[str, str]], rules: MarkRules) -> CaseStatus:
    for name, text in attributes:
        if name in rules.skip or (rules.skip_argument and re.search(rules.skip_argument, text)):
            return CaseStatus.SKIPPED
    return CaseStatus.ACTIVE


def _list_attributes(source: ParsedFile, node: Node) -> list[tuple[str, str]]:
    """Return the simple names of a declaration's attributes, each with its text."""
    found = []
    for written in node.named_children:
        attributes = written.named_children if written.type == "attribute_list" else ()
        for attribute in attributes:
            if attribute.type == "attribute":
                name = source.get_field(attribute, "name").partition("<")[0].rpartition(".")[2]
                found.append((name.removesuffix("Attribute"), source.get_text(attribute)))
    return found


_GO_KIND = re.compile(r"(Test|Benchmark|Fuzz|Example)(?![a-z])")
_GO_PARAMETER = {"Test": "testing.T", "Benchmark": "testing.B", "Fuzz": "testing.F"}
_GO_LITERALS = ("interpreted_string_literal", "raw_string_literal")
_GO_SKIPS = frozenset({"Skip", "Skipf", "SkipNow"})


def find_go_tests(source: ParsedFile) -> list[Test]:
    """Find tests, benchmarks, fuzz tests and examples; a test with named subtests counts as its subtests."""
    tests: list[Test] = []
    for function in source.root.named_children:
        kind = _find_go_kind(source, function) if function.type == "function_declaration" else None
        if kind is None:
            continue
        name = source.get_field(function, "name")
        body = function.child_by_field_name("body")
        status = _read_go_status(source, body)
        subtests = _find_go_subtests(source, body, status) if kind == "Test" and body else []
        tests += subtests or [Test(name, get_line(function), status)]
    return tests


def _find_go_kind(source: ParsedFile, function: Node) -> str | None:
    found = _GO_KIND.match(source.get_field(function, "name"))
    if found is None:
        return None
    parameters = function.child_by_field_name("parameters")
    declared = [] if parameters is None else parameters.named_children
    types = [source.get_field(parameter, "type") for parameter in declared]
    wanted = [f"*{_GO_PARAMETER[found[1]]}"] if found[1] in _GO_PARAMETER else []
    return found[1] if types == wanted else None


def _find_go_subtests(source: ParsedFile, body: Node, outer: CaseStatus) -> list[Test]:
    def visit(node: Node, status: CaseStatus) -> Found[CaseStatus]:
        if node.type != "call_expression" or _get_go_method(source, node) != "Run":
            return list_children(node, status)
        arguments = node.child_by_field_name("arguments")
        name = arguments and find_child(arguments, *_GO_LITERALS)
        if not arguments or not name:
            return list_children(node, status)
        function = find_child(arguments, "func_literal")
        own = _read_go_status(source, function and function.child_by_field_name("body"))
        test = Test(source.get_text(name)[1:-1], get_line(node), combine_statuses(status, own))
        return [test, *list_children(node, test.status)]

    return source.find_tests(outer, visit, body)


def _read_go_status(source: ParsedFile, body: Node | None) -> CaseStatus:
    """Return skipped if a statement of the body itself skips; a skip under a condition does not count."""
    statements = body and find_child(body, "statement_list")
    for statement in statements.named_children if statements else ():
        call = find_child(statement, "call_expression")
        if (
            statement.type == "expression_statement"
            and call
            and _get_go_method(source, call) in _GO_SKIPS
        ):
            return CaseStatus.SKIPPED
    return CaseStatus.ACTIVE


def _get_go_method(source: ParsedFile, call: Node) -> str:
    function = call.child_by_field_name("function")
    if function is None or function.type != "selector_expression":
        return ""
    return source.get_field(function, "field")


_RUST_TEST = re.compile(r"#!?\[\s{0,8}(?:[\w:]{1,60}::)?(?:test|rstest|test_case|\w{1,40}_test)\b")
_RUST_IGNORE = re.compile(r"#\[\s{0,8}ignore\b")
_MADE_BY_MACRO = re.compile(r"#\s{0,8}\[\s{0,8}(?:\w{1,40}::)?test\s{0,8}\]")
_MAX_MACRO = 100_000
_RUST_COMMENTS = frozenset({"line_comment", "block_comment"})


def find_cargo_tests(source: ParsedFile) -> list[Test]:
    """Find the functions with `#[test]` and similar, and the calls of macros that make a test."""
    makers: set[str] = set()

    def visit(node: Node, attributes: str) -> Found[str]:
        if node.type == "function_item":
            status = CaseStatus.SKIPPED if _RUST_IGNORE.search(attributes) else CaseStatus.ACTIVE
            test = Test(source.get_field(node, "name"), get_line(node), status)
            return [test] if _RUST_TEST.search(attributes) else ()
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
        elif child.type not in _RUST_COMMENTS:
            found.append((child, written))
            written = ""
    return found


_XCTEST_METHOD = re.compile(r"test(?:[A-Z0-9_]|$)")
_SWIFT_OFF = re.compile(r"\.disabled\b(?!\(\s{0,8}if:)")
_SWIFT_SKIPS = re.compile(r"throw\s{1,8}XCTSkip\b")
_XCTEST_EXPECTED = re.compile(r"XCTExpectFailure\b")
_SWIFT_ENTERED = frozenset({"source_file", "class_body", "enum_class_body"})


def find_xctest_tests(source: ParsedFile) -> list[Test]:
    """Find the methods `test…` of the test cases."""

    def visit(node: Node, in_case: bool) -> Found[bool]:
        if node.type == "class_declaration":
            bases = (each for each in node.named_children if each.type == "inheritance_specifier")
            is_case = any(source.get_text(base).endswith("TestCase") for base in bases)
            return list_children(node, is_case)
        if node.type == "function_declaration":
            name = source.get_field(node, "name")
            is_test = in_case and _XCTEST_METHOD.match(name)
            return [Test(name, get_line(node), _read_swift_status(source, node))] if is_test else ()
        return list_children(node, in_case) if node.type in _SWIFT_ENTERED else ()

    return source.find_tests(False, visit)


def find_swift_testing_tests(source: ParsedFile) -> list[Test]:
    """Find the functions with `@Test`, in a type or not."""

    def visit(node: Node, outer: CaseStatus) -> Found[CaseStatus]:
        if node.type == "class_declaration":
            return list_children(
                node, combine_statuses(outer, _read_trait(_read_modifiers(source, node)))
            )
        if node.type == "function_declaration":
            modifiers = _read_modifiers(source, node)
            status = combine_statuses(outer, _read_trait(modifiers))
            test = Test(source.get_field(node, "name"), get_line(node), status)
            return [test] if "@Test" in modifiers else ()
        return list_children(node, outer) if node.type in _SWIFT_ENTERED else ()

    return source.find_tests(CaseStatus.ACTIVE, visit)


def _read_modifiers(source: ParsedFile, node: Node) -> str:
    modifiers = find_child(node, "modifiers")
    return source.get_text(modifiers) if modifiers else ""


def _read_trait(modifiers: str) -> CaseStatus:
    return CaseStatus.SKIPPED if _SWIFT_OFF.search(modifiers) else CaseStatus.ACTIVE


def _read_swift_status(source: ParsedFile, function: Node) -> CaseStatus:
    """Return the status that a statement of the body itself sets; a skip under a condition does not count."""
    body = function.child_by_field_name("body")
    statements = body and find_child(body, "statements")
    for statement in statements.named_children if statements else ():
        text = source.get_text(statement)
        if _SWIFT_SKIPS.match(text):
            return CaseStatus.SKIPPED
        if _XCTEST_EXPECTED.match(text):
            return CaseStatus.XFAIL
    return CaseStatus.ACTIVE
