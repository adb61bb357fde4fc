"""Find the folders that a process works in."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Any

from resources.contract.errors import CastadError, InvalidInputError
from resources.process.file_locks import lock_if_free


class Slots:
    """A number of slots in a folder, each a lock on a file: a process that dies frees its own."""

    def __init__(self, folder: Path, count: int, look_again: float = 0.2) -> None:
        self.count = count
        self._folder = folder
        self._look_again = look_again

    @contextmanager
    def one(self, stop: Event) -> Iterator[bool]:
        """Hold a slot inside the block; yield False where `stop` was set before one was free.

        Raises OSError where the folder cannot be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        slot = self._take()
        while slot is None and not stop.wait(self._look_again):
            slot = self._take()
        try:
            yield slot is not None
        finally:
            if slot is not None:
                os.close(slot)

    def _take(self) -> int | None:
        """Return the descriptor that locks a free slot; None where each is taken."""
        slots = (lock_if_free(self._folder / f"slot-{number}") for number in range(self.count))
        return next((slot for slot in slots if slot is not None), None)


def load(folder: str, module: str, name: str, code: str) -> Any:
    """Import the folder's module and return its value of this name; None where the module has none.

    Raises InvalidInputError with this code, naming the folder, where the module is missing or raises an error.
    """
    file = f"{module.rpartition('.')[2]}.py"
    try:
        return getattr(import_module(module), name, None)
    except CastadError:
        raise
    except ModuleNotFoundError as error:
        is_own = error.name is not None and f"{module}.".startswith(f"{error.name}.")
        expected = f"expected a file {file}" if is_own else f"{file}: {error}"
    except Exception as error:  # noqa: BLE001 - the folder's code may raise anything
        expected = f"{file}: {type(error).__name__}: {error}"
    raise InvalidInputError(folder, " ".join(expected.split()), code=code)


def is_code_server() -> bool:
    """Return whether this process serves definitions to Dagster's daemon and web server."""
    return sys.argv[1:3] == ["api", "grpc"]


def is_job_execution() -> bool:
    """Return whether this process is `dagster job execute`: one run, for a person who reads its output."""
    return sys.argv[1:3] == ["job", "execute"]
