"""Read ComfyUI's answers (docs/vendors/comfyui.md), refusals by answers.md."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from resources.contract.answer_table import Meaning, build_error, load_tables
from resources.contract.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
)
from resources.contract.protocol import Json
from resources.files.media import INVALID_WORKFLOW, describe_workflow_refusal
from resources.http.vendor_client import VendorResponse, read_json_object, shorten_to_line
from studio.graphs import parse_node_id

NAME = "comfyui"
VANISHED = "vanished"
OUT_OF_MEMORY = "out_of_memory"
_RESUBMISSIONS_AFTER_OUT_OF_MEMORY = 1
_RATE_PAUSE = 10.0

ERRORS = load_tables(Path(__file__).with_suffix(".md"))["errors"]
OTHER_WORDS = "change the words or the pictures of the order"
_NAMES = ("filename", "subfolder", "type")


class JobState(Enum):
    """The states of a job at a ComfyUI server."""

    PENDING = "pending"
    RUNNING = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "cancelled"


@dataclass(frozen=True)
class JobView:
    """A job as a server reports it; `ahead` is the number of jobs before it in the queue."""

    state: JobState
    outputs: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=dict)
    ahead: int = 0


@dataclass(frozen=True)
class SavedPicture:
    """A picture file on a server, in the terms of its route `/view`; `node` is the node that saved it."""

    node: str
    filename: str
    subfolder: str
    type: str


def build_filename_prefix(prompt_id: str) -> str:
    """Build the folder and the first part of the names of the job's saved files; the node's number follows."""
    return f"castad/{prompt_id}/picture"


def build_refusal_error(answer: VendorResponse, server: str, key: str) -> ProviderError | None:
    """Build the error of an answer that proves that nothing was queued; None if it proves nothing.

    `server` is the server's name, for the message; `key` is redacted.
    """
    row = ERRORS.find_row(answer.status, (), answer.summary)
    wrong = build_workflow_error(answer.fields, key) if row.code == INVALID_WORKFLOW else None
    told = f"{server} answered HTTP status {answer.status}: {answer.summary or 'no reason given'}"
    pause = answer.retry_after or (_RATE_PAUSE if row.meaning is Meaning.RATE else None)
    return wrong or build_error(row, NAME, told, advice=OTHER_WORDS, retry_after=pause)


def build_workflow_error(fields: Mapping[str, Any], key: str) -> PermanentError | None:
    """Build the error of a graph that the server rejects, naming node, class and input; None if it does not."""
    refusal = describe_workflow_refusal(fields, key)
    if refusal is None:
        return None
    return PermanentError(f"{NAME}: workflow: {refusal}", code=INVALID_WORKFLOW)


def read_job(body: Json) -> JobView | None:
    """Parse the answer of `/api/jobs/{id}`; None if it describes no job."""
    fields = read_json_object(body)
    try:
        state = JobState(fields.get("status"))
    except ValueError:
        return None
    error = read_json_object(fields.get("execution_error"))
    return JobView(state, read_json_object(fields.get("outputs")), error)


def find_job_in_history(body: Json, prompt_id: str) -> JobView | None:
    """Parse the job in an answer of `/history/{id}`; None if the job is not in it."""
    entry = read_json_object(read_json_object(body).get(prompt_id))
    if not entry:
        return None
    outputs, status = read_json_object(entry.get("outputs")), read_json_object(entry.get("status"))
    if status.get("status_str") != "error":
        return JobView(JobState.COMPLETED, outputs)
    events = {
        message[0]: read_json_object(message[1])
        for message in status.get("messages") or ()
        if isinstance(message, list) and len(message) == 2 and isinstance(message[0], str)
    }
    if "execution_interrupted" in events:
        return JobView(JobState.INTERRUPTED, outputs)
    return JobView(JobState.FAILED, outputs, events.get("execution_error", {}))


def find_job_in_queue(body: Json, prompt_id: str) -> JobView | None:
    """Parse the job in an answer of `/queue`; None if the job is not in it."""
    fields = read_json_object(body)
    if prompt_id in _map_queue_numbers(fields.get("queue_running")):
        return JobView(JobState.RUNNING)
    numbers = _map_queue_numbers(fields.get("queue_pending"))
    if prompt_id not in numbers:
        return None
    ahead = sum(number < numbers[prompt_id] for number in numbers.values())
    return JobView(JobState.PENDING, ahead=ahead)


def _map_queue_numbers(entries: Json) -> dict[str, float]:
    """Map the job ids in a queue to their numbers: the job with the lowest number is run first."""
    listed = entries if isinstance(entries, list) else []
    return {
        entry[1]: float(entry[0])
        for entry in listed
        if isinstance(entry, list)
        and len(entry) > 1
        and isinstance(entry[1], str)
        and isinstance(entry[0], int | float)
    }


def build_failure_error(
    view: JobView, server: str, key: str
) -> SubmissionFailedError | PermanentError:
    """Build the error of a failed job; only `out_of_memory` may succeed in another try."""

    def quote(name: str, otherwise: str) -> str:
        return shorten_to_line(str(view.error.get(name) or otherwise), key)

    kind, message = quote("exception_type", ""), quote("exception_message", "no reason was given")
    node, node_type = quote("node_id", "unknown"), quote("node_type", "unknown")
    told = f"{NAME}: workflow: node {node} ({node_type}) failed"
    if "OutOfMemory" in kind or "Allocation on device" in message:
        return SubmissionFailedError(
            f"{told}: {server} is out of memory ({message})",
            code=OUT_OF_MEMORY,
            resubmissions=_RESUBMISSIONS_AFTER_OUT_OF_MEMORY,
        )
    return PermanentError(f"{told}: {kind}: {message}", code="node_failed")


def list_output_pictures(outputs: Mapping[str, Any]) -> list[SavedPicture]:
    """List the pictures that a job has saved, ordered by node; its previews only if it has saved none."""
    found = [
        SavedPicture(node, *(str(image.get(name) or "") for name in _NAMES))
        for node, output in sorted(outputs.items(), key=lambda item: parse_node_id(item[0]))
        for image in read_json_object(output).get("images") or ()
        if isinstance(image, dict) and image.get("filename")
    ]
    saved = [picture for picture in found if picture.type == "output"]
    return saved or found
