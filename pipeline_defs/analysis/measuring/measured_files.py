"""Measure a file, and decide whether it counts among the languages, as GitHub does. Pure."""

import re
import tomllib
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from pipeline_defs.analysis.measuring.attributes import Attributes
from pipeline_defs.analysis.measuring.languages import (
    SYNTAXES,
    Language,
    Lines,
    Type,
    count_lines,
    detect_language,
    find_language_by_name,
)
from pipeline_defs.analysis.reading.members import convert_to_utf8, normalize_line_ends

_AVERAGE_OF_MINIFIED = 110
_HEAD_LINES = 40
_TABLES = tomllib.loads(Path(__file__).with_name("left_out.toml").read_text("utf-8"))
_GENERATED_PATH = re.compile("|".join(_TABLES["generated"]["paths"]))
_HEADS = [
    (frozenset(extensions.split()), lines, re.compile(pattern.encode(), re.MULTILINE))
    for extensions, lines, pattern in _TABLES["generated"]["heads"]
]
_SOURCE_MAP = re.compile(rb"^/[*/][#@] source(?:Mapping)?URL|sourceURL=")


def is_generated(path: str, content: bytes) -> bool:
    """Return whether a program wrote the file."""
    if _GENERATED_PATH.search(path):
        return True
    extension = "." + path.rpartition("/")[2].rpartition(".")[2].lower()
    return _has_head_of_generator(extension, content) or _is_minified(extension, content)


def _has_head_of_generator(extension: str, content: bytes) -> bool:
    rules = [rule for rule in _HEADS if extension in rule[0]]
    if not rules:
        return False
    lines = content[: _HEAD_LINES * 1000].split(b"\n", _HEAD_LINES)
    return any(pattern.search(b"\n".join(lines[:first])) for _, first, pattern in rules)


def _is_minified(extension: str, content: bytes) -> bool:
    """Return whether the lines are longer than people write them, or the last ones name a source map."""
    if extension not in (".js", ".css") or not content:
        return False
    line_count = content.count(b"\n") + 1
    last_lines = content[-5000:].split(b"\n")[-2:]
    has_map = any(_SOURCE_MAP.search(line) for line in last_lines)
    return has_map or (len(content) - line_count + 1) // line_count > _AVERAGE_OF_MINIFIED


_VENDORED = _TABLES["vendored"]
_VENDORED_PATH = re.compile(
    "|".join(
        [
            f"(?:^|/)(?:{'|'.join(_VENDORED['folders'])})/",
            f"^(?:{'|'.join(_VENDORED['top_folders'])})/",
            f"(?:^|/)(?:{'|'.join(_VENDORED['files'])})$",
            *_VENDORED["paths"],
        ]
    )
)
_DOCUMENTATION_PATH = re.compile("|".join(_TABLES["documentation"]["paths"]))


def is_vendored(path: str) -> bool:
    """Return whether others wrote the file, by the usual names of folders and files."""
    return _VENDORED_PATH.search(path) is not None


def is_documentation(path: str) -> bool:
    """Return whether the file documents the project or shows an example, by the usual names."""
    return _DOCUMENTATION_PATH.search(path) is not None


_BINARY_HEAD = 8_000


class LeftOut(StrEnum):
    """The reason why a file is not counted among the languages."""

    VENDORED = "vendored"
    DOCUMENTATION = "documentation"
    GENERATED = "generated"
    BINARY = "binary"
    UNKNOWN_LANGUAGE = "unknown_language"
    DATA_OR_PROSE = "data_or_prose"
    NOT_DETECTABLE = "not_detectable"


@dataclass(frozen=True, slots=True)
class MeasuredFile:
    """A file measured by its content; `left_out` is the reason why it is not counted."""

    path: str
    size: int
    language: Language | None
    lines: Lines
    is_generated: bool
    is_binary: bool
    left_out: LeftOut | None = None


def measure_file(path: str, size: int, content: bytes) -> MeasuredFile:
    """Measure a file; `content` is empty for a file that is too large to read."""
    text = normalize_line_ends(convert_to_utf8(content))
    is_binary = b"\0" in text[:_BINARY_HEAD]
    language = None if is_binary else detect_language(path, text)
    syntax = language.syntax if language else SYNTAXES["none"]
    lines = Lines() if is_binary else count_lines(text, syntax)
    return MeasuredFile(path, size, language, lines, is_generated(path, text), is_binary)


def apply_attributes(file: MeasuredFile, attributes: Attributes) -> MeasuredFile:
    """Apply `.gitattributes`: the language, and whether the file is counted; its lines stay."""
    language = file.language
    if attributes.language is not None and not file.is_binary:
        language = find_language_by_name(attributes.language) or language
    file = replace(file, language=language)
    return replace(file, left_out=_find_reason(file, attributes))


def _find_reason(file: MeasuredFile, said: Attributes) -> LeftOut | None:
    if said.vendored if said.vendored is not None else is_vendored(file.path):
        return LeftOut.VENDORED
    if said.documentation if said.documentation is not None else is_documentation(file.path):
        return LeftOut.DOCUMENTATION
    if said.generated if said.generated is not None else file.is_generated:
        return LeftOut.GENERATED
    if file.is_binary:
        return LeftOut.BINARY
    if file.language is None:
        return LeftOut.UNKNOWN_LANGUAGE
    if said.detectable is not None:
        return None if said.detectable else LeftOut.NOT_DETECTABLE
    is_code = file.language.type in (Type.PROGRAMMING, Type.MARKUP)
    return None if is_code else LeftOut.DATA_OR_PROSE
