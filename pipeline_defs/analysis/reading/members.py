"""The members of a repository, which of them are measured, and the limits of one reading."""

import codecs
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from resources.contract.errors import PermanentError


class Kind(StrEnum):
    """The kind of a member."""

    FILE = "file"
    SYMLINK = "symlink"
    HARD_LINK = "hard_link"
    SUBMODULE = "submodule"
    SPECIAL = "special"
    """A device, a pipe, or a type that only one tar program knows."""


class MemberRemark(StrEnum):
    """The reason why a member is left out or not read; stable."""

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
    """Counted by its size and not read."""
    LFS_POINTER = "lfs_pointer"
    """Git LFS keeps the content elsewhere."""
    NOT_IN_ARCHIVE = "not_in_archive"
    """A file of the commit that its archive leaves out, as `.gitattributes` say by `export-ignore`."""
    LISTING_CUT = "listing_cut"
    """The list of what the archive leaves out is incomplete or missing."""
    NOT_FETCHED = "not_fetched"
    """A file of the commit that a partial clone has not fetched."""
    FRAMEWORK_NOT_COUNTED = "framework_not_counted"
    """A file that looks like tests of a framework whose tests are not counted."""
    TESTS_NOT_COUNTED = "tests_not_counted"
    """Test files beyond the memory set aside for them, or that could not be parsed in time."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a repository, or what stands in the place of one.

    `path` is relative, with `/`; an invalid name is escaped. Only members without a remark and those with
    LARGE_FILE are measured; `content` is empty if there is a remark.
    """

    path: str
    size: int
    kind: Kind
    content: bytes = b""
    remark: MemberRemark | None = None


MEGABYTE = 1_000_000


@dataclass(frozen=True)
class AnalysisLimits:
    """The limits of one analysis; sizes in bytes."""

    compressed_bytes: int = 500 * MEGABYTE
    unpacked_bytes: int = 2_000 * MEGABYTE
    ratio: int = 200
    """Unpacked bytes allowed per packed byte, once `ratio_from` bytes are unpacked."""
    ratio_from: int = 50 * MEGABYTE
    members: int = 200_000
    depth: int = 64
    name_bytes: int = 4_096
    file_bytes: int = 10 * MEGABYTE
    """A larger file is counted by its size and not read."""
    held_bytes: int = 256 * MEGABYTE
    """Bytes of test files stored until all is read; the tests of further files are not counted."""
    seconds: float = 1_200.0
    memory_bytes: int = 2_000 * MEGABYTE
    """The address space of the process of an analysis."""
    answer_bytes: int = 40 * MEGABYTE
    """The JSON of a result, which the caller holds whole, in a process without a limit."""


_SHOWN_BYTES = 200


def parse_path(name: bytes, limits: AnalysisLimits) -> tuple[str, MemberRemark | None]:
    """Return the path and None, or the escaped beginning of an invalid name and its fault."""
    remark = _find_fault(name, limits)
    if remark is not None:
        return name[:_SHOWN_BYTES].decode("utf-8", "backslashreplace"), remark
    return "/".join(_split_path(name.decode("utf-8"))), None


def remove_first_folder(name: bytes) -> bytes:
    """Return the name below its first folder; empty for that folder itself."""
    return name.removeprefix(b"./").partition(b"/")[2]


def _find_fault(name: bytes, limits: AnalysisLimits) -> MemberRemark | None:
    if b"\0" in name:
        return MemberRemark.NAME_WITH_NUL
    if len(name) > limits.name_bytes:
        return MemberRemark.NAME_TOO_LONG
    try:
        text = name.decode("utf-8")
    except UnicodeDecodeError:
        return MemberRemark.NAME_NOT_UTF8
    parts = _split_path(text)
    if text.startswith("/"):
        return MemberRemark.ABSOLUTE_NAME
    if ".." in parts:
        return MemberRemark.PARENT_NAME
    if not parts:
        return MemberRemark.EMPTY_NAME
    return MemberRemark.NAME_TOO_DEEP if len(parts) > limits.depth else None


def _split_path(text: str) -> Sequence[str]:
    return [part for part in text.split("/") if part not in ("", ".")]


_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_REMARKS = {
    Kind.SYMLINK: MemberRemark.SYMLINK,
    Kind.HARD_LINK: MemberRemark.HARD_LINK,
    Kind.SUBMODULE: MemberRemark.SUBMODULE,
    Kind.SPECIAL: MemberRemark.SPECIAL_FILE,
}


class Acceptance:
    """Makes the members of one repository and remembers their names."""

    def __init__(self, limits: AnalysisLimits) -> None:
        self._limits = limits
        self._paths: set[str] = set()

    def may_read(self, kind: Kind, size: int) -> bool:
        """Return whether the content of such a member is read."""
        return kind is Kind.FILE and size <= self._limits.file_bytes

    def make_member(self, name: bytes, size: int, kind: Kind, content: bytes = b"") -> Member:
        """Make the member of this name, with a remark if its content is not read."""
        path, remark = parse_path(name, self._limits)
        if remark is None:
            remark = self._find_remark(path, size, kind, content)
            self._paths.add(path)
        return Member(path, size, kind, b"" if remark else content, remark)

    def _find_remark(self, path: str, size: int, kind: Kind, content: bytes) -> MemberRemark | None:
        if path in self._paths:
            return MemberRemark.REPEATED_NAME
        if kind is not Kind.FILE:
            return _REMARKS[kind]
        if size > self._limits.file_bytes:
            return MemberRemark.LARGE_FILE
        return MemberRemark.LFS_POINTER if content.startswith(_LFS_POINTER) else None


class RefusalCode(StrEnum):
    """The reason why a repository cannot be analysed; stable."""

    ARCHIVE_BROKEN = "archive_broken"
    """Not a gzip'd tar, damaged, or cut off."""
    ARCHIVE_TOO_LARGE = "archive_too_large"
    ARCHIVE_BOMB = "archive_bomb"
    """The archive unpacks to far more than a repository has per packed byte."""
    REPOSITORY_TOO_LARGE = "repository_too_large"
    TOO_MANY_FILES = "too_many_files"
    REPOSITORY_NOT_FOUND = "repository_not_found"
    """There is no git repository at the local path."""
    REPOSITORY_PRIVATE = "repository_private"
    """A private repository of GitHub: an analysis is shared by all who order it."""
    REPOSITORY_BROKEN = "repository_broken"
    """Objects of the local git repository are missing or damaged."""
    REF_NOT_FOUND = "ref_not_found"
    ANALYSIS_TIMED_OUT = "analysis_timed_out"
    ANALYSIS_OUT_OF_MEMORY = "analysis_out_of_memory"
    ANALYSIS_CRASHED = "analysis_crashed"
    """The process of the analysis ended without a result."""
    ANALYSIS_STOPPED = "analysis_stopped"
    """The analysis was stopped from outside; a TransientError, since it may be repeated."""


def make_refusal(code: RefusalCode, message: str) -> PermanentError:
    """Make the error of this code; `message` names the field and what was expected."""
    return PermanentError(message, code=code.value)


def make_archive_error(why: str) -> PermanentError:
    """Make the error for an archive that cannot be read to its end."""
    return make_refusal(RefusalCode.ARCHIVE_BROKEN, f"archive: expected a whole gzip'd tar; {why}")


def make_timeout_error(seconds: float) -> PermanentError:
    """Make the error for an analysis that takes too long."""
    return make_refusal(
        RefusalCode.ANALYSIS_TIMED_OUT,
        f"repository: expected one that is analysed within {seconds:g} s",
    )


def make_private_error(name: str) -> PermanentError:
    """Make the error for a private repository, whose analysis must not be shared."""
    message = (
        f"repository: expected a public one, since all who order an analysis share it; "
        f"{name} is private: analyse a clone of it with `castad analyse`"
    )
    return make_refusal(RefusalCode.REPOSITORY_PRIVATE, message)


class Deadline:
    """The end of the time that an analysis may take."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise PermanentError `analysis_timed_out` if no time is left."""
        if time.monotonic() > self._end:
            raise make_timeout_error(self._seconds)


class ReadingBudget:
    """Counters of what is read; each method raises the PermanentError of an exceeded limit."""

    def __init__(self, limits: AnalysisLimits) -> None:
        self.limits = limits
        self._deadline = Deadline(limits.seconds)
        self._members = self._compressed = self._unpacked = 0

    def add_member(self) -> None:
        """Count one more entry."""
        self._deadline.check()
        self._members += 1
        if self._members > self.limits.members:
            raise make_refusal(
                RefusalCode.TOO_MANY_FILES,
                f"repository: expected at most {self.limits.members} files and folders",
            )

    def add_compressed(self, size: int) -> None:
        """Count bytes read from the archive."""
        self._compressed += size
        if self._compressed > self.limits.compressed_bytes:
            raise make_refusal(
                RefusalCode.ARCHIVE_TOO_LARGE,
                f"archive: expected at most {_format_megabytes(self.limits.compressed_bytes)} MB",
            )

    def add_unpacked(self, size: int) -> None:
        """Count bytes unpacked from the archive or read from the repository."""
        self._deadline.check()
        self._unpacked += size
        if self._unpacked > self.limits.unpacked_bytes:
            raise make_refusal(
                RefusalCode.REPOSITORY_TOO_LARGE,
                f"repository: expected at most {_format_megabytes(self.limits.unpacked_bytes)} MB of files",
            )

    def check_ratio(self) -> None:
        """Check the proportion of unpacked to packed bytes."""
        allowed = max(self.limits.ratio_from, self._compressed * self.limits.ratio)
        if self._unpacked > allowed:
            raise make_refusal(
                RefusalCode.ARCHIVE_BOMB,
                f"archive: expected at most {self.limits.ratio} bytes of files per packed byte",
            )


def _format_megabytes(size: int) -> str:
    return f"{size / MEGABYTE:g}"


_HEAD = 2_000
_UTF_8 = codecs.BOM_UTF8
# The mark of UTF-32 in little endian begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def convert_to_utf8(content: bytes) -> bytes:
    """Return the text without a byte order mark; UTF-16 and UTF-32, marked or not, become UTF-8."""
    if content.startswith(_UTF_8):
        return content[len(_UTF_8) :]
    if b"\0" not in content[:_HEAD] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace").encode("utf-8", "replace")
    for encoding in _guess_encodings(content):
        try:
            return content.decode(encoding).encode()
        except UnicodeError:
            continue
    return content


def normalize_line_ends(text: bytes) -> bytes:
    """Replace CR LF and CR by LF."""
    if b"\r" not in text:
        return text
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _guess_encodings(content: bytes) -> Iterator[str]:
    """Guess unmarked UTF-16: nearly all characters of a source have a zero in the same half."""
    head = content[: _HEAD - len(content[:_HEAD]) % 2]
    if len(content) % 2 or len(head) < 2:
        return
    low, high = head[0::2], head[1::2]
    if high.count(0) * 2 > len(high) and low.count(0) * 10 < len(low):
        yield "utf-16-le"
    if low.count(0) * 2 > len(low) and high.count(0) * 10 < len(high):
        yield "utf-16-be"
