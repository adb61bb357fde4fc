"""Which process holds a lock of a SQLite file, by what the kernel tells in /proc.

Not by F_GETLK: to close a descriptor of the file would free every lock that this process holds on it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# https://www.sqlite.org/walformat.html#locks; in any other mode the bytes of the file itself from PENDING on
_WAL_WRITE, _WAL_RECOVER = 120, 122
_PENDING_BYTE = 0x40000000
_TO_THE_END = 2**63 - 1
_LOCKS = Path("/proc/locks")
_MAX_COMMAND_LENGTH = 80


@dataclass(frozen=True)
class HeldLock:
    """A lock that a process has on the bytes `first` to `last` of a file."""

    kind: str
    exclusive: bool
    pid: int
    inode: int
    first: int
    last: int

    def covers(self, byte: int) -> bool:
        """Whether the byte is locked by it."""
        return self.first <= byte <= self.last


@dataclass(frozen=True)
class LockHolder:
    """A process that holds a lock; `is_stopped` by a signal, as by Ctrl-Z."""

    pid: int
    command: str
    is_stopped: bool

    def __str__(self) -> str:
        named = f"process {self.pid}" + (f" ({self.command})" if self.command else "")
        if self.is_stopped:
            return f"{named}, which is stopped; `kill -CONT {self.pid}` lets it go on"
        return named


def held_locks(listing: str) -> Iterator[HeldLock]:
    """The locks of a text like /proc/locks; a line of any other form is passed over.

    https://man7.org/linux/man-pages/man5/proc_locks.5.html; a line with an arrow is of one who waits.
    """
    for line in listing.splitlines():
        match line.split():
            case [_, kind, _, mode, pid, file, first, last] if file.count(":") == 2:
                try:
                    end = _TO_THE_END if last == "EOF" else int(last)
                    inode = int(file.rpartition(":")[2])
                    yield HeldLock(kind, mode == "WRITE", int(pid), inode, int(first), end)
                except ValueError:
                    continue


def writer_pid(listing: str, file: int | None, index: int | None) -> int | None:
    """Who keeps others from writing to the SQLite file of this inode, whose -shm has the inode `index`."""
    for lock in held_locks(listing):
        if lock.kind not in ("POSIX", "OFDLCK") or not lock.exclusive or lock.pid <= 0:
            continue
        of_index = lock.inode == index and (lock.covers(_WAL_WRITE) or lock.covers(_WAL_RECOVER))
        if of_index or (lock.inode == file and lock.last >= _PENDING_BYTE):
            return lock.pid
    return None


def find_write_lock_holder(file: Path) -> LockHolder | None:
    """The process that keeps others from writing to a SQLite file at this moment, where it can be found."""
    index = file.with_name(f"{file.name}-shm")
    return _holder(writer_pid(_read_proc_locks(), _inode(file), _inode(index)))


def find_file_lock_holder(file: Path) -> LockHolder | None:
    """The process that has a whole file locked (flock), where it can be found."""
    inode = _inode(file)
    found = (
        lock.pid
        for lock in held_locks(_read_proc_locks())
        if lock.kind == "FLOCK" and lock.inode == inode
    )
    return _holder(next((pid for pid in found if pid > 0), None))


def _holder(pid: int | None) -> LockHolder | None:
    if pid is None:
        return None
    folder = Path("/proc") / str(pid)
    try:
        words = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
        state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return LockHolder(pid, "", is_stopped=False)
    return LockHolder(pid, " ".join(words.split())[:_MAX_COMMAND_LENGTH], is_stopped=state in "Tt")


def _read_proc_locks() -> str:
    try:
        return _LOCKS.read_text(errors="replace")
    except OSError:
        return ""


def _inode(file: Path) -> int | None:
    try:
        return file.stat().st_ino
    except OSError:
        return None
