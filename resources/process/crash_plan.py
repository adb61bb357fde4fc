"""The value of CASTAD_CRASH: where a fault test stops a process, how, and at which passage. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_FORM = re.compile(r"([a-z_]+\.[a-z_]+):(KILL|STOP|RAISE)(?::([1-9][0-9]{0,5}))?")

PAID_POINTS: Mapping[str, str] = {
    "before_stage": "the stage has not begun",
    "after_begin": "the stage has begun, the vendor has not been called",
    "before_intent": "the job is prepared, no intent is stored",
    "after_intent": "the intent is stored, nothing is sent",
    "before_send": "the lease was checked for the last time, nothing is sent",
    "after_post": "the vendor has answered, its id is not stored",
    "after_save": "the id is stored, nothing is polled",
    "after_poll": "the vendor has reported success, which is not stored",
    "after_answer": "the final status is stored, nothing is fetched",
    "after_fetch": "the files are downloaded, not stored as artifacts",
    "after_keep": "the files are stored as artifacts, the stage is not completed",
    "after_complete": "the stage is completed, Dagster has not saved it",
}
"""The steps of a paid stage, each as `<stage>.<point>`, and what is done by then."""

OTHER_POINTS: Mapping[str, str] = {
    "claim.after_claim": "the run holds the request, no op has begun",
    "requests_sensor.after_dispatch": "requests are dispatched, Dagster has no run of them",
    "rescue_sensor.after_take": "expired leases are rescued, the cursor is old",
    "outbox_sensor.after_report": "events are mirrored, not marked as mirrored",
}

RETENTION_POINTS: Mapping[str, str] = {
    "retention.before_commit": "requests are deleted, and the transaction is open",
    "retention.after_events": "the events of runs are deleted, the runs are stored",
    "retention.after_commit": "requests or their files are gone from the ledger, the files are there",
}


@dataclass(frozen=True)
class CrashPlan:
    """Do `action` (KILL, STOP or RAISE) when `point` is passed for the `nth` time."""

    point: str
    action: str
    nth: int

    @staticmethod
    def read(text: str) -> "CrashPlan":
        """The plan in a text; raises ValueError where it cannot be read or names an unknown point."""
        form = _FORM.fullmatch(text)
        if form is None:
            raise ValueError(
                "expected name:KILL, name:STOP or name:RAISE, optionally followed by :nth"
            )
        point, action, nth = form.groups()
        others = (*OTHER_POINTS, *RETENTION_POINTS)
        if point not in others and point.partition(".")[2] not in PAID_POINTS:
            known = ", ".join([*(f"<stage>.{step}" for step in PAID_POINTS), *others])
            raise ValueError(f"expected one of {known}")
        return CrashPlan(point, action, int(nth or 1))
