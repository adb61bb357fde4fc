"""Disk errors as errors of castad's own."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from resources.contract.errors import StateUnavailableError, TransientError

DISK_FULL = "disk_full"


@contextmanager
def disk_errors() -> Iterator[None]:
    """An OSError in the block becomes a TransientError, `disk_full` or `disk_error`."""
    try:
        yield
    except OSError as error:
        raise TransientError(
            f"the artifact folder cannot be written: {error.strerror}",
            code=DISK_FULL if is_disk_full(error) else "disk_error",
        ) from error


@contextmanager
def state_folder_errors(folder: Path) -> Iterator[None]:
    """An OSError in the block becomes a StateUnavailableError about this folder of castad's state."""
    try:
        yield
    except OSError as error:
        raise StateUnavailableError(
            f"CASTAD_HOME: {folder} cannot be used ({error.strerror}); expected a folder that you own"
        ) from error


def is_disk_full(error: BaseException) -> bool:
    """Whether the error means that the disk, or its user's share of it, is full."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
