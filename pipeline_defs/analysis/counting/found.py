"""What counting finds in a source file."""

from dataclasses import dataclass
from enum import StrEnum

from pipeline_defs.analysis.counting.frameworks import Framework
from pipeline_defs.analysis.counting.languages import Language


class Status(StrEnum):
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
    status: Status
    framework: Framework | None = None


@dataclass(frozen=True)
class TestFile:
    """A file of a test framework, with its tests in the order of the source; there may be none."""

    __test__ = False  # pytest would collect the class for its name

    path: str
    framework: Framework
    language: Language
    tests: tuple[Test, ...]


def within(outer: Status, own: Status) -> Status:
    """The status of a test in a group: what stops the group stops the test, `todo` stays."""
    if outer is Status.ACTIVE or own is Status.TODO:
        return own
    return outer if outer is Status.SKIPPED or own is Status.ACTIVE else own
