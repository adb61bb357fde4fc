"""Read a work tree with its uncommitted files, without ignored files and without following links."""

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dulwich.ignore import IgnoreFilterManager
from dulwich.repo import Repo

from pipeline_defs.analysis.reading.git_tree import open_repository
from pipeline_defs.analysis.reading.members import (
    Acceptance,
    AnalysisLimits,
    Kind,
    Member,
    MemberRemark,
    ReadingBudget,
    RefusalCode,
    make_refusal,
)

_NOT_TO_BE_OPENED = frozenset(
    {errno.EACCES, errno.EPERM, errno.ENOENT, errno.ELOOP, errno.ENXIO, errno.ENAMETOOLONG}
)


@dataclass(frozen=True)
class _Found:
    name: bytes
    path: bytes
    kind: Kind
    size: int


def read_work_tree(path: Path, limits: AnalysisLimits) -> Iterator[Member]:
    """Read the members of the work tree: tracked files, and those that are neither tracked nor ignored.

    Raise PermanentError `repository_not_found`, `repository_broken`, and if a limit is exceeded.
    """
    budget, acceptance = ReadingBudget(limits), Acceptance(limits)
    with open_repository(path) as repository:
        for found in _WorkTree(repository).list_files():
            budget.add_member()
            yield _read_member(found, budget, acceptance)


class _WorkTree:
    def __init__(self, repository: Repo) -> None:
        if repository.bare:
            raise make_refusal(
                RefusalCode.REPOSITORY_NOT_FOUND,
                "repository: expected one with a work tree, got a bare one",
            )
        self._root = os.fsencode(repository.path)
        self._ignored = IgnoreFilterManager.from_repo(repository)
        self._tracked = set(repository.open_index())
        self._tracked_folders = {
            name[:end] for name in self._tracked for end in range(len(name)) if name[end] == 47
        }

    def list_files(self) -> Iterator[_Found]:
        """Yield everything except folders, in order of names within each folder."""
        waiting = [b""]
        while waiting:
            folder = waiting.pop()
            path = self._root + b"/" + folder
            try:
                with os.scandir(path) as entries:
                    inside = sorted(entries, key=lambda each: each.name)
            except OSError:
                yield _make_unreadable(folder, path)
                continue
            inner = []
            for entry in inside:
                name = folder + b"/" + entry.name if folder else entry.name
                if entry.name == b".git" or not self._is_wanted(name, entry):
                    continue
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_folder and not os.path.lexists(entry.path + b"/.git"):
                    inner.append(name)
                elif (found := _inspect_entry(name, entry)) is not None:
                    yield found
            waiting.extend(reversed(inner))

    def _is_wanted(self, name: bytes, entry: "os.DirEntry[bytes]") -> bool:
        is_folder = entry.is_dir(follow_symlinks=False)
        if name in self._tracked or (is_folder and name in self._tracked_folders):
            return True
        asked = os.fsdecode(name) + ("/" if is_folder else "")
        try:
            return not self._ignored.is_ignored(asked)
        except OSError:
            # A .gitignore cannot be read, or a folder cannot be searched for one.
            return True


def _inspect_entry(name: bytes, entry: "os.DirEntry[bytes]") -> _Found | None:
    """Return the entry's kind and size; None if it was deleted meanwhile."""
    if entry.is_dir(follow_symlinks=False):
        return _Found(name, entry.path, Kind.SUBMODULE, 0)
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        return _make_unreadable(name, entry.path)
    kind = Kind.FILE if stat.S_ISREG(status.st_mode) else Kind.SPECIAL
    if stat.S_ISLNK(status.st_mode):
        kind = Kind.SYMLINK
    return _Found(name, entry.path, kind, status.st_size)


def _make_unreadable(name: bytes, path: bytes) -> _Found:
    """Make an entry that the system refuses to inspect; opening it is refused as well."""
    return _Found(name, path, Kind.FILE, 0)


def _read_member(found: _Found, budget: ReadingBudget, acceptance: Acceptance) -> Member:
    if not acceptance.may_read(found.kind, found.size):
        return acceptance.make_member(found.name, found.size, found.kind)
    try:
        # The file itself, not the link or pipe that may have replaced it meanwhile.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(found.path, flags), "rb") as file:
            content = file.read(budget.limits.file_bytes + 1)
    except OSError as error:
        if error.errno not in _NOT_TO_BE_OPENED:
            raise
        left = acceptance.make_member(found.name, found.size, found.kind)
        return Member(left.path, found.size, found.kind, remark=MemberRemark.UNREADABLE_FILE)
    budget.add_unpacked(len(content))
    return acceptance.make_member(found.name, len(content), found.kind, content)
