"""Which framework the tests in a file are written for."""

import re

from pipeline_defs.analysis.counting.counted_languages import SCRIPTS, CountedLanguage
from pipeline_defs.analysis.counting.file_names import is_named_as_test
from pipeline_defs.analysis.counting.frameworks import Framework
from pipeline_defs.analysis.counting.scopes import FrameworkScope
from pipeline_defs.analysis.counting.signs import SIGNS, Pattern, Signs

_START = rb"^(?:\xef\xbb\xbf)?[ \t]{0,20}"
_JVM = rb"import[ \t]{1,8}(?:static[ \t]{1,8})?([\w.*]{1,300})"
_SCRIPT = rb"(?:\bfrom|\bimport|\brequire[ \t]{0,4}\()\s{0,40}['\"]([^'\"\n]{1,300})['\"]"
_IMPORTS: dict[CountedLanguage, Pattern] = {
    language: re.compile(pattern, re.MULTILINE)
    for language, pattern in {
        **dict.fromkeys(SCRIPTS, _SCRIPT),
        CountedLanguage.CPP: rb"^[ \t]{0,20}#[ \t]{0,8}include[ \t]{0,8}[<\"]([^>\"\n]{1,300})[>\"]",
        CountedLanguage.CSHARP: _START
        + rb"(?:global[ \t]{1,8})?using[ \t]{1,8}(?:static[ \t]{1,8})?([\w.]{1,300})[ \t]{0,8};",
        CountedLanguage.JAVA: _START + _JVM,
        CountedLanguage.KOTLIN: _START + _JVM,
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
