"""Reads sunoapi.org's answers: an envelope `{code, msg, data}` whose code decides. Pure.

Source: docs/vendors/suno.md.
"""

from collections.abc import Mapping
from typing import Any

from resources.contract.errors import (
    KEY_REFUSED,
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.contract.protocol import Json
from resources.http.vendor_client import VendorResponse, contains_secret, json_object, one_line

RATE_LIMIT_SECONDS = 10.0
MAINTENANCE_SECONDS = 180.0
REFUND = 531
REFUNDED = "refunded"
MOST_AFTER_REFUND = 1
"""How many resubmissions follow a refunded failure: the vendor documents one as safe."""
_LONGEST_ID = 200
_TASK_ID = ("taskId", "task_id")
_AS_CODE = {429: 430, 405: 404, 301: 404, 307: 404, 308: 404}
"""HTTP statuses that the vendor's codes number differently or do not have."""


def is_success(answer: VendorResponse) -> bool:
    """Whether code and HTTP status both report success."""
    return code_of(answer) == 200 and 200 <= answer.status < 300


def code_of(answer: VendorResponse) -> int | None:
    """The envelope's code; None where there is no readable one."""
    code = answer.fields.get("code")
    if isinstance(code, str) and code.isascii() and code.isdecimal() and len(code) < 5:
        code = int(code)
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def response_summary(answer: VendorResponse, key: str) -> str:
    """The vendor's code and message on one line; for a redirect, the setting to check."""
    if 300 <= answer.status < 400:
        return f"HTTP status {answer.status}, a redirect: check SUNO_BASE_URL"
    words = answer.fields.get("msg")
    code = code_of(answer)
    status = f"HTTP status {answer.status}" if code in (None, 200) else f"code {code}"
    return f"{status}: {one_line(words, key) if isinstance(words, str) else answer.summary}"


def refusal_error(answer: VendorResponse, key: str) -> ProviderError | None:
    """The error where the answer proves that nothing was accepted; else None.

    429 in an envelope means no credits, not too many calls; similar vendors send 402, 433 and 403; 451 is
    documented for callbacks only and proves nothing (docs/vendors/suno.md). Without an envelope the HTTP status
    counts: 429 and 405 are a gateway's, and 301, 307 and 308 redirect the request (RFC 9110, 15.4). An answer that
    names a task proves nothing: the order may have been accepted.
    """
    if any(json_object(answer.fields.get("data")).get(name) for name in _TASK_ID):
        return None
    why = response_summary(answer, key)
    match _effective_code(answer):
        case 405 | 430:
            wait = answer.retry_after or RATE_LIMIT_SECONDS
            return _transient_error(f"too many calls ({why})", "rate_limited", wait)
        case 455:
            wait = answer.retry_after or MAINTENANCE_SECONDS
            return _transient_error(f"the vendor is under maintenance ({why})", "maintenance", wait)
        case 531:
            return SubmissionFailedError(
                f"suno: the task failed and the credits were refunded ({why})",
                code=REFUNDED,
                cost=0,
                resubmissions=MOST_AFTER_REFUND,
            )
        case 402 | 429 | 433:
            return OutOfCreditsError(f"suno: the account has no credits left ({why})")
        case 401 | 403:
            return OutOfCreditsError(
                f"suno: the key is refused, check SUNO_API_KEY ({why})", code=KEY_REFUSED
            )
        case 400 | 404 | 413:
            return PermanentError(f"suno: the order is refused ({why})")
    return None


def is_unknown_task(answer: VendorResponse) -> bool:
    """Whether the answer to a call about a task reports that there is no such task."""
    if is_success(answer):
        return answer.fields.get("data", "untold") is None
    has_envelope = answer.fields.get("code") is not None
    return (code_of(answer) if has_envelope else answer.status) == 404


def _effective_code(answer: VendorResponse) -> int | None:
    """The envelope's code, None where it cannot be read; the HTTP status where there is no envelope."""
    if answer.fields.get("code") is not None:
        return code_of(answer)
    return _AS_CODE.get(answer.status, answer.status)


def _transient_error(why: str, code: str, retry_after: float | None) -> TransientError:
    return TransientError(f"suno: {why}", code=code, retry_after=retry_after)


def task_id_of(data: Json, *secrets: str) -> str | None:
    """The task's id in the answer to an order; None without a usable one."""
    named = task_id_in(data)
    return None if named is None or contains_secret(named, *secrets) else named


def task_id_in(data: Json) -> str | None:
    """The task's id under either style of key; None without a usable one."""
    return text_in(json_object(data), _LONGEST_ID, *_TASK_ID) or None


def credits_in(data: Json) -> int | None:
    """The credits that are left; None without a plausible number."""
    if isinstance(data, str) and data.isascii() and data.isdecimal() and len(data) < 13:
        return int(data)
    if isinstance(data, bool) or not isinstance(data, int | float):
        return None
    return int(data) if 0 <= data < 1e12 else None


def text_in(fields: Mapping[str, Any], longest: int, *names: str) -> str:
    """The first of these fields that is text on one line of at most `longest` characters; else empty."""
    for name in names:
        value = fields.get(name)
        text = value.strip() if isinstance(value, str) and value.isprintable() else ""
        if 0 < len(text) <= longest:
            return text
    return ""


def job_id_in_callback(body: Json) -> str | None:
    """The id of the task that a callback `{code, msg, data}` is about; None without a usable one.

    Its keys are in another style than the record's (docs/vendors/suno.md).
    """
    return task_id_in(json_object(body).get("data"))
