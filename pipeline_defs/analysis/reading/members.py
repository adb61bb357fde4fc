"""What a repository consists of, however it is read. Pure."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a member is."""

    FILE = "file"
    SYMLINK = "symlink"
    HARD_LINK = "hard_link"
    SUBMODULE = "submodule"
    SPECIAL = "special"
    """A device, a pipe, or what only one tar program knows."""


class MemberRemark(StrEnum):
    """Why a member is left out or not looked into; stable."""

    SYMLINK = "symlink"
    HARD_LINK = "hard_link"
    SUBMODULE = "submodule"
    SPECIAL_FILE = "special_file"
    ABSOLUTE_NAME = "absolute_name"
    PARENT_NAME = "parent_name"
    EMPTY_NAME = "empty_name"
    NAME_WITH_NUL = "name_with_nul"
    NAME_NOT_UTF8 = "name_not_utf8"
    NAME_TOO_LONG = "name_too_long"
    NAME_TOO_DEEP = "name_too_deep"
    REPEATED_NAME = "repeated_name"
    UNREADABLE_FILE = "unreadable_file"
    """The system refuses to open a file of the work tree."""
    LARGE_FILE = "large_file"
    """Counted by its size and not looked into."""
    LFS_POINTER = "lfs_pointer"
    """Git LFS keeps the content elsewhere."""
    NOT_IN_ARCHIVE = "not_in_archive"
    """A file of the commit that its archive leaves out, as `.gitattributes` say by `export-ignore`."""
    LISTING_CUT = "listing_cut"
    """What the archive leaves out is not known, or not all of it."""
    NOT_FETCHED = "not_fetched"
    """A file of the commit that a partial clone has not fetched."""
    FRAMEWORK_NOT_COUNTED = "framework_not_counted"
    """It looks like a file of tests, of a framework whose tests are not counted."""
    TESTS_NOT_COUNTED = "tests_not_counted"
    """Test files beyond the memory set aside for them, or that could not be parsed in time."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a repository, or what stands in the place of one.

    `path` is relative, with `/`; where the name cannot be one, its bytes are escaped. A member with a remark other
    than LARGE_FILE is no file to measure; `content` is empty wherever there is a remark.
    """

    path: str
    size: int
    kind: Kind
    content: bytes = b""
    remark: MemberRemark | None = None
