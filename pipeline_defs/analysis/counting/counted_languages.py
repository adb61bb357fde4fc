"""The languages whose tests are counted, and their grammars."""

from enum import StrEnum
from functools import cache
from importlib import import_module
from posixpath import splitext

import tree_sitter


class CountedLanguage(StrEnum):
    """A language by its name at GitHub."""

    CPP = "C++"
    CSHARP = "C#"
    GO = "Go"
    JAVA = "Java"
    JAVASCRIPT = "JavaScript"
    KOTLIN = "Kotlin"
    PHP = "PHP"
    PYTHON = "Python"
    RUBY = "Ruby"
    RUST = "Rust"
    SWIFT = "Swift"
    TSX = "TSX"
    TYPESCRIPT = "TypeScript"


SCRIPTS = frozenset({CountedLanguage.JAVASCRIPT, CountedLanguage.TSX, CountedLanguage.TYPESCRIPT})
"""The languages that share the frameworks of JavaScript."""

_BY_SUFFIX = {
    ".cc": CountedLanguage.CPP,
    ".cpp": CountedLanguage.CPP,
    ".cxx": CountedLanguage.CPP,
    ".cs": CountedLanguage.CSHARP,
    ".go": CountedLanguage.GO,
    ".java": CountedLanguage.JAVA,
    ".cjs": CountedLanguage.JAVASCRIPT,
    ".js": CountedLanguage.JAVASCRIPT,
    ".jsx": CountedLanguage.JAVASCRIPT,
    ".mjs": CountedLanguage.JAVASCRIPT,
    ".kt": CountedLanguage.KOTLIN,
    ".kts": CountedLanguage.KOTLIN,
    ".php": CountedLanguage.PHP,
    ".py": CountedLanguage.PYTHON,
    ".rb": CountedLanguage.RUBY,
    ".rs": CountedLanguage.RUST,
    ".swift": CountedLanguage.SWIFT,
    ".tsx": CountedLanguage.TSX,
    ".cts": CountedLanguage.TYPESCRIPT,
    ".mts": CountedLanguage.TYPESCRIPT,
    ".ts": CountedLanguage.TYPESCRIPT,
}
_GRAMMARS = {
    CountedLanguage.CPP: "tree_sitter_cpp:language",
    CountedLanguage.CSHARP: "tree_sitter_c_sharp:language",
    CountedLanguage.GO: "tree_sitter_go:language",
    CountedLanguage.JAVA: "tree_sitter_java:language",
    CountedLanguage.JAVASCRIPT: "tree_sitter_javascript:language",
    CountedLanguage.KOTLIN: "tree_sitter_kotlin:language",
    CountedLanguage.PHP: "tree_sitter_php:language_php",
    CountedLanguage.PYTHON: "tree_sitter_python:language",
    CountedLanguage.RUBY: "tree_sitter_ruby:language",
    CountedLanguage.RUST: "tree_sitter_rust:language",
    CountedLanguage.SWIFT: "tree_sitter_swift:language",
    CountedLanguage.TSX: "tree_sitter_typescript:language_tsx",
    CountedLanguage.TYPESCRIPT: "tree_sitter_typescript:language_typescript",
}


def language_of(path: str) -> CountedLanguage | None:
    """The language of a file by its suffix, or None."""
    return _BY_SUFFIX.get(splitext(path)[1].lower())


@cache
def grammar(language: CountedLanguage) -> tree_sitter.Language:
    """The grammar, loaded at its first use and kept."""
    module, _, function = _GRAMMARS[language].partition(":")
    return tree_sitter.Language(getattr(import_module(module), function)())
