"""Find files that look like tests of a framework whose tests are not counted."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from pipeline_defs.analysis.counting.found import (
    SCRIPTS,
    CountedLanguage,
    find_language,
    is_skipped,
)

_UNKNOWN = "unknown framework"
_IN_TESTS = r"(?:^|/)(?:[Tt]ests?|[Ss]pecs?|t)/"


@cache
def _compile_words(pattern: bytes) -> re.Pattern[bytes]:
    # Compiled for the first file of the language: compiling all takes as long as many files.
    return re.compile(pattern, re.MULTILINE)


@cache
def _compile_name(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_Signs = Sequence[tuple[str, bytes]]
_BY_WORDS: Mapping[CountedLanguage, _Signs] = {
    CountedLanguage.CPP: (
        ("CppUnit", rb"\bCPPUNIT_TEST(?:_SUITE)?\b"),
        ("Qt Test", rb"\bQTEST_(?:\w{0,20}_)?MAIN\b|<QtTest"),
        ("CppUTest", rb"CppUTest/"),
        ("Boost.Test", rb"\bBOOST_(?:CHECK|REQUIRE|TEST)\w{0,20}\("),
        (_UNKNOWN, rb"^[ \t]{0,8}(?:TEST|TEST_CASE|SUITE|UNIT_TEST)\w{0,20}[ \t]{0,8}\("),
    ),
    CountedLanguage.CSHARP: (
        ("Machine.Specifications", rb"using Machine\.Specifications"),
        ("TUnit", rb"using TUnit"),
        ("SpecFlow", rb"using (?:TechTalk\.SpecFlow|Reqnroll)"),
        ("FsCheck", rb"\[Property\b"),
        (_UNKNOWN, rb"^[ \t]{0,40}\[\w{0,40}(?:Test|Fact|Theory)(?:Method|Case)?(?:\]|\()"),
    ),
    CountedLanguage.GO: (
        ("Ginkgo", rb"onsi/ginkgo"),
        ("GoConvey", rb"smartystreets/goconvey"),
        ("gocheck", rb"gopkg\.in/check\.v1|launchpad\.net/gocheck"),
        ("testify suite", rb"stretchr/testify/suite"),
        ("Godog", rb"cucumber/godog"),
    ),
    CountedLanguage.JAVA: (
        ("Cucumber", rb"import (?:io\.)?cucumber\."),
        ("jqwik", rb"import net\.jqwik\."),
        ("JMH", rb"import org\.openjdk\.jmh\."),
        (_UNKNOWN, rb"^[ \t]{0,40}@\w{0,40}Test\b"),
    ),
    CountedLanguage.KOTLIN: (
        ("Spek", rb"import org\.(?:spekframework|jetbrains\.spek)"),
        ("Cucumber", rb"import (?:io\.)?cucumber\."),
        (_UNKNOWN, rb"^[ \t]{0,40}@\w{0,40}Test\b"),
    ),
    CountedLanguage.PHP: (
        ("Codeception", rb"\bCodeception\\|class \w{1,80}Ce(?:st|pt)\b"),
        ("phpspec", rb"extends ObjectBehavior\b|\bPhpSpec\\"),
        ("Behat", rb"\bBehat\\"),
        ("Nette Tester", rb"\bTester\\"),
        ("Kahlan", rb"\bKahlan\\|^[ \t]{0,8}describe[ \t]{0,4}\("),
        ("atoum", rb"\batoum\b"),
        ("PHPT", rb"\A--TEST--"),
        (_UNKNOWN, rb"\bfunction[ \t]{1,8}test[A-Z_]"),
    ),
    CountedLanguage.PYTHON: (
        ("behave", rb"^from behave import|^import behave\b"),
        ("pytest-bdd", rb"\bpytest_bdd\b"),
        ("Ward", rb"^from ward import"),
        ("Robot Framework", rb"\brobot\.api\b"),
        ("nose", rb"^(?:import|from) nose2?\b"),
        ("Twisted Trial", rb"\btwisted\.trial\b"),
        (_UNKNOWN, rb"^[ \t]{0,40}(?:async[ \t]{1,8})?def[ \t]{1,8}test_?\w"),
    ),
    CountedLanguage.RUBY: (
        ("Cucumber", rb"^(?:Given|When|Then)[ \t(]{1,4}[/'\"(]"),
        ("test-unit", rb"Test::Unit::TestCase"),
        ("Bacon", rb"require ['\"]bacon"),
        (_UNKNOWN, rb"^[ \t]{0,40}(?:describe|context|it|test|should|scenario)[ \t(]{1,4}['\"]"),
    ),
    CountedLanguage.RUST: (
        ("Criterion", rb"\bcriterion_(?:group|main)!"),
        ("cucumber", rb"\bcucumber::"),
    ),
    CountedLanguage.SWIFT: (("Quick", rb"\bQuickSpec\b|^import Quick\b"),),
}
_OF_SCRIPTS: _Signs = (
    ("QUnit", rb"\bQUnit\.(?:test|module|skip|todo)\b|['\"]qunit['\"]"),
    ("tape", rb"['\"](?:blue-|@\w{1,40}/)?tape['\"]"),
    ("tap", rb"['\"](?:tap|@tapjs/[\w-]{1,40})['\"]"),
    ("uvu", rb"['\"]uvu(?:/\w{1,40})?['\"]"),
    ("Japa", rb"['\"]@?japa(?:/[\w-]{1,40})?['\"]"),
    ("lab", rb"['\"]@hapi/lab['\"]"),
    ("Jasmine", rb"\bjasmine\.|['\"]jasmine[\w-]{0,40}['\"]"),
    ("TestCafe", rb"['\"]testcafe['\"]|^fixture[ \t]{0,4}[`(]"),
    ("Nightwatch", rb"\bbrowser\.url\(|['\"]nightwatch['\"]"),
    ("WebdriverIO", rb"['\"]@wdio/"),
    ("Cucumber", rb"['\"]@?cucumber(?:/cucumber)?['\"]"),
    ("vows", rb"['\"]vows['\"]"),
    (
        _UNKNOWN,
        rb"^[ \t]{0,40}(?:describe|it|test|suite|fdescribe|xdescribe)(?:\.\w{1,20}){0,2}[ \t]{0,4}\(",
    ),
)
_BY_NAME: Mapping[str, tuple[str, str]] = {
    suffix: (name, pattern)
    for suffixes, name, pattern in (
        (".exs", "ExUnit", r"_test\.exs$"),
        (".feature", "Cucumber", r""),
        (".robot .resource", "Robot Framework", r"\.robot$"),
        (".bats", "Bats", r""),
        (".groovy", "Spock", rf"(?:Spec|Test|Tests)\.groovy$|(?:^|/)src/test/|{_IN_TESTS}"),
        (
            ".scala .sc",
            "ScalaTest or specs2",
            rf"(?:Spec|Test|Tests|Suite)\.scala$|(?:^|/)src/test/|{_IN_TESTS}",
        ),
        (".clj .cljs .cljc", "clojure.test", rf"_test\.clj[cs]?$|{_IN_TESTS}"),
        (".hs .lhs", "Hspec or HUnit", rf"(?:Spec|Test|Tests)\.l?hs$|{_IN_TESTS}"),
        (".lua", "Busted", rf"(?:_spec|_test)\.lua$|{_IN_TESTS}"),
        (".dart", "package:test", r"_test\.dart$"),
        (".r", "testthat", r"(?:^|/)(?:tests?|inst/tinytest)/(?:.*/)?test[-_.]?[^/]*\.[rR]$"),
        (".jl", "Test (Julia)", r"(?:^|/)tests?/"),
        (".t", "Test::More", r"(?:^|/)x?t/"),
        (".raku .rakutest .p6", "Test (Raku)", rf"\.rakutest$|{_IN_TESTS}"),
        (".erl", "EUnit or Common Test", r"(?:_SUITE|_tests?)\.erl$"),
        (".m .mm", "XCTest (Objective-C)", r"(?:Tests?|Spec)\.mm?$"),
        (".fs .fsx", "tests in F#", rf"Tests?\.fsx?$|{_IN_TESTS}"),
        (".vb", "tests in Visual Basic", rf"Tests?\.vb$|{_IN_TESTS}"),
        (".ps1", "Pester", r"\.[Tt]ests\.ps1$"),
        (".sol", "Foundry", r"\.t\.sol$"),
        (".nim", "unittest (Nim)", r"(?:^|/)tests/t"),
        (".ml .re", "Alcotest or OUnit", rf"(?:^|/)test_[^/]*\.(?:ml|re)$|{_IN_TESTS}"),
        (
            ".c",
            "tests in C",
            r"(?:^|/)test_[^/]*\.c$|_(?:unit)?tests?\.c$|(?:^|/)tests?/(?:.*/)?[^/]*test[^/]*\.c$",
        ),
        (".pas .pp .dpr", "DUnit", r"(?i:tests?)\.(?:pas|pp|dpr)$"),
        (
            ".coffee .litcoffee",
            "tests in CoffeeScript",
            rf"[.-_](?:spec|test)\.(?:lit)?coffee$|{_IN_TESTS}",
        ),
        (".elm", "elm-test", r"(?:^|/)tests/"),
        (".cr", "Spec (Crystal)", r"_spec\.cr$"),
        (".d", "unittest (D)", r"(?:^|/)tests?/"),
        (".gd", "GUT", r"(?:^|/)test_[^/]*\.gd$"),
        (".phpt", "PHPT", r""),
        (".rkt", "RackUnit", r"(?:test|tests)\.rkt$"),
        (
            ".sh .bash",
            "tests in shell",
            r"(?:^|[/_.-])(?:test|spec)\.(?:sh|bash)$|(?:^|/)test_[^/]*\.(?:sh|bash)$|_test\.(?:sh|bash)$|_spec\.sh$",
        ),
        (".vue .svelte", "component tests", r"\.(?:test|spec|cy)\.(?:vue|svelte)$"),
    )
    for suffix in suffixes.split()
}
_ZIG = rb'^test(?:[ \t]{1,8}["\w]|[ \t]{0,8}\{)'
_CTEST = rb"^[ \t]{0,20}(?i:add_test)[ \t]{0,8}\("
_BENCHES = r"(?:^|/)benches/"


def find_uncounted_by_name(path: str, content: bytes) -> str | None:
    """Return the framework of a test file in a language without counted tests; None if it is no test."""
    suffix = path[path.rfind(".") :].lower()
    found = _BY_NAME.get(suffix)
    name: str | None = None
    if found is not None:
        name = found[0] if _compile_name(found[1]).search(path) else None
    elif suffix == ".zig":
        name = "tests in Zig" if _compile_words(_ZIG).search(content) else None
    elif suffix == ".txt" and path.endswith("CMakeLists.txt"):
        name = "CTest" if _compile_words(_CTEST).search(content) else None
    elif suffix == ".rs" and _compile_name(_BENCHES).search(path):
        name = find_uncounted_by_words(path, content)
    return None if name is None or is_skipped(path) else name


def find_uncounted_by_words(path: str, content: bytes) -> str | None:
    """Return the framework that a file without counted tests looks like, in a counted language."""
    language = find_language(path)
    if language is None:
        return None
    signs = _OF_SCRIPTS if language in SCRIPTS else _BY_WORDS[language]
    return next((name for name, pattern in signs if _compile_words(pattern).search(content)), None)
