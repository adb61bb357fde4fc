"""Find files that look like tests of a framework whose tests are not counted."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from pipeline_defs.analysis.counting.found import find_language, is_skipped


@cache
def _compile_words(pattern: str) -> re.Pattern[bytes]:
    # Compiled for the first file of the language: compiling all takes as long as many files.
    return re.compile(pattern.encode(), re.MULTILINE)


_TABLES = tomllib.loads(Path(__file__).with_name("uncounted.toml").read_text("utf-8"))
_BY_WORDS: Mapping[str, Sequence[tuple[str, str]]] = {
    language: each["signs"] for each in _TABLES["by_words"] for language in each["languages"]
}
_BY_NAME: Mapping[str, tuple[str, str]] = {
    suffix: (each["framework"], each["name"])
    for each in _TABLES["by_name"]
    for suffix in each["suffixes"].split()
}
_ZIG = r'^test(?:[ \t]{1,8}["\w]|[ \t]{0,8}\{)'
_CTEST = r"^[ \t]{0,20}(?i:add_test)[ \t]{0,8}\("
_BENCHES = "/benches/"


def find_uncounted_by_name(path: str, content: bytes) -> str | None:
    """Return the framework of a test file in a language without counted tests; None if it is no test."""
    suffix = path[path.rfind(".") :].lower()
    name: str | None = None
    if suffix in _BY_NAME:
        framework, pattern = _BY_NAME[suffix]
        name = framework if re.search(pattern, path) else None
    elif suffix == ".zig":
        name = "tests in Zig" if _compile_words(_ZIG).search(content) else None
    elif suffix == ".txt" and path.endswith("CMakeLists.txt"):
        name = "CTest" if _compile_words(_CTEST).search(content) else None
    elif suffix == ".rs" and _BENCHES in f"/{path}":
        name = find_uncounted_by_words(path, content)
    return None if name is None or is_skipped(path) else name


def find_uncounted_by_words(path: str, content: bytes) -> str | None:
    """Return the framework that a file without counted tests looks like, in a counted language."""
    language = find_language(path)
    if language is None:
        return None
    signs = _BY_WORDS[language]
    return next((name for name, pattern in signs if _compile_words(pattern).search(content)), None)
