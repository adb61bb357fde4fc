"""The languages whose tests are counted, and their grammars."""

from enum import StrEnum
from functools import cache
from importlib import import_module
from posixpath import splitext

import tree_sitter


class Language(StrEnum):
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


SCRIPTS = frozenset({Language.JAVASCRIPT, Language.TSX, Language.TYPESCRIPT})
"""The languages that share the frameworks of JavaScript."""

_BY_SUFFIX = {
    ".cc": Language.CPP,
    ".cpp": Language.CPP,
    ".cxx": Language.CPP,
    ".cs": Language.CSHARP,
    ".go": Language.GO,
    ".java": Language.JAVA,
    ".cjs": Language.JAVASCRIPT,
    ".js": Language.JAVASCRIPT,
    ".jsx": Language.JAVASCRIPT,
    ".mjs": Language.JAVASCRIPT,
    ".kt": Language.KOTLIN,
    ".kts": Language.KOTLIN,
    ".php": Language.PHP,
    ".py": Language.PYTHON,
    ".rb": Language.RUBY,
    ".rs": Language.RUST,
    ".swift": Language.SWIFT,
    ".tsx": Language.TSX,
    ".cts": Language.TYPESCRIPT,
    ".mts": Language.TYPESCRIPT,
    ".ts": Language.TYPESCRIPT,
}
_GRAMMARS = {
    Language.CPP: "tree_sitter_cpp:language",
    Language.CSHARP: "tree_sitter_c_sharp:language",
    Language.GO: "tree_sitter_go:language",
    Language.JAVA: "tree_sitter_java:language",
    Language.JAVASCRIPT: "tree_sitter_javascript:language",
    Language.KOTLIN: "tree_sitter_kotlin:language",
    Language.PHP: "tree_sitter_php:language_php",
    Language.PYTHON: "tree_sitter_python:language",
    Language.RUBY: "tree_sitter_ruby:language",
    Language.RUST: "tree_sitter_rust:language",
    Language.SWIFT: "tree_sitter_swift:language",
    Language.TSX: "tree_sitter_typescript:language_tsx",
    Language.TYPESCRIPT: "tree_sitter_typescript:language_typescript",
}


def language_of(path: str) -> Language | None:
    """The language of a file by its suffix, or None."""
    return _BY_SUFFIX.get(splitext(path)[1].lower())


@cache
def grammar(language: Language) -> tree_sitter.Language:
    """The grammar, loaded at its first use and kept."""
    module, _, function = _GRAMMARS[language].partition(":")
    return tree_sitter.Language(getattr(import_module(module), function)())
