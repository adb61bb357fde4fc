"""Points at which a fault test may stop a process; nothing happens unless CASTAD_CRASH names one.

`CASTAD_CRASH=song.after_post:KILL:2` kills the process at the second passage of that point, counted over every
process of the state folder, so that the next process recovers with the same environment.
"""

import os
import signal
import threading

from resources.process.settings import settings


class InjectedCrashError(RuntimeError):
    """Raised by a fault test at a crash point."""


def trigger_crash_point(name: str) -> None:
    """Kill or stop this process, or raise InjectedCrashError, if CASTAD_CRASH names this point and passage.

    Without CASTAD_CRASH it does nothing.
    """
    plan = settings().crash
    if plan is None or plan.point != name:
        return
    # One byte a passage, counted over all processes.
    count = settings().home / f"crash-{plan.text.replace(':', '-')}"
    descriptor = os.open(count, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, b".")
        passages = os.lseek(descriptor, 0, os.SEEK_CUR)
    finally:
        os.close(descriptor)
    if passages != plan.nth:
        return
    if plan.action == "RAISE":
        raise InjectedCrashError(f"crash point {name}")
    # To this thread: a signal to the process may stop another thread first, while this one continues.
    how = signal.SIGKILL if plan.action == "KILL" else signal.SIGSTOP
    signal.pthread_kill(threading.get_ident(), how)
