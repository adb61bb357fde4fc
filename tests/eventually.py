"""Wait for what another thread or process brings about."""

import threading
import time
from collections.abc import Callable


def eventually(holds: Callable[[], bool], patience: float = 60.0) -> bool:
    """Whether it comes true before a deadline that no healthy machine reaches.

    Looked at more and more seldom: a look takes time from what is waited for.
    """
    begun = time.monotonic()
    while not holds():
        waited = time.monotonic() - begun
        if waited > patience:
            return False
        threading.Event().wait(0.005 + waited / 20)
    return True
