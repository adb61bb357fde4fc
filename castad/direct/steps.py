"""What a client sees of an order that is answered directly: the steps' events. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

KEEP_ALIVE = b": keep-alive\n\n"
STARTED, COMPLETED, FAILED = "started", "completed", "failed"


def started(task_id: str) -> Mapping[str, Any]:
    """The first event."""
    return {"status": STARTED, "task_id": task_id}


def step_started(step: str, steps: Sequence[str]) -> Mapping[str, Any]:
    """The step begins; progress is that of the steps before it."""
    return {"step": step, "status": STARTED, "progress": _percent(steps.index(step), steps)}


def step_completed(step: str, steps: Sequence[str]) -> Mapping[str, Any]:
    """The step has ended."""
    return {"step": step, "status": COMPLETED, "progress": _percent(steps.index(step) + 1, steps)}


def step_failed(step: str, code: str, message: str) -> Mapping[str, Any]:
    """The last event of an order that has failed."""
    return {"step": step, "status": FAILED, "error": {"code": code, "message": message}}


def completed_body(task_id: str, result: Mapping[str, Any], *, is_kept: bool) -> Mapping[str, Any]:
    """What the client gets in the end; `kept` says whether saves and import are on the disk."""
    return {
        "task_id": task_id,
        "status": COMPLETED,
        **result,
        "error": None,
        "kept": is_kept,
    }


def failed_body(task_id: str, code: str, message: str) -> Mapping[str, Any]:
    """What the client of a failed order gets."""
    return {"task_id": task_id, "status": FAILED, "error": {"code": code, "message": message}}


def frame(event: Mapping[str, Any], event_id: int | None = None) -> bytes:
    """The event as a frame of Server-Sent Events."""
    line = "" if event_id is None else f"id: {event_id}\n"
    return f"{line}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def _percent(done: int, steps: Sequence[str]) -> int:
    return round(100 * done / len(steps))
