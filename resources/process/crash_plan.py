"""What CASTAD_CRASH may say: where a fault test stops a process, how, and at which passage. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_FORM = re.compile(r"([a-z_]+\.[a-z_]+):(KILL|STOP|RAISE)(?::([1-9][0-9]{0,5}))?")

PAID_POINTS: Mapping[str, str] = {
    "before_stage": "the stage is not begun",
    "after_begin": "the stage is begun, nothing is asked yet",
    "before_intent": "the vendor is prepared, nothing is on record",
    "after_intent": "the intent is on record, nothing is sent",
    "before_send": "the lease was looked at for the last time, nothing is sent",
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


@dataclass(frozen=True)
class CrashPlan:
    """Do `action` (KILL, STOP or RAISE) when `point` is passed for the `nth` time."""

    point: str
    action: str
    nth: int

    @staticmethod
    def read(text: str) -> "CrashPlan":
        """The plan in a text; raises ValueError where it means nothing or names no point there is."""
        form = _FORM.fullmatch(text)
        if form is None:
            raise ValueError("expected name:KILL, name:STOP or name:RAISE, and :nth if you like")
        point, action, nth = form.groups()
        if point not in OTHER_POINTS and point.partition(".")[2] not in PAID_POINTS:
            known = ", ".join([*(f"<stage>.{step}" for step in PAID_POINTS), *OTHER_POINTS])
            raise ValueError(f"expected one of {known}")
        return CrashPlan(point, action, int(nth or 1))
