"""Which files may hold tests, and which configure a test framework: by their names alone."""

import re

from pipeline_defs.analysis.counting.counted_languages import SCRIPTS, CountedLanguage, language_of

_SKIPPED = re.compile(
    r"(?:.*/)?(?:node_modules|\.git|vendor|dist|\.next|__pycache__|\.cache)/.*|coverage/.*"
)
_CONFIG = re.compile(
    r"(?:.*/)?(?:jest\.config\.(?:[cm]?[jt]s|json)|(?:vite|vitest|playwright|cypress)\.config\.[cm]?[jt]s"
    r"|\.mocharc\.(?:[cm]?js|jsonc?|ya?ml)|mocha\.opts|package\.json"
    r"|pytest\.ini|\.rspec|(?:spec|rails|test|minitest)_helper\.rb|pyproject\.toml|setup\.cfg|tox\.ini|conftest\.py)"
)


def _paths(*, stem: str, folder: str = r"(?!)", but: str = r"(?!)") -> re.Pattern[str]:
    """Files with such a name before its suffix, and all below such a folder but what `but` matches from there."""
    name = r"[^/]*"
    return re.compile(
        rf"(?:.*/)?(?:(?:{stem.replace('.*', name)})\.[^./]+|(?:{folder})/(?!{but})(?:.*/)?{name})"
    )


_NAMED_AS_TESTS = {
    CountedLanguage.CPP: _paths(stem=".*_(?i:unit)?(?i:test)|.+Test", folder="tests?"),
    CountedLanguage.CSHARP: _paths(
        stem=".*(?:Tests?|Specs?)|Test.*", folder=r"[Tt]ests?|[^/]*\.(?:Test|Spec)s?"
    ),
    CountedLanguage.GO: _paths(stem=".*_test"),
    CountedLanguage.JAVA: _paths(stem=".*Tests?|Test.*", folder="tests?"),
    CountedLanguage.KOTLIN: _paths(stem=".*(?:Tests?|Spec)|Test.*", folder="tests?"),
    CountedLanguage.PHP: _paths(stem=".*(?:Tests?|Spec|Cest|Cept)|Test.*", folder="tests?|spec"),
    CountedLanguage.PYTHON: _paths(
        stem="test_.*|.*_test|tests", folder="tests", but=r"(?:.*/)?conftest\.py$"
    ),
    CountedLanguage.RUBY: _paths(
        stem=".*_(?:spec|test)",
        folder="spec|test",
        but=r"support/|(?:.*/)?(?:spec|rails|test|minitest)_helper\.rb$",
    ),
    CountedLanguage.RUST: _paths(stem=".*_test", folder="tests|src|crates"),
    CountedLanguage.SWIFT: _paths(stem=".*Tests?", folder="[^/]*Tests"),
} | dict.fromkeys(
    SCRIPTS,
    _paths(
        stem=r".*(?i:\.(?:(?:test|spec|cy)(?:\..*)?|setup|teardown))",
        folder="__tests__|cypress/(?:e2e|component)",
        but="(?:.*/)?__(?:fixtures|mocks)__/",
    ),
)
_NAMED_AS_NODES_TESTS = _paths(
    stem="test|test-.*|.*[-_.](?:test|spec)|.*Spec", folder="tests?|specs?"
)
_MAIN_OF_MAVEN = re.compile(r"(?:.*/)?src/main/.*\.java")


def is_named_as_test(path: str) -> bool:
    """Whether the name alone lets a file count as tests of the framework that its folder is configured for."""
    named = _NAMED_AS_TESTS.get(language) if (language := language_of(path)) else None
    if named is None or _SKIPPED.match(path) or _MAIN_OF_MAVEN.fullmatch(path):
        return False
    return named.fullmatch(path) is not None


def may_hold_tests(path: str) -> bool:
    """Whether a file is worth reading for tests. The folders of dependencies and of builds never are."""
    if language_of(path) in SCRIPTS and _NAMED_AS_NODES_TESTS.fullmatch(path):
        return _SKIPPED.match(path) is None
    return is_named_as_test(path)


def is_skipped(path: str) -> bool:
    """Whether a file lies in a folder of dependencies or of what was built."""
    return _SKIPPED.match(path) is not None


def is_config(path: str) -> bool:
    """Whether a file may say which framework its folder is tested with."""
    return _CONFIG.fullmatch(path) is not None and _SKIPPED.match(path) is None
