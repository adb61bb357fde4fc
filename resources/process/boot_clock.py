"""The clock for leases and deadlines: it counts on while the process or the machine is suspended."""

import time

# Linux' CLOCK_MONOTONIC stops while the machine is suspended; that of other systems does not.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def boot_seconds() -> float:
    """Seconds since boot: they cannot be set, and time in which the machine was suspended counts."""
    return time.clock_gettime(_CLOCK)
