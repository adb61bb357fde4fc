"""Which members of a repository are measured, and the remark on each other one."""

from pipeline_defs.analysis.reading.members import Kind, Member, MemberRemark
from pipeline_defs.analysis.reading.names import path_of
from pipeline_defs.analysis.reading.reading_limits import Limits

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_REMARKS = {
    Kind.SYMLINK: MemberRemark.SYMLINK,
    Kind.HARD_LINK: MemberRemark.HARD_LINK,
    Kind.SUBMODULE: MemberRemark.SUBMODULE,
    Kind.SPECIAL: MemberRemark.SPECIAL_FILE,
}


class Acceptance:
    """Makes the members of one repository; knows the names that it has seen."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._paths: set[str] = set()

    def wants_content(self, kind: Kind, size: int) -> bool:
        """Whether such a member is looked into."""
        return kind is Kind.FILE and size <= self._limits.file_bytes

    def member(self, name: bytes, size: int, kind: Kind, content: bytes = b"") -> Member:
        """The member of this name, with a remark where it is no file to look into."""
        path, remark = path_of(name, self._limits)
        if remark is None:
            remark = self._remark(path, size, kind, content)
            self._paths.add(path)
        return Member(path, size, kind, b"" if remark else content, remark)

    def _remark(self, path: str, size: int, kind: Kind, content: bytes) -> MemberRemark | None:
        if path in self._paths:
            return MemberRemark.REPEATED_NAME
        if kind is not Kind.FILE:
            return _REMARKS[kind]
        if size > self._limits.file_bytes:
            return MemberRemark.LARGE_FILE
        return MemberRemark.LFS_POINTER if content.startswith(_LFS_POINTER) else None
