"""Which framework the tests in a file are written for, and what in a file shows it."""

import re
from collections.abc import Collection
from dataclasses import dataclass

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
    """What shows a framework: what is imported, a name that no other framework uses, or words in the text.

    Every repetition in a pattern is bounded: sources are hostile, and a search has to take linear time.
    """

    framework: Framework
    languages: Collection[CountedLanguage]
    imports: Pattern | None = None
    name: re.Pattern[str] | None = None
    content: Pattern | None = None
    own: Pattern | None = None
    """Words that no other framework has: they count as an import does."""


def _any(*alternatives: bytes) -> Pattern:
    return re.compile(b"|".join(alternatives), re.MULTILINE)


_OPEN = rb"[ \t]{0,8}\("
_JVM_LANGUAGES = (CountedLanguage.JAVA, CountedLanguage.KOTLIN)

SIGNS = (
    Signs(
        Framework.CYPRESS,
        SCRIPTS,
        imports=_any(rb"cypress(?:/|$)"),
        name=re.compile(r"\.cy\.[jt]sx?$"),
        content=_any(
            rb"\bcy\.(?:visit|get|contains|intercept|request|wait|fixture)" + _OPEN,
            rb"\bCypress\.(?:Commands\.add|env)" + _OPEN,
        ),
    ),
    Signs(Framework.PLAYWRIGHT, SCRIPTS, imports=_any(rb"@playwright/test(?:/|$)")),
    Signs(
        Framework.VITEST,
        SCRIPTS,
        imports=_any(rb"vitest(?:/|$)"),
        content=_any(
            rb"\bbench(?:\.skip|\.only)?" + _OPEN,
            rb"\bvi\.(?:fn|mock|spyOn|useFakeTimers|clearAllMocks|resetAllMocks|restoreAllMocks)"
            + _OPEN,
            rb"\bvi\.(?:stubGlobal|stubEnv|hoisted|doMock|importActual|waitFor)" + _OPEN,
        ),
    ),
    Signs(
        Framework.JEST,
        SCRIPTS,
        imports=_any(rb"@jest/|jest$"),
        content=_any(
            rb"\bjest\.(?:fn|mock|spyOn|isolateModules|setTimeout|advanceTimersByTime)" + _OPEN,
            rb"\bjest\.(?:clear|reset|restore)(?:AllMocks|Modules)" + _OPEN,
            rb"\bjest\.(?:use(?:Fake|Real)|runAll|runOnlyPending)Timers" + _OPEN,
        ),
    ),
    Signs(
        Framework.MOCHA,
        SCRIPTS,
        imports=_any(rb"mocha(?:/|$)"),
        content=_any(
            rb"\bthis\.(?:timeout|slow|retries)" + _OPEN,
            rb"\bthis\.(?:skip\(\)|currentTest\b)",
            rb"\bmocha\.(?:setup|run)" + _OPEN,
            rb"\bsuite[ \t]{0,8}\([ \t]{0,8}['\"`]",
            rb"\bsuite(?:Setup|Teardown)" + _OPEN,
        ),
    ),
    Signs(Framework.NODE_TEST, SCRIPTS, imports=_any(rb"node:test(?:/|$)")),
    Signs(Framework.BUN, SCRIPTS, imports=_any(rb"bun:test$")),
    Signs(Framework.AVA, SCRIPTS, imports=_any(rb"ava(?:/|$)")),
    Signs(
        Framework.DENO,
        SCRIPTS,
        imports=_any(
            rb"(?:jsr:)?@std/testing(?:@[^/]{1,40})?(?:/|$)",
            rb"https://(?:deno\.land/std|jsr\.io/@std)[^'\"]{0,80}/testing/",
        ),
        own=_any(rb"\bDeno\.test\b"),
    ),
    Signs(
        Framework.PYTEST,
        (CountedLanguage.PYTHON,),
        imports=_any(rb"(?:import|from)[ \t]{1,8}pytest\b"),
        content=_any(rb"@pytest\.(?:mark\.|fixture)", rb"\bpytest\.(?:raises|warns|param)" + _OPEN),
    ),
    Signs(
        Framework.UNITTEST,
        (CountedLanguage.PYTHON,),
        imports=_any(
            rb"import[ \t]{1,8}unittest[ \t]{0,8}(?:$|[\r#,;]|as\b)",
            rb"from[ \t]{1,8}unittest[ \t]{1,8}import[ \t]{1,8}(?!mock\b)",
        ),
        content=_any(
            rb"\bunittest\.(?:TestCase|main" + _OPEN + b")",
            rb"@unittest\.(?:skip|expectedFailure)",
            rb"\bself\.assert\w{1,40}" + _OPEN,
        ),
    ),
    # Plain functions and asserts are pytest's; nothing has to be imported or configured for them.
    Signs(
        Framework.PYTEST,
        (CountedLanguage.PYTHON,),
        content=_any(rb"^(?:async[ \t]{1,8})?def[ \t]{1,8}test_"),
    ),
    Signs(
        Framework.TESTNG,
        _JVM_LANGUAGES,
        imports=_any(rb"org\.testng\."),
        content=_any(
            rb"@(?:DataProvider|BeforeMethod|AfterMethod)\b", rb"@Test\([^)\n]{0,200}enabled\b"
        ),
    ),
    Signs(
        Framework.KOTEST,
        (CountedLanguage.KOTLIN,),
        imports=_any(rb"io\.kotest\.core\.spec\b"),
    ),
    Signs(
        Framework.JUNIT4,
        _JVM_LANGUAGES,
        imports=_any(rb"org\.junit\.(?:\*|(?:Test|Ignore|(?:Before|After)(?:Class)?)$)"),
    ),
    Signs(
        Framework.JUNIT5,
        _JVM_LANGUAGES,
        imports=_any(rb"org\.junit\.jupiter\.", rb"kotlin\.test\.Test$"),
        content=_any(
            rb"@Test[ \t]{0,8}(?:\(|\r?$)",
            rb"@(?:ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Nested|DisplayName)\b",
        ),
    ),
    Signs(
        Framework.JUNIT3,
        _JVM_LANGUAGES,
        imports=_any(rb"junit\.framework\.(?:\*|TestCase$)"),
        content=_any(rb"\bextends[ \t]{1,8}TestCase\b"),
    ),
    Signs(
        Framework.KOTEST,
        (CountedLanguage.KOTLIN,),
        content=_any(
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
        imports=_any(rb"Microsoft\.VisualStudio\.TestTools\.UnitTesting$"),
        content=_any(rb"\[(?:\w{0,40}TestMethod|TestClass)\b", rb"\[(?:DataRow|DynamicData)\("),
    ),
    Signs(
        Framework.NUNIT,
        (CountedLanguage.CSHARP,),
        imports=_any(rb"NUnit\.Framework$"),
        content=_any(
            rb"\[(?:Test|TestFixture)\]", rb"\[(?:TestCase|TestCaseSource)\(", rb"\[Ignore\("
        ),
    ),
    Signs(
        Framework.XUNIT,
        (CountedLanguage.CSHARP,),
        imports=_any(rb"Xunit$"),
        content=_any(rb"\[(?:Fact|Theory)\]", rb"\[(?:InlineData|MemberData|ClassData)\("),
    ),
    Signs(
        Framework.MINITEST,
        (CountedLanguage.RUBY,),
        imports=_any(rb"minitest(?:/|$)", rb"(?:[\w./-]{0,200}/)?(?:mini)?test_helper$"),
        own=_any(
            rb"<[ \t]{0,8}(?:::)?Minitest::(?:Test|Spec)\b",
            rb"<[ \t]{0,8}(?:::)?(?:Active|Action)(?:Support|Job|Record|Model|Controller|Dispatch|Mailer|View"
            rb"|Cable)::\w{0,40}Test(?:Case)?\b",
            rb"<[ \t]{0,8}(?:ActionDispatch::)?(?:IntegrationTest|ApplicationSystemTestCase)\b",
        ),
    ),
    Signs(
        Framework.RSPEC,
        (CountedLanguage.RUBY,),
        imports=_any(rb"rspec(?:/|$)", rb"rails_helper$"),
        own=_any(rb"\bRSpec\.(?:describe|context|feature)\b"),
        content=_any(
            rb"\bRSpec\.(?:describe|configure|context|shared_examples|shared_context)\b",
            rb"\bexpect[ \t]{0,8}\([^)\n]{0,200}\)[ \t]{0,8}\.(?:not_)?to\b",
            rb"\b(?:subject|let)[ \t]{0,8}[({:]",
            rb"\b(?:shared_examples|shared_context|include_examples)\b",
        ),
    ),
    Signs(
        Framework.MINITEST,
        (CountedLanguage.RUBY,),
        content=_any(
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
        imports=_any(rb"Pest\\\\"),
        own=_any(rb"^[ \t]{0,8}(?:it|test|todo|arch)[ \t]{0,4}\(\s{0,40}['\"]"),
    ),
    Signs(
        Framework.PHPUNIT,
        (CountedLanguage.PHP,),
        imports=_any(rb"PHPUnit\\Framework\\TestCase\b"),
        content=_any(
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
        content=_any(
            rb"#\[(?:test|ignore|cfg\(test\))\]",
            rb"#\[(?:should_panic|rstest|test_case)\b",
            rb"#\[\w{1,40}::test\b",
            rb"test\w{0,40}![ \t]{0,8}\(",
        ),
    ),
    Signs(
        Framework.CATCH2,
        (CountedLanguage.CPP,),
        imports=_any(rb"catch2/", rb"(?:[^/]{1,80}/){0,8}catch(?:_\w{1,40})?\.hpp$"),
    ),
    Signs(
        Framework.DOCTEST,
        (CountedLanguage.CPP,),
        imports=_any(rb"(?:[^/]{1,80}/){0,8}doctest\.h(?:pp)?$"),
    ),
    Signs(
        Framework.BOOST_TEST,
        (CountedLanguage.CPP,),
        imports=_any(rb"boost/test/"),
        content=_any(rb"\bBOOST_(?:AUTO|FIXTURE|DATA|PARAM)_TEST_CASE" + _OPEN),
    ),
    Signs(
        Framework.GTEST,
        (CountedLanguage.CPP,),
        imports=_any(rb"g(?:test|mock)/g(?:test|mock)"),
        content=_any(
            rb"#[ \t]{0,8}include[ \t]{0,8}[<\"]gtest/gtest\.h",
            rb"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)" + _OPEN,
            rb"\bINSTANTIATE_TEST_SUITE_P" + _OPEN,
            rb"::testing::Test\b",
        ),
    ),
    Signs(
        Framework.CATCH2,
        (CountedLanguage.CPP,),
        content=_any(
            rb"^[ \t]{0,8}(?:TEST_CASE|SCENARIO|TEST_CASE_METHOD|TEMPLATE_TEST_CASE)" + _OPEN
        ),
    ),
    Signs(
        Framework.SWIFT_TESTING,
        (CountedLanguage.SWIFT,),
        imports=_any(rb"Testing$"),
        content=_any(rb"@(?:Test|Suite)\b", rb"#(?:expect|require)\("),
    ),
    Signs(
        Framework.XCTEST,
        (CountedLanguage.SWIFT,),
        imports=_any(rb"XCTest$"),
        content=_any(
            rb":[ \t]{0,8}XCTestCase\b",
            rb"\bfunc[ \t]{1,8}test[A-Z]",
            rb"\bXCT(?:Assert|Fail\b|Expect|Skip\b)",
        ),
    ),
    Signs(Framework.GO_TESTING, (CountedLanguage.GO,), name=re.compile(r"_test\.go$")),
)
"""In the order in which they are asked."""


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


def frameworks_of(
    path: str, language: CountedLanguage, content: bytes, scopes: tuple[FrameworkScope, ...]
) -> list[Framework]:
    """By what is imported, else by the name, the configuration of the folder, the words in the text; or none.

    A file whose name is no test's in general is one only if it imports its framework. Where several are imported,
    the first is the file's.
    """
    signs = [each for each in SIGNS if language in each.languages]
    imported = _imported(language, content, signs)
    if imported or not is_named_as_test(path):
        return imported if language in _HAVE_SEVERAL else imported[:1]
    found = _named(path, signs) or _configured(path, signs, scopes) or _worded(content, signs)
    return [] if found is None else [found]


def _imported(language: CountedLanguage, content: bytes, signs: list[Signs]) -> list[Framework]:
    """Those whose names are imported, or whose words nothing else has."""
    pattern = _IMPORTS.get(language)
    names = set(pattern.findall(content)) if pattern else set()
    found: dict[Framework, None] = {}
    for each in signs:
        is_imported = each.imports is not None and any(map(each.imports.match, names))
        if is_imported or (each.own is not None and each.own.search(content)):
            found[each.framework] = None
    return list(found)


def _named(path: str, signs: list[Signs]) -> Framework | None:
    found = (each.framework for each in signs if each.name and each.name.search(path))
    return next(found, None)


def _configured(
    path: str, signs: list[Signs], scopes: tuple[FrameworkScope, ...]
) -> Framework | None:
    known = {each.framework for each in signs}
    found = (scope.framework for scope in scopes if scope.framework in known and scope.holds(path))
    return next(found, None)


def _worded(content: bytes, signs: list[Signs]) -> Framework | None:
    found = (each.framework for each in signs if each.content and each.content.search(content))
    return next(found, None)
