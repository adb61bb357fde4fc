"""Places where a fault test may stop a process; nothing happens unless CASTAD_CRASH names one.

`CASTAD_CRASH=song.after_post:KILL:2` kills the process that passes that point as the second one, counted
over every process of the state folder, so that what comes after it recovers with the same environment.
"""

import os
import signal
from collections.abc import Mapping
from pathlib import Path

from resources.errors import InvalidInputError
from resources.settings import settings

PAID_POINTS: Mapping[str, str] = {
    "before_stage": "the stage is not begun",
    "after_begin": "the stage is begun, nothing is asked yet",
    "before_intent": "the vendor is prepared, nothing is on record",
    "after_intent": "the intent is on record, nothing is sent",
    "after_post": "the vendor has answered, its id is not on record",
    "after_record": "the id is on record, nothing is polled",
    "after_poll": "the vendor said done, that is not on record",
    "after_answer": "the verdict is on record, nothing is fetched",
    "after_fetch": "the files are here, not in their place",
    "after_keep": "the files are in their place, the stage is not done",
    "after_complete": "the stage is done, Dagster does not know",
}
"""The steps of the paid protocol, each as `<stage>.<point>`, and how far it is there."""

OTHER_POINTS: Mapping[str, str] = {
    "claim.after_claim": "the run holds the request, no op has begun",
    "requests_sensor.after_dispatch": "rows are dispatched, Dagster knows of no run",
    "rescue_sensor.after_take": "what was lost is taken back, the cursor is old",
    "outbox_sensor.after_report": "events are mirrored, not marked so",
}


class InjectedCrashError(RuntimeError):
    """A fault test asked for it."""


def crash_point(name: str) -> None:
    """Return, unless this is the point and the passage that CASTAD_CRASH names."""
    plan = settings().crash
    if plan is None:
        return
    check_plan(plan)
    point, action, *nth = plan.split(":")
    if point != name or _passage(settings().home / f"crash-{plan.replace(':', '-')}") != int(
        nth[0] if nth else 1
    ):
        return
    if action == "RAISE":
        raise InjectedCrashError(f"crash point {name}")
    os.kill(os.getpid(), signal.SIGKILL if action == "KILL" else signal.SIGSTOP)


def check_plan(plan: str) -> None:
    """Return where the plan names a point that there is; raise InvalidInputError where it does not."""
    name = plan.partition(":")[0]
    if name in OTHER_POINTS or name.partition(".")[2] in PAID_POINTS:
        return
    known = ", ".join([*(f"<stage>.{point}" for point in PAID_POINTS), *OTHER_POINTS])
    raise InvalidInputError("CASTAD_CRASH", f"expected one of {known}", code="invalid_setting")


def _passage(count: Path) -> int:
    """How often the plan's point was passed in this state folder, this time included."""
    descriptor = os.open(count, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, b".")
        return os.lseek(descriptor, 0, os.SEEK_CUR)
    finally:
        os.close(descriptor)
