"""Wait for what another thread or process brings about."""

import threading
import time
from collections.abc import Callable

_PATIENCE = 60.0


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it comes true before a deadline that no healthy machine reaches."""
    deadline = time.monotonic() + _PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            return False
        threading.Event().wait(0.005)
    return True
