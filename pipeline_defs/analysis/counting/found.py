"""What counting finds in a source file."""

from dataclasses import dataclass
from enum import StrEnum

from pipeline_defs.analysis.counting.counted_languages import CountedLanguage
from pipeline_defs.analysis.counting.frameworks import Framework


class CaseStatus(StrEnum):
    """What the source says of a test: `focused` runs alone, `xfail` is expected to fail, `todo` is not written."""

    ACTIVE = "active"
    SKIPPED = "skipped"
    TODO = "todo"
    XFAIL = "xfail"
    FOCUSED = "focused"


@dataclass(frozen=True)
class Test:
    """A test as it is written; one that is made of many cases at run time is one test. Lines count from 1.

    `framework` is its own where the file has tests of several frameworks, and None where it is the file's.
    """

    __test__ = False  # pytest would collect the class for its name

    name: str
    line: int
    status: CaseStatus
    framework: Framework | None = None


@dataclass(frozen=True)
class TestFile:
    """A file of a test framework, with its tests in the order of the source; there may be none."""

    __test__ = False  # pytest would collect the class for its name

    path: str
    framework: Framework
    language: CountedLanguage
    tests: tuple[Test, ...]


def within(outer: CaseStatus, own: CaseStatus) -> CaseStatus:
    """The status of a test in a group: what stops the group stops the test, `todo` stays."""
    if outer is CaseStatus.ACTIVE or own is CaseStatus.TODO:
        return own
    return outer if outer is CaseStatus.SKIPPED or own is CaseStatus.ACTIVE else own
