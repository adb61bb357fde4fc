"""What the source design's clients get of Celery's events. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from bench.scan.source_queues import STAGE_QUEUES as STAGES

_STATUSES = {"task-started": "started", "task-succeeded": "completed", "task-failed": "failed"}


def convert_event(task_id: str, event: Mapping[str, Any]) -> dict[str, Any] | None:
    """Convert the event to what a client gets; return None if it is no step of the scan."""
    scan, _, step = str(event.get("uuid", "")).rpartition("/")
    status = _STATUSES.get(event["type"])
    if scan != task_id or status is None or step not in STAGES:
        return None
    done = STAGES.index(step) + (status == "completed")
    said = {"step": step, "status": status, "progress": 100 * done // len(STAGES)}
    if step == STAGES[-1] and status == "completed":
        # Celery reports the result as text in quotes.
        said["result"] = json.loads(event["result"][1:-1])
    return said
