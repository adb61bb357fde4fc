"""A repository from a work tree, with what is not committed; nothing that git ignores, nothing behind a link."""

import errno
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from dulwich.ignore import IgnoreFilterManager
from dulwich.index import Index, IndexEntry, commit_tree
from dulwich.object_store import MemoryObjectStore
from dulwich.objects import Blob, ObjectID
from dulwich.repo import Repo

from pipeline_defs.analysis.reading.git_tree import opened_repository
from pipeline_defs.analysis.reading.members import (
    Acceptance,
    Clock,
    Code,
    Kind,
    Limits,
    Member,
    MemberRemark,
    ReadingBudget,
    refusal,
)

_SUBMODULE_MODE = 0o160000
_NOT_TO_BE_OPENED = frozenset(
    {errno.EACCES, errno.EPERM, errno.ENOENT, errno.ELOOP, errno.ENXIO, errno.ENAMETOOLONG}
)


@dataclass(frozen=True)
class _Found:
    """What lies in the work tree under this name; `mode` is git's."""

    name: bytes
    path: bytes
    mode: int
    size: int

    @property
    def kind(self) -> Kind:
        if self.mode == _SUBMODULE_MODE:
            return Kind.SUBMODULE
        if stat.S_ISLNK(self.mode):
            return Kind.SYMLINK
        return Kind.FILE if stat.S_ISREG(self.mode) else Kind.SPECIAL


def read_work_tree(
    path: Path, limits: Limits, *, clock: Clock = time.monotonic
) -> Iterator[Member]:
    """The members of the work tree: what is tracked, and what is neither tracked nor ignored.

    Raises PermanentError: `repository_not_found`, `repository_broken`, and where a limit is passed.
    """
    budget, acceptance = ReadingBudget(limits, clock), Acceptance(limits)
    with opened_repository(path) as repository:
        for found in _WorkTree(repository).files():
            budget.add_member()
            yield _member(found, budget, acceptance)


def work_tree_key(path: Path) -> str:
    """The hash of the tree that git would make of the work tree: that of HEAD where nothing was changed."""
    with opened_repository(path) as repository:
        index = repository.open_index()
        blobs = []
        for found in _WorkTree(repository).files():
            committed = _committed_submodule(index, found)
            if committed is not None:
                blobs.append((found.name, committed, found.mode))
            elif found.kind in (Kind.FILE, Kind.SYMLINK):
                blobs.append((found.name, _blob_id(found), found.mode))
        return commit_tree(MemoryObjectStore(), blobs).decode("ascii")


class _WorkTree:
    def __init__(self, repository: Repo) -> None:
        if repository.bare:
            raise refusal(
                Code.REPOSITORY_NOT_FOUND,
                "repository: expected one with a work tree, got a bare one",
            )
        self._root = os.fsencode(repository.path)
        self._ignored = IgnoreFilterManager.from_repo(repository)
        self._tracked = set(repository.open_index())
        self._tracked_folders = {
            name[:end] for name in self._tracked for end in range(len(name)) if name[end] == 47
        }

    def files(self) -> Iterator[_Found]:
        """Everything but folders, in order of names within each folder."""
        waiting = [b""]
        while waiting:
            folder = waiting.pop()
            path = self._root + b"/" + folder
            try:
                with os.scandir(path) as entries:
                    inside = sorted(entries, key=lambda each: each.name)
            except OSError:
                yield _unreadable(folder, path)
                continue
            inner = []
            for entry in inside:
                name = folder + b"/" + entry.name if folder else entry.name
                if entry.name == b".git" or not self._is_wanted(name, entry):
                    continue
                if _is_plain_folder(entry):
                    inner.append(name)
                elif (found := _found(name, entry)) is not None:
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
            # A .gitignore that cannot be read, or a folder in which none can be looked for.
            return True


def _is_plain_folder(entry: "os.DirEntry[bytes]") -> bool:
    is_folder = entry.is_dir(follow_symlinks=False)
    return is_folder and not os.path.lexists(entry.path + b"/.git")


def _found(name: bytes, entry: "os.DirEntry[bytes]") -> _Found | None:
    """What the entry is; None where it was deleted meanwhile."""
    if entry.is_dir(follow_symlinks=False):
        return _Found(name, entry.path, _SUBMODULE_MODE, 0)
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        return _unreadable(name, entry.path)
    mode = stat.S_IFMT(status.st_mode)
    if stat.S_ISREG(mode):
        mode |= 0o755 if status.st_mode & 0o100 else 0o644
    return _Found(name, entry.path, mode, status.st_size)


def _unreadable(name: bytes, path: bytes) -> _Found:
    """What the system does not let be looked at; opening it is refused as well."""
    return _Found(name, path, stat.S_IFREG, 0)


def _member(found: _Found, budget: ReadingBudget, acceptance: Acceptance) -> Member:
    if not acceptance.wants_content(found.kind, found.size):
        return acceptance.member(found.name, found.size, found.kind)
    try:
        with _opened(found) as file:
            content = file.read(budget.limits.file_bytes + 1)
    except OSError as error:
        if error.errno not in _NOT_TO_BE_OPENED:
            raise
        left = acceptance.member(found.name, found.size, found.kind)
        return Member(left.path, found.size, found.kind, remark=MemberRemark.UNREADABLE_FILE)
    budget.add_unpacked(len(content))
    return acceptance.member(found.name, len(content), found.kind, content)


def _opened(found: _Found) -> BinaryIO:
    """The file itself: what became a link or a pipe meanwhile is refused, or does not block."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.fdopen(os.open(found.path, flags), "rb")


def _committed_submodule(index: Index, found: _Found) -> ObjectID | None:
    if found.kind is not Kind.SUBMODULE or found.name not in index:
        return None
    entry = index[found.name]
    return entry.sha if isinstance(entry, IndexEntry) else None


def _blob_id(found: _Found) -> ObjectID:
    if found.kind is Kind.SYMLINK:
        return Blob.from_string(os.readlink(found.path)).id  # noqa: PTH115 - a path of bytes
    digest = hashlib.sha1(b"blob %d\0" % found.size, usedforsecurity=False)
    with _opened(found) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return ObjectID(digest.hexdigest().encode("ascii"))
