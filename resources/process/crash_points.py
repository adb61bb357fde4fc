"""Places where a fault test may stop a process; nothing happens unless CASTAD_CRASH names one.

`CASTAD_CRASH=song.after_post:KILL:2` kills the process that passes that point as the second one, counted
over every process of the state folder, so that what comes after it recovers with the same environment.
"""

import os
import signal
import threading
from pathlib import Path

from resources.process.crash_plan import CrashPlan
from resources.process.settings import settings


class InjectedCrashError(RuntimeError):
    """A fault test asked for it."""


def crash_point(name: str) -> None:
    """Return, unless this is the point and the passage that CASTAD_CRASH names."""
    text = settings().crash
    if text is None:
        return
    plan = CrashPlan.read(text)
    if plan.point != name:
        return
    if _count_passage(settings().home / f"crash-{text.replace(':', '-')}") != plan.nth:
        return
    if plan.action == "RAISE":
        raise InjectedCrashError(f"crash point {name}")
    # To this very thread: one sent to the process may stop another thread first, and this one goes on meanwhile.
    how = signal.SIGKILL if plan.action == "KILL" else signal.SIGSTOP
    signal.pthread_kill(threading.get_ident(), how)


def _count_passage(count: Path) -> int:
    """How often the plan's point was passed in this state folder, this time included."""
    descriptor = os.open(count, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, b".")
        return os.lseek(descriptor, 0, os.SEEK_CUR)
    finally:
        os.close(descriptor)
