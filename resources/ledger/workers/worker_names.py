"""Worker names, each locked by its process until that ends in any way.

A name is `<hostname>-<home id>-<number>`: the lowest number whose lock file in the state folder is not locked.
The kernel releases the lock when the process ends; a suspended process keeps it.
"""

import fcntl
import os
import secrets
import socket
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from resources.process.disk_errors import state_folder_errors
from resources.process.file_locks import lock_if_free

_SUFFIX = ".lock"


class NameLock:
    """A name that no other process has until it is released."""

    def __init__(self, name: str, descriptor: int) -> None:
        self.name = name
        self._descriptor = descriptor

    def release(self) -> None:
        """Another process may take the name."""
        os.close(self._descriptor)


def acquire_name(home: Path) -> NameLock:
    """The first free name of this state folder. Raises StateUnavailableError."""
    with state_folder_errors(home):
        prefix = _prefix(workers_folder(home))
        for number in count():
            descriptor = lock_if_free(workers_folder(home) / f"{number}{_SUFFIX}")
            if descriptor is not None:
                # For operators: the process that has the name.
                os.truncate(descriptor, 0)
                os.write(descriptor, str(os.getpid()).encode())
                return NameLock(f"{prefix}{number}", descriptor)
    raise AssertionError("numbers never end")


def unlocked_names(home: Path) -> Iterator[str]:
    """The names of this state folder that no process has now.

    Each is locked while the caller handles it. Raises StateUnavailableError.
    """
    with state_folder_errors(home):
        prefix = _prefix(workers_folder(home))
        locks = sorted(workers_folder(home).glob(f"[0-9]*{_SUFFIX}"))
    for path in locks:
        with state_folder_errors(home):
            descriptor = lock_if_free(path)
        if descriptor is None:
            continue
        try:
            yield f"{prefix}{path.stem}"
        finally:
            os.close(descriptor)


def workers_folder(home: Path) -> Path:
    """The folder of the workers' locks, which exists."""
    folder = home / "workers"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _prefix(folder: Path) -> str:
    return f"{socket.gethostname()}-{_home_id(folder / 'id')}-"


def _home_id(path: Path) -> str:
    """The random id of a state folder; a copied folder gets a new one, because its lock files are others."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        this_file = str(os.fstat(file.fileno()).st_ino)
        home_id, _, made_as = file.read().partition(" ")
        if home_id and made_as == this_file:
            return home_id
        home_id = secrets.token_hex(4)
        file.seek(0)
        file.truncate()
        file.write(f"{home_id} {this_file}")
        return home_id
