"""Detect the test framework of a file from its imports, name, folder and text."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain, islice

from pipeline_defs.analysis.counting.found import (
    SCRIPTS,
    CountedLanguage,
    Framework,
    is_named_as_test,
)
from pipeline_defs.analysis.counting.scopes import FrameworkScope

Pattern = re.Pattern[bytes]


@dataclass(frozen=True)
class Signs:
    """The signs of a framework: imports, a file name that no other framework uses, or words in the text.

    Every repetition in a pattern is bounded: sources are hostile, and a search has to take linear time.
    """

    framework: Framework
    languages: Collection[CountedLanguage]
    imports: Pattern | None = None
    name: re.Pattern[str] | None = None
    content: Pattern | None = None
    own: Pattern | None = None
    """Words that no other framework uses; they count as an import."""


def _compile(*alternatives: bytes) -> Pattern:
    return re.compile(b"|".join(alternatives), re.MULTILINE)


_OPEN = rb"[ \t]{0,8}\("
_JVM_LANGUAGES = (CountedLanguage.JAVA, CountedLanguage.KOTLIN)

SIGNS = (
    Signs(
        Framework.CYPRESS,
        SCRIPTS,
        imports=_compile(rb"cypress(?:/|$)"),
        name=re.compile(r"\.cy\.[jt]sx?$"),
        content=_compile(
            rb"\bcy\.(?:visit|get|contains|intercept|request|wait|fixture)" + _OPEN,
            rb"\bCypress\.(?:Commands\.add|env)" + _OPEN,
        ),
    ),
    Signs(Framework.PLAYWRIGHT, SCRIPTS, imports=_compile(rb"@playwright/test(?:/|$)")),
    Signs(
        Framework.VITEST,
        SCRIPTS,
        imports=_compile(rb"vitest(?:/|$)"),
        content=_compile(
            rb"\bbench(?:\.skip|\.only)?" + _OPEN,
            rb"\bvi\.(?:fn|mock|spyOn|useFakeTimers|clearAllMocks|resetAllMocks|restoreAllMocks)"
            + _OPEN,
            rb"\bvi\.(?:stubGlobal|stubEnv|hoisted|doMock|importActual|waitFor)" + _OPEN,
        ),
    ),
    Signs(
        Framework.JEST,
        SCRIPTS,
        imports=_compile(rb"@jest/|jest$"),
        content=_compile(
            rb"\bjest\.(?:fn|mock|spyOn|isolateModules|setTimeout|advanceTimersByTime)" + _OPEN,
            rb"\bjest\.(?:clear|reset|restore)(?:AllMocks|Modules)" + _OPEN,
            rb"\bjest\.(?:use(?:Fake|Real)|runAll|runOnlyPending)Timers" + _OPEN,
        ),
    ),
    Signs(
        Framework.MOCHA,
        SCRIPTS,
        imports=_compile(rb"mocha(?:/|$)"),
        content=_compile(
            rb"\bthis\.(?:timeout|slow|retries)" + _OPEN,
            rb"\bthis\.(?:skip\(\)|currentTest\b)",
            rb"\bmocha\.(?:setup|run)" + _OPEN,
            rb"\bsuite[ \t]{0,8}\([ \t]{0,8}['\"`]",
            rb"\bsuite(?:Setup|Teardown)" + _OPEN,
        ),
    ),
    Signs(Framework.NODE_TEST, SCRIPTS, imports=_compile(rb"node:test(?:/|$)")),
    Signs(Framework.BUN, SCRIPTS, imports=_compile(rb"bun:test$")),
    Signs(Framework.AVA, SCRIPTS, imports=_compile(rb"ava(?:/|$)")),
    Signs(
        Framework.DENO,
        SCRIPTS,
        imports=_compile(
            rb"(?:jsr:)?@std/testing(?:@[^/]{1,40})?(?:/|$)",
            rb"https://(?:deno\.land/std|jsr\.io/@std)[^'\"]{0,80}/testing/",
        ),
        own=_compile(rb"\bDeno\.test\b"),
    ),
    Signs(
        Framework.PYTEST,
        (CountedLanguage.PYTHON,),
        imports=_compile(rb"(?:import|from)[ \t]{1,8}pytest\b"),
        content=_compile(
            rb"@pytest\.(?:mark\.|fixture)", rb"\bpytest\.(?:raises|warns|param)" + _OPEN
        ),
    ),
    Signs(
        Framework.UNITTEST,
        (CountedLanguage.PYTHON,),
        imports=_compile(
            rb"import[ \t]{1,8}unittest[ \t]{0,8}(?:$|[\r#,;]|as\b)",
            rb"from[ \t]{1,8}unittest[ \t]{1,8}import[ \t]{1,8}(?!mock\b)",
        ),
        content=_compile(
            rb"\bunittest\.(?:TestCase|main" + _OPEN + b")",
            rb"@unittest\.(?:skip|expectedFailure)",
            rb"\bself\.assert\w{1,40}" + _OPEN,
        ),
    ),
    # Plain functions and asserts are pytest's; they need no import and no configuration.
    Signs(
        Framework.PYTEST,
        (CountedLanguage.PYTHON,),
        content=_compile(rb"^(?:async[ \t]{1,8})?def[ \t]{1,8}test_"),
    ),
    Signs(
        Framework.TESTNG,
        _JVM_LANGUAGES,
        imports=_compile(rb"org\.testng\."),
        content=_compile(
            rb"@(?:DataProvider|BeforeMethod|AfterMethod)\b", rb"@Test\([^)\n]{0,200}enabled\b"
        ),
    ),
    Signs(
        Framework.KOTEST,
        (CountedLanguage.KOTLIN,),
        imports=_compile(rb"io\.kotest\.core\.spec\b"),
    ),
    Signs(
        Framework.JUNIT4,
        _JVM_LANGUAGES,
        imports=_compile(rb"org\.junit\.(?:\*|(?:Test|Ignore|(?:Before|After)(?:Class)?)$)"),
    ),
    Signs(
        Framework.JUNIT5,
        _JVM_LANGUAGES,
        imports=_compile(rb"org\.junit\.jupiter\.", rb"kotlin\.test\.Test$"),
        content=_compile(
            rb"@Test[ \t]{0,8}(?:\(|\r?$)",
            rb"@(?:ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Nested|DisplayName)\b",
        ),
    ),
    Signs(
        Framework.JUNIT3,
        _JVM_LANGUAGES,
        imports=_compile(rb"junit\.framework\.(?:\*|TestCase$)"),
        content=_compile(rb"\bextends[ \t]{1,8}TestCase\b"),
    ),
    Signs(
        Framework.KOTEST,
        (CountedLanguage.KOTLIN,),
        content=_compile(
            rb":[ \t]{0,8}(?:Annotation|Behavior|Describe|Expect|Feature|Free|Fun|Should|String|Word)Spec"
            + _OPEN,
            rb"\bshould(?:Not)?Be\b",
            rb"\bshouldThrow<",
            rb"^import[ \t]{1,8}io\.kotest\.",
        ),
    ),
    Signs(
        Framework.MSTEST,
        (CountedLanguage.CSHARP,),
        imports=_compile(rb"Microsoft\.VisualStudio\.TestTools\.UnitTesting$"),
        content=_compile(rb"\[(?:\w{0,40}TestMethod|TestClass)\b", rb"\[(?:DataRow|DynamicData)\("),
    ),
    Signs(
        Framework.NUNIT,
        (CountedLanguage.CSHARP,),
        imports=_compile(rb"NUnit\.Framework$"),
        content=_compile(
            rb"\[(?:Test|TestFixture)\]", rb"\[(?:TestCase|TestCaseSource)\(", rb"\[Ignore\("
        ),
    ),
    Signs(
        Framework.XUNIT,
        (CountedLanguage.CSHARP,),
        imports=_compile(rb"Xunit$"),
        content=_compile(rb"\[(?:Fact|Theory)\]", rb"\[(?:InlineData|MemberData|ClassData)\("),
    ),
    Signs(
        Framework.MINITEST,
        (CountedLanguage.RUBY,),
        imports=_compile(rb"minitest(?:/|$)", rb"(?:[\w./-]{0,200}/)?(?:mini)?test_helper$"),
        own=_compile(
            rb"<[ \t]{0,8}(?:::)?Minitest::(?:Test|Spec)\b",
            rb"<[ \t]{0,8}(?:::)?(?:Active|Action)(?:Support|Job|Record|Model|Controller|Dispatch|Mailer|View"
            rb"|Cable)::\w{0,40}Test(?:Case)?\b",
            rb"<[ \t]{0,8}(?:ActionDispatch::)?(?:IntegrationTest|ApplicationSystemTestCase)\b",
        ),
    ),
    Signs(
        Framework.RSPEC,
        (CountedLanguage.RUBY,),
        imports=_compile(rb"rspec(?:/|$)", rb"rails_helper$"),
        own=_compile(rb"\bRSpec\.(?:describe|context|feature)\b"),
        content=_compile(
            rb"\bRSpec\.(?:describe|configure|context|shared_examples|shared_context)\b",
            rb"\bexpect[ \t]{0,8}\([^)\n]{0,200}\)[ \t]{0,8}\.(?:not_)?to\b",
            rb"\b(?:subject|let)[ \t]{0,8}[({:]",
            rb"\b(?:shared_examples|shared_context|include_examples)\b",
        ),
    ),
    Signs(
        Framework.MINITEST,
        (CountedLanguage.RUBY,),
        content=_compile(
            rb"<[ \t]{0,8}Minitest::(?:Test|Spec)\b",
            rb"\bdef[ \t]{1,8}test_",
            rb"\b(?:assert|assert_equal|refute)[ \t(]",
            rb"\.(?:must|wont)_\w",
            rb"\b(?:describe|it)[ \t]{1,8}['\"A-Z][^\n]{0,200}\bdo\b",
        ),
    ),
    Signs(
        Framework.PEST,
        (CountedLanguage.PHP,),
        imports=_compile(rb"Pest\\\\"),
        own=_compile(rb"^[ \t]{0,8}(?:it|test|todo|arch)[ \t]{0,4}\(\s{0,40}['\"]"),
    ),
    Signs(
        Framework.PHPUNIT,
        (CountedLanguage.PHP,),
        imports=_compile(rb"PHPUnit\\Framework\\TestCase\b"),
        content=_compile(
            rb"\bextends[ \t]{1,8}TestCase\b",
            rb"@test\b",
            rb"@dataProvider[ \t]",
            rb"#\[(?:Test\]|DataProvider\()",
            rb"\$this->(?:assert|expect)\w{1,60}\(",
        ),
    ),
    Signs(
        Framework.CARGO_TEST,
        (CountedLanguage.RUST,),
        content=_compile(
            rb"#\[(?:test|ignore|cfg\(test\))\]",
            rb"#\[(?:should_panic|rstest|test_case)\b",
            rb"#\[\w{1,40}::test\b",
            rb"test\w{0,40}![ \t]{0,8}\(",
        ),
    ),
    Signs(
        Framework.CATCH2,
        (CountedLanguage.CPP,),
        imports=_compile(rb"catch2/", rb"(?:[^/]{1,80}/){0,8}catch(?:_\w{1,40})?\.hpp$"),
    ),
    Signs(
        Framework.DOCTEST,
        (CountedLanguage.CPP,),
        imports=_compile(rb"(?:[^/]{1,80}/){0,8}doctest\.h(?:pp)?$"),
    ),
    Signs(
        Framework.BOOST_TEST,
        (CountedLanguage.CPP,),
        imports=_compile(rb"boost/test/"),
        content=_compile(rb"\bBOOST_(?:AUTO|FIXTURE|DATA|PARAM)_TEST_CASE" + _OPEN),
    ),
    Signs(
        Framework.GTEST,
        (CountedLanguage.CPP,),
        imports=_compile(rb"g(?:test|mock)/g(?:test|mock)"),
        content=_compile(
            rb"#[ \t]{0,8}include[ \t]{0,8}[<\"]gtest/gtest\.h",
            rb"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)" + _OPEN,
            rb"\bINSTANTIATE_TEST_SUITE_P" + _OPEN,
            rb"::testing::Test\b",
        ),
    ),
    Signs(
        Framework.CATCH2,
        (CountedLanguage.CPP,),
        content=_compile(
            rb"^[ \t]{0,8}(?:TEST_CASE|SCENARIO|TEST_CASE_METHOD|TEMPLATE_TEST_CASE)" + _OPEN
        ),
    ),
    Signs(
        Framework.SWIFT_TESTING,
        (CountedLanguage.SWIFT,),
        imports=_compile(rb"Testing$"),
        content=_compile(rb"@(?:Test|Suite)\b", rb"#(?:expect|require)\("),
    ),
    Signs(
        Framework.XCTEST,
        (CountedLanguage.SWIFT,),
        imports=_compile(rb"XCTest$"),
        content=_compile(
            rb":[ \t]{0,8}XCTestCase\b",
            rb"\bfunc[ \t]{1,8}test[A-Z]",
            rb"\bXCT(?:Assert|Fail\b|Expect|Skip\b)",
        ),
    ),
    Signs(Framework.GO_TESTING, (CountedLanguage.GO,), name=re.compile(r"_test\.go$")),
)
"""In the order of the search."""


_START = rb"^(?:\xef\xbb\xbf)?[ \t]{0,20}"
_JVM_IMPORT = rb"import[ \t]{1,8}(?:static[ \t]{1,8})?([\w.*]{1,300})"
_SCRIPT = rb"(?:\bfrom|\bimport|\brequire[ \t]{0,4}\()\s{0,40}['\"]([^'\"\n]{1,300})['\"]"
_IMPORTS: dict[CountedLanguage, Pattern] = {
    language: re.compile(pattern, re.MULTILINE)
    for language, pattern in {
        **dict.fromkeys(SCRIPTS, _SCRIPT),
        CountedLanguage.CPP: rb"^[ \t]{0,20}#[ \t]{0,8}include[ \t]{0,8}[<\"]([^>\"\n]{1,300})[>\"]",
        CountedLanguage.CSHARP: _START
        + rb"(?:global[ \t]{1,8})?using[ \t]{1,8}(?:static[ \t]{1,8})?([\w.]{1,300})[ \t]{0,8};",
        CountedLanguage.JAVA: _START + _JVM_IMPORT,
        CountedLanguage.KOTLIN: _START + _JVM_IMPORT,
        CountedLanguage.PHP: _START + rb"use[ \t]{1,8}(?:function[ \t]{1,8})?([\w\\]{1,300})",
        CountedLanguage.PYTHON: rb"^((?:import|from)[ \t][^\n]{1,300})",
        CountedLanguage.RUBY: _START
        + rb"require(?:_relative)?[ \t]{0,8}\(?['\"]([\w./-]{1,300})['\"]",
        CountedLanguage.SWIFT: _START + rb"(?:@\w{1,40}[ \t]{1,8})?import[ \t]{1,8}(\w{1,100})",
    }.items()
}


_HAVE_SEVERAL = frozenset(
    {
        *(
            CountedLanguage.CPP,
            CountedLanguage.CSHARP,
            CountedLanguage.JAVA,
            CountedLanguage.KOTLIN,
        ),
        *(CountedLanguage.PHP, CountedLanguage.RUBY, CountedLanguage.SWIFT),
    }
)
"""The languages whose frameworks declare tests in different ways, so that one file may have tests of several."""


def find_frameworks(
    path: str, language: CountedLanguage, content: bytes, scopes: tuple[FrameworkScope, ...]
) -> list[Framework]:
    """Return the frameworks of a file; empty if there is none.

    Imports decide first, then the file's name, the configuration of its folder, and words in its text. A file
    whose name is not a test's counts only if it imports its framework. Of several imports the first is the file's
    framework.
    """
    signs = [each for each in SIGNS if language in each.languages]
    imported = _find_imported(language, content, signs)
    if imported or not is_named_as_test(path):
        return imported if language in _HAVE_SEVERAL else imported[:1]
    known = {each.framework for each in signs}
    found = chain(
        (each.framework for each in signs if each.name and each.name.search(path)),
        (each.framework for each in scopes if each.framework in known and each.has_file(path)),
        (each.framework for each in signs if each.content and each.content.search(content)),
    )
    return list(islice(found, 1))


def _find_imported(
    language: CountedLanguage, content: bytes, signs: list[Signs]
) -> list[Framework]:
    """Return the frameworks that are imported, or whose unmistakable words occur."""
    pattern = _IMPORTS.get(language)
    names = set(pattern.findall(content)) if pattern else set()
    found: dict[Framework, None] = {}
    for each in signs:
        is_imported = each.imports is not None and any(map(each.imports.match, names))
        if is_imported or (each.own is not None and each.own.search(content)):
            found[each.framework] = None
    return list(found)
