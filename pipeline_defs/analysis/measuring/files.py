"""What one file of a repository is, and whether it counts among the languages as GitHub counts. Pure."""

from dataclasses import dataclass, replace
from enum import StrEnum

from pipeline_defs.analysis.measuring.attributes import Attributes
from pipeline_defs.analysis.measuring.comments import SYNTAXES
from pipeline_defs.analysis.measuring.detection import detect_language
from pipeline_defs.analysis.measuring.generated import is_generated
from pipeline_defs.analysis.measuring.languages import Language, Type, named_language
from pipeline_defs.analysis.measuring.left_out import is_documentation, is_vendored
from pipeline_defs.analysis.measuring.lines import Lines, count_lines
from pipeline_defs.analysis.reading.text_encoding import as_utf8, with_line_feeds

_BINARY_HEAD = 8_000


class LeftOut(StrEnum):
    """Why a file is not counted among the languages."""

    VENDORED = "vendored"
    DOCUMENTATION = "documentation"
    GENERATED = "generated"
    BINARY = "binary"
    UNKNOWN_LANGUAGE = "unknown_language"
    DATA_OR_PROSE = "data_or_prose"
    NOT_DETECTABLE = "not_detectable"


@dataclass(frozen=True, slots=True)
class MeasuredFile:
    """A file by its own signs; `left_out` says why it is not counted."""

    path: str
    size: int
    language: Language | None
    lines: Lines
    is_generated: bool
    is_binary: bool
    left_out: LeftOut | None = None


def measure_file(path: str, size: int, content: bytes) -> MeasuredFile:
    """The file of this content; that of a file too large to look into is empty."""
    text = with_line_feeds(as_utf8(content))
    is_binary = b"\0" in text[:_BINARY_HEAD]
    language = None if is_binary else detect_language(path, text)
    syntax = language.syntax if language else SYNTAXES["none"]
    lines = Lines() if is_binary else count_lines(text, syntax)
    return MeasuredFile(path, size, language, lines, is_generated(path, text), is_binary)


def with_attributes(file: MeasuredFile, attributes: Attributes) -> MeasuredFile:
    """The file as `.gitattributes` have it: its language, and whether it is counted; its lines stay."""
    language = file.language
    if attributes.language is not None and not file.is_binary:
        language = named_language(attributes.language) or language
    file = replace(file, language=language)
    return replace(file, left_out=_left_out(file, attributes))


def _left_out(file: MeasuredFile, said: Attributes) -> LeftOut | None:
    if said.vendored if said.vendored is not None else is_vendored(file.path):
        return LeftOut.VENDORED
    if said.documentation if said.documentation is not None else is_documentation(file.path):
        return LeftOut.DOCUMENTATION
    if said.generated if said.generated is not None else file.is_generated:
        return LeftOut.GENERATED
    if file.is_binary:
        return LeftOut.BINARY
    return _left_out_by_language(file.language, said.detectable)


def _left_out_by_language(language: Language | None, detectable: bool | None) -> LeftOut | None:
    if language is None:
        return LeftOut.UNKNOWN_LANGUAGE
    if detectable is not None:
        return None if detectable else LeftOut.NOT_DETECTABLE
    is_code = language.type in (Type.PROGRAMMING, Type.MARKUP)
    return None if is_code else LeftOut.DATA_OR_PROSE
