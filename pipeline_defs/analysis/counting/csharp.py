"""Tests of NUnit, xUnit and MSTest."""

import re
from dataclasses import dataclass
from functools import partial

from tree_sitter import Node

from pipeline_defs.analysis.counting.found import CaseStatus, Test, combine_statuses
from pipeline_defs.analysis.counting.syntax import Found, ParsedFile, get_line, list_children

_ENTERED = re.compile(
    r"compilation_unit|declaration_list|(?:file_scoped_)?namespace_declaration|preproc_\w+"
)
_CLASSES = frozenset({"class_declaration", "record_declaration", "struct_declaration"})
_DERIVED = re.compile(
    rb"\bclass[ \t]{1,8}(\w{1,80})Attribute\b[^:{;\n]{0,200}:\s{0,40}(?:\w{1,40}\.){0,6}"
    rb"\w{0,40}(?:TestMethod|Fact|Theory|Test)(?:Attribute)?\b"
)
_SKIP = re.compile(r"\bSkip\s{0,8}=")


@dataclass(frozen=True)
class _CSharpRules:
    """The attributes of a framework that mark a test, one of its cases, and a skipped test."""

    test: re.Pattern[str]
    case: str
    skip: frozenset[str]


_NUNIT = _CSharpRules(
    re.compile(r"Test|Theory|TestCaseSource"), "TestCase", frozenset({"Ignore", "Explicit"})
)
_XUNIT = _CSharpRules(re.compile(r"\w*(?:Fact|Theory)"), "InlineData", frozenset({"Skip"}))
_MSTEST = _CSharpRules(re.compile(r"\w*TestMethod"), "DataRow", frozenset({"Ignore"}))


def find_derived_attributes(content: bytes) -> set[str]:
    """Return the names of test attributes that the file derives from a framework's."""
    if b"Attribute" not in content:
        return set()
    return {found[1].decode() for found in _DERIVED.finditer(content)}


def _find_tests(source: ParsedFile, rules: _CSharpRules) -> list[Test]:
    def visit(node: Node, outer: CaseStatus) -> Found[CaseStatus]:
        if node.type in _CLASSES:
            status = combine_statuses(outer, _read_status(_list_attributes(source, node), rules))
            return list_children(node, status)
        if node.type != "method_declaration":
            return list_children(node, outer) if _ENTERED.fullmatch(node.type) else ()
        attributes = _list_attributes(source, node)
        status = combine_statuses(outer, _read_status(attributes, rules))
        names = [name for name, _ in attributes]
        is_test = any(rules.test.fullmatch(name) or name in source.derived for name in names)
        test = Test(source.get_field(node, "name"), get_line(node), status)
        return [test] * (names.count(rules.case) or int(is_test))

    return source.find_tests(CaseStatus.ACTIVE, visit)


def _read_status(attributes: list[tuple[str, str]], rules: _CSharpRules) -> CaseStatus:
    for name, text in attributes:
        if name in rules.skip or (rules is _XUNIT and _SKIP.search(text)):
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


find_nunit_tests = partial(_find_tests, rules=_NUNIT)
"""Find the methods with `[Test]` and similar; one test for each `[TestCase]`."""
find_xunit_tests = partial(_find_tests, rules=_XUNIT)
"""Find the methods with `[Fact]` or `[Theory]`; one test for each `[InlineData]`."""
find_mstest_tests = partial(_find_tests, rules=_MSTEST)
"""Find the methods with `[TestMethod]`; one test for each `[DataRow]`."""
