"""Disk errors as errors that a stage may retry."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from resources.contract.errors import TransientError


@contextmanager
def disk_errors() -> Iterator[None]:
    """An OSError in the block becomes a TransientError, `disk_full` or `disk_error`."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        code = "disk_full" if full else "disk_error"
        raise TransientError(
            f"the artifact folder cannot be written: {error.strerror}", code=code
        ) from error
