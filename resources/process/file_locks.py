"""Lock files, find the process that holds a lock, and translate the errors of the disk.

Holders are read from /proc/locks. F_GETLK is not used: closing a descriptor of the file would release every lock
that this process holds on it.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from resources.contract.errors import StateUnavailableError, TransientError

# https://www.sqlite.org/walformat.html#locks; in any other mode, the bytes of the file itself from PENDING on
_WAL_WRITE, _WAL_RECOVER = 120, 122
_PENDING_BYTE = 0x40000000
_TO_THE_END = 2**63 - 1
_MAX_COMMAND_LENGTH = 80
_LONGEST_WAIT = 30.0
_RETRY_SECONDS = 0.01
# Linux' CLOCK_MONOTONIC stops while the machine is suspended; that of other systems does not.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
DISK_FULL = "disk_full"


@contextmanager
def exclusive_file_lock(path: Path, seconds: float = _LONGEST_WAIT) -> Iterator[None]:
    """Hold an exclusive lock on the file during the block; create the file if it is missing.

    Raises StateUnavailableError, naming the holder, if another process keeps the lock longer than `seconds`.
    """
    with path.open("a") as lock:
        deadline = time.monotonic() + seconds
        while not try_exclusive_lock(lock.fileno()):
            if time.monotonic() > deadline:
                by = _describe_file_lock_holder(path)
                raise StateUnavailableError(f"{path} is locked by {by}", code="database_locked")
            time.sleep(_RETRY_SECONDS)
        yield


def open_lock_file(path: Path) -> int:
    """Open the lock file and return its descriptor; create a missing file. Child processes do not inherit it."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def lock_if_free(path: Path) -> int | None:
    """Lock the file exclusively; return the descriptor, or None if another process holds the lock.

    Closing the descriptor releases the lock. Raises OSError.
    """
    descriptor = open_lock_file(path)
    try:
        if try_exclusive_lock(descriptor):
            return descriptor
    except OSError:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def try_exclusive_lock(descriptor: int) -> bool:
    """Try to lock the descriptor's file exclusively, without waiting; return whether it succeeded."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@dataclass(eq=False)
class Slots:
    """A fixed number of slots shared by processes, each a lock file; a process that dies frees its slots.

    `look_again` is the pause between two tries in seconds.
    """

    folder: Path
    count: int
    look_again: float = 0.2

    @contextmanager
    def hold_slot(self, stop: Event) -> Iterator[bool]:
        """Wait for a slot and hold it during the block; yield False if `stop` was set before one was free.

        Raises OSError if the folder cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        slot = self._lock_free_slot()
        while slot is None and not stop.wait(self.look_again):
            slot = self._lock_free_slot()
        try:
            yield slot is not None
        finally:
            if slot is not None:
                os.close(slot)

    def _lock_free_slot(self) -> int | None:
        slots = (lock_if_free(self.folder / f"slot-{number}") for number in range(self.count))
        return next((slot for slot in slots if slot is not None), None)


@dataclass(frozen=True)
class HeldLock:
    """A lock that a process holds on the bytes `first` to `last` of a file, as /proc/locks lists it."""

    kind: str
    exclusive: bool
    pid: int
    inode: int
    first: int
    last: int

    def covers(self, byte: int) -> bool:
        """Return whether the lock includes this byte of the file."""
        return self.first <= byte <= self.last


def _describe_file_lock_holder(file: Path) -> str:
    """Describe the process that locks the whole file with flock, as `describe_write_lock_holder` does."""
    inode = get_inode(file)
    found = (
        lock.pid
        for lock in parse_held_locks(_read_proc_locks())
        if lock.kind == "FLOCK" and lock.inode == inode and lock.pid > 0
    )
    return _describe_holder(next(found, None))


def describe_write_lock_holder(file: Path) -> str:
    """Describe the process that locks a SQLite file for writing at this moment, "another process" if unknown."""
    index = file.with_name(f"{file.name}-shm")
    return _describe_holder(find_writer_pid(_read_proc_locks(), get_inode(file), get_inode(index)))


def find_writer_pid(listing: str, file: int | None, index: int | None) -> int | None:
    """Find the process that locks a SQLite file for writing; return its id, None without one.

    `listing` is the text of /proc/locks, `file` the inode of the SQLite file, `index` that of its -shm file.
    """
    for lock in parse_held_locks(listing):
        if lock.kind not in ("POSIX", "OFDLCK") or not lock.exclusive or lock.pid <= 0:
            continue
        of_index = lock.inode == index and (lock.covers(_WAL_WRITE) or lock.covers(_WAL_RECOVER))
        if of_index or (lock.inode == file and lock.last >= _PENDING_BYTE):
            return lock.pid
    return None


def parse_held_locks(listing: str) -> Iterator[HeldLock]:
    """Parse the held locks in a text like /proc/locks; skip other lines, such as those of waiting processes.

    https://man7.org/linux/man-pages/man5/proc_locks.5.html
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


def _describe_holder(pid: int | None) -> str:
    """Describe a process by its id and command, and whether a signal, such as Ctrl-Z's, has stopped it."""
    if pid is None:
        return "another process"
    folder = Path("/proc") / str(pid)
    try:
        words = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
        state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return f"process {pid}"
    command = " ".join(words.split())[:_MAX_COMMAND_LENGTH]
    named = f"process {pid} ({command})" if command else f"process {pid}"
    return f"{named}, which is stopped; `kill -CONT {pid}` resumes it" if state in "Tt" else named


def _read_proc_locks() -> str:
    try:
        return Path("/proc/locks").read_text(errors="replace")
    except OSError:
        return ""


def get_inode(file: Path) -> int | None:
    """Return the file's inode; None where there is no such file."""
    try:
        return file.stat().st_ino
    except OSError:
        return None


@contextmanager
def translate_disk_errors() -> Iterator[None]:
    """Re-raise an OSError from the block as a TransientError, `disk_full` or `disk_error`."""
    try:
        yield
    except OSError as error:
        raise TransientError(
            f"the artifact folder cannot be written: {error.strerror}",
            code=DISK_FULL if is_disk_full_error(error) else "disk_error",
        ) from error


@contextmanager
def translate_state_folder_errors(folder: Path) -> Iterator[None]:
    """Re-raise an OSError from the block as a StateUnavailableError about the state folder `folder`."""
    try:
        yield
    except OSError as error:
        raise StateUnavailableError(
            f"CASTAD_HOME: {folder} cannot be used ({error.strerror}); expected a folder that you own"
        ) from error


def is_disk_full_error(error: BaseException) -> bool:
    """Return whether the error means that the disk, or the user's quota on it, is full."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def read_boot_seconds() -> float:
    """Return the seconds since boot, which cannot be set and include time in suspension."""
    return time.clock_gettime(_CLOCK)
