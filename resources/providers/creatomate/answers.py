"""Read Creatomate's answers (docs/vendors/creatomate.md); any field may hold anything."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from resources.contract.answer_table import build_error, load_tables
from resources.contract.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import InProgress, Json, Succeeded
from resources.http.vendor_client import (
    VendorResponse,
    contains_secret,
    read_json_object,
    shorten_to_line,
)

RENDER_UNKNOWN = "render_unknown"
_MOST_ADVICE = 3
_LONGEST_LINK = 4_000
_LONGEST_ID = 128
_LARGEST = {"width": 1e5, "height": 1e5, "duration": 1e5, "frame_rate": 1e3, "file_size": 1e12}
_FACTORS = ("width", "height", "frame_rate", "duration")
_MOST_FAILED = 1
_OF_A_SOURCE = re.compile(
    r"download|fetch|retriev|url|source|tim(e|ed) ?out|connect", re.IGNORECASE
)
_OF_THE_JOB_INPUT = re.compile(
    r"template|validat|invalid|permission|not allowed|unsupported|forbidden", re.IGNORECASE
)


RENDER_INVALID = "render_invalid"
ERRORS = load_tables(Path(__file__).with_suffix(".md"))["errors"]
OTHER_WORDS = "change the words or the pictures of the order"


def build_refusal_error(answer: VendorResponse, key: str) -> ProviderError | None:
    """Build the error of an answer that proves that nothing was queued; None if it proves nothing."""
    row = ERRORS.find_row(answer.status, (), _find_sentence(answer) or answer.summary)
    return build_error(
        row,
        "creatomate",
        summarize_response(answer, key),
        advice=OTHER_WORDS,
        retry_after=answer.retry_after,
    )


def summarize_response(answer: VendorResponse, key: str) -> str:
    """Return the HTTP status and the vendor's error message, for messages."""
    said = shorten_to_line(_find_sentence(answer), key) or answer.summary or "no reason given"
    is_elsewhere = 300 <= answer.status < 400 and answer.status not in (301, 307, 308)
    return f"HTTP status {answer.status}: {said}" + ("; check CREATOMATE_BASE_URL" * is_elsewhere)


def _find_sentence(answer: VendorResponse) -> str:
    """Return the vendor's error message in an answer; "" without one."""
    said = (answer.fields.get(name) for name in ("hint", "message", "error"))
    return next((each for each in said if isinstance(each, str) and each.strip()), "")


def check_dry_run(answer: VendorResponse, key: str) -> Mapping[str, Json]:
    """Check that a dry run passed without errors and warnings; return the `source` that would be rendered.

    Raises PermanentError `render_invalid` with the reason, `dry_run_ignored` for an answer that is no dry run's,
    and TransientError without an answer.
    """
    if not 200 <= answer.status < 300:
        raise build_refusal_error(answer, key) or TransientError(
            f"creatomate: the dry run was not answered ({summarize_response(answer, key)})",
            retry_after=answer.retry_after,
        )
    renders = [render for render in list_renders(answer.body) if "id" in render]
    valid = answer.fields.get("valid")
    if answer.status != 200 or renders or not isinstance(valid, bool):
        summary = f"is not that of a dry run (HTTP status {answer.status}: {answer.summary})"
        queued = f"names render {_format_ids(renders, key)}" if renders else summary
        raise PermanentError(
            f"creatomate: the answer to the dry run {queued}; something may have been rendered and "
            "charged, nothing else was sent",
            code="dry_run_ignored",
        )
    advice = list_advice(answer.fields, key)
    if advice or not valid:
        why = shorten_to_line("; ".join(advice)) or "no reason given"
        raise PermanentError(f"creatomate: the dry run found faults: {why}", code=RENDER_INVALID)
    return read_json_object(answer.fields.get("source"))


def read_queued_render(answer: VendorResponse, key: str, token: str) -> Mapping[str, Any]:
    """Return the render object in the answer to a submission. Raises UnknownSubmissionError without one."""
    renders = list_renders(answer.body)
    if len(renders) > 1:
        raise UnknownSubmissionError(
            f"creatomate: the answer holds {len(renders)} renders, expected one: {_format_ids(renders, key)}"
        )
    # The vendor may repeat the key or the token.
    given = read_id(renders[0]) if renders else None
    if given is None or contains_secret(given, key, token):
        raise UnknownSubmissionError(
            "creatomate: the render may have been queued, but the answer names no id "
            f"(HTTP status {answer.status}: {answer.summary})"
        )
    return renders[0]


def list_renders(body: Json) -> list[Mapping[str, Any]]:
    """List the render objects in an answer's body, which is one object or a list."""
    renders = body if isinstance(body, list) else [body]
    return [render for render in renders if isinstance(render, dict)]


def _format_ids(renders: Sequence[Mapping[str, Any]], key: str) -> str:
    return shorten_to_line(", ".join(str(each.get("id")) for each in renders[:_MOST_ADVICE]), key)


def read_id(render: Json) -> str | None:
    """Return the id of a render object, such as the body of a webhook; None without a usable one."""
    given = render.get("id") if isinstance(render, dict) else None
    usable = isinstance(given, str) and 0 < len(given) <= _LONGEST_ID and given.isprintable()
    return given if usable else None


def list_advice(render: Mapping[str, Any], key: str) -> list[str]:
    """List the first three `errors` and `warnings` in an answer, as text; their form is not documented."""
    entries: list[Json] = []
    for kind in ("errors", "warnings"):
        given = render.get(kind)
        entries += given if isinstance(given, list) else [given] if given else []
    advice = []
    for entry in entries[:_MOST_ADVICE]:
        told = entry.get("message", entry.get("hint")) if isinstance(entry, dict) else entry
        advice.append(shorten_to_line(told if isinstance(told, str) else repr(entry), key))
    return advice


def read_render_state(render: Mapping[str, Any], key: str) -> InProgress | Succeeded:
    """Read a render's state; an undocumented status counts as in progress.

    Raises SubmissionFailedError for a failed or cancelled render.
    """
    status = render.get("status")
    if status == "succeeded":
        answer = read_finished_render(render, key)
        return Succeeded({**answer, "notes": list_advice(render, key)}) if answer else InProgress()
    if status in ("cancelled", "canceled"):
        said = render.get("error_message")
        why = f": {shorten_to_line(said, key)}" if isinstance(said, str) and said.strip() else ""
        raise SubmissionFailedError(
            f"creatomate: the render was cancelled{why}",
            code="render_cancelled",
            resubmissions=_MOST_FAILED,
        )
    if status == "failed":
        given = render.get("error_message")
        why = shorten_to_line(given, key) if isinstance(given, str) and given else "no reason given"
        # It is retried unless the message blames the input.
        is_faulty = _OF_THE_JOB_INPUT.search(why) and not _OF_A_SOURCE.search(why)
        raise SubmissionFailedError(
            f"creatomate: the render failed: {why}",
            code="render_failed",
            resubmissions=0 if is_faulty else _MOST_FAILED,
        )
    return InProgress()


def read_finished_render(render: Mapping[str, Any], key: str) -> dict[str, Json]:
    """Build the answer that `fetch` needs; empty if the render is not finished or has no usable link."""
    secrets = (key, str(render.get("metadata")))
    link = _check_link(render.get("url"), *secrets)
    if render.get("status") != "succeeded" or link is None:
        return {}
    numbers = {name: _check_number(render.get(name), most) for name, most in _LARGEST.items()}
    return {
        "id": render["id"],
        "url": link,
        "snapshot_url": _check_link(render.get("snapshot_url"), *secrets),
        **numbers,
    }


def compute_pixels(film: Mapping[str, Json]) -> float | None:
    """Compute width · height · frames of a film from the vendor's numbers; None if one is missing."""
    known = [_check_number(film.get(name), _LARGEST[name]) for name in _FACTORS]
    numbers = [number for number in known if number is not None]
    return math.prod(numbers) if len(numbers) == len(_FACTORS) else None


def _check_link(given: Json, *secrets: str) -> str | None:
    """Return the link if it is usable and contains none of the secrets, else None."""
    usable = (
        isinstance(given, str)
        and len(given) <= _LONGEST_LINK
        and given.isprintable()
        and given.startswith(("https://", "http://"))
        and not contains_secret(given, *secrets)
    )
    return given if usable else None


def _check_number(given: Json, most: float) -> float | None:
    """Return the number if it is in (0, `most`], else None."""
    known = isinstance(given, int | float) and not isinstance(given, bool)
    return given if known and 0 < given <= most and math.isfinite(given) else None
