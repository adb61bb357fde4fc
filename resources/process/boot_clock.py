"""The clock for what has to end with a lease, whatever the process or its machine does meanwhile."""

import time

# Linux' monotonic clock stands still while the machine is suspended; that of other systems does not.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def boot_seconds() -> float:
    """Seconds since a moment long ago: nobody sets them, and time in which the machine slept counts."""
    return time.clock_gettime(_CLOCK)
