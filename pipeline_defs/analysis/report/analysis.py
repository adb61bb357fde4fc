"""The result of an analysis, as JSON has it; `analysis.schema.json` is its published schema."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=0)]


class _Result(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LineCounts(_Result):
    """Numbers of lines; one with code and a comment is a line of code."""

    code: Count = 0
    comment: Count = 0
    blank: Count = 0


class LanguageShare(_Result):
    """A language under the name by which GitHub counts it; `percent` is of all counted bytes."""

    name: str
    colour: str
    files: Count
    bytes: Count
    percent: Annotated[float, Field(ge=0, le=100)]
    lines: LineCounts


class LeftOutCount(_Result):
    """Files that do not count among the languages, by the reason."""

    reason: str
    files: Count
    bytes: Count


class FrameworkCount(_Result):
    """The tests of one framework; `statuses` has every status."""

    framework: str
    files: Count
    tests: Count
    statuses: Mapping[str, Count]


class FileTests(_Result):
    """The tests of one file; `statuses` has those that occur."""

    path: str
    framework: str
    language: str
    tests: Count
    statuses: Mapping[str, Count]


class LargeFile(_Result):
    """One of the largest files; `language` is None where no sign says one."""

    path: str
    bytes: Count
    lines: Count
    language: str | None


class FolderCount(_Result):
    """A folder of source code to which no test belongs, with what lies directly in it."""

    path: str
    files: Count
    code_lines: Count


class RemarkCount(_Result):
    """How many members of the repository have one remark, and the first of them."""

    remark: str
    count: Count
    examples: tuple[str, ...]


class Analysis(_Result):
    """What a repository consists of.

    `files` and `bytes` are of all files, `lines` of those that count among the languages; the largest files and
    untested folders are the first twenty.
    """

    version: Literal[1] = 1
    files: Count
    bytes: Count
    lines: LineCounts
    languages: tuple[LanguageShare, ...]
    left_out: tuple[LeftOutCount, ...]
    test_count: Count
    tests: tuple[FrameworkCount, ...]
    test_files: tuple[FileTests, ...]
    largest_files: tuple[LargeFile, ...]
    untested_folder_count: Count
    untested_folders: tuple[FolderCount, ...]
    remarks: tuple[RemarkCount, ...]
