"""What sunoapi.org's answers mean: an envelope `{code, msg, data}` whose code decides. Pure.

Source: notes/providers.md A.2 and A.7.
"""

from collections.abc import Mapping
from typing import Any

from resources.contract.errors import (
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.contract.protocol import Json
from resources.http.vendor_client import VendorResponse, contains_secret, one_line

RATE_LIMIT_SECONDS = 10.0
MAINTENANCE_SECONDS = 180.0
REFUND = 531
REFUNDED = "refunded"
MOST_AFTER_REFUND = 1
"""So many new orders a refunded failure is worth (A.2, "Codes": safe to resubmit once)."""
_LONGEST_ID = 200
_TASK_ID = ("taskId", "task_id")
_AS_CODE = {429: 430, 405: 404, 301: 404, 307: 404, 308: 404}
"""HTTP's statuses whose meaning the vendor's codes have under another number, or not at all."""


def is_success(answer: VendorResponse) -> bool:
    """Whether code and HTTP status both say that all is well."""
    return code_of(answer) == 200 and 200 <= answer.status < 300


def code_of(answer: VendorResponse) -> int | None:
    """The envelope's code; None where there is none that can be read."""
    code = answer.fields.get("code")
    if isinstance(code, str) and code.isascii() and code.isdecimal() and len(code) < 5:
        code = int(code)
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def response_summary(answer: VendorResponse, key: str) -> str:
    """The vendor's code and own words on one line; where it points elsewhere, what to check."""
    if 300 <= answer.status < 400:
        return f"HTTP status {answer.status}, a redirect: check SUNO_BASE_URL"
    words = answer.fields.get("msg")
    code = code_of(answer)
    told = f"HTTP status {answer.status}" if code in (None, 200) else f"code {code}"
    return f"{told}: {one_line(words, key) if isinstance(words, str) else answer.summary}"


def refusal_error(answer: VendorResponse, key: str) -> ProviderError | None:
    """Why nothing was accepted, where the answer proves that; else None.

    429 in an envelope means no credits, not too many calls (A.2, "Codes"); 402, 433 and 403 are what
    relatives of this vendor say; 451 is documented for callbacks only and proves nothing. The HTTP status
    counts where there is no envelope: then 429 and 405 are a gateway's, and 301, 307 and 308 say that the
    request is to be made elsewhere (RFC 9110, 15.4). Whoever names a task may have taken the order.
    """
    if any(fields_in(answer.fields.get("data")).get(name) for name in _TASK_ID):
        return None
    why = response_summary(answer, key)
    match _effective_code(answer):
        case 405 | 430:
            wait = answer.retry_after or RATE_LIMIT_SECONDS
            return _transient_error(f"it was called too often ({why})", "rate_limited", wait)
        case 455:
            wait = answer.retry_after or MAINTENANCE_SECONDS
            return _transient_error(f"it is being maintained ({why})", "maintenance", wait)
        case 531:
            return SubmissionFailedError(
                f"suno: it failed and gave the credits back ({why})",
                code=REFUNDED,
                cost=0,
                resubmissions=MOST_AFTER_REFUND,
            )
        case 402 | 429 | 433:
            return OutOfCreditsError(f"suno: the account has no credits left ({why})")
        case 401 | 403:
            return OutOfCreditsError(f"suno: the key is refused ({why})", code="key_refused")
        case 400 | 404 | 413:
            return PermanentError(f"suno: the order is refused ({why})")
    return None


def is_unknown_task(answer: VendorResponse) -> bool:
    """Whether the answer to a question about a task says that there is none."""
    if is_success(answer):
        return answer.fields.get("data", "untold") is None
    has_envelope = answer.fields.get("code") is not None
    return (code_of(answer) if has_envelope else answer.status) == 404


def _effective_code(answer: VendorResponse) -> int | None:
    """The envelope's code, also where it cannot be read; the HTTP status where there is no envelope."""
    if answer.fields.get("code") is not None:
        return code_of(answer)
    return _AS_CODE.get(answer.status, answer.status)


def _transient_error(why: str, code: str, retry_after: float | None) -> TransientError:
    return TransientError(f"suno: {why}", code=code, retry_after=retry_after)


def task_id_of(data: Json, *secrets: str) -> str | None:
    """The task's id in the answer to an order; None where there is none that can be used."""
    named = task_id_in(data)
    return None if named is None or contains_secret(named, *secrets) else named


def task_id_in(data: Json) -> str | None:
    """The id that this calls a task by, in either style of names; None where there is none that can be used."""
    return text_in(fields_in(data), _LONGEST_ID, *_TASK_ID) or None


def credits_in(data: Json) -> int | None:
    """The credits that are left; None where that is no number to believe."""
    if isinstance(data, str) and data.isascii() and data.isdecimal() and len(data) < 13:
        return int(data)
    if isinstance(data, bool) or not isinstance(data, int | float):
        return None
    return int(data) if 0 <= data < 1e12 else None


def fields_in(value: Json) -> Mapping[str, Any]:
    """The members of a JSON object; of anything else none."""
    return value if isinstance(value, dict) else {}


def text_in(fields: Mapping[str, Any], longest: int, *names: str) -> str:
    """The first of these fields that is text on one line and not too long, else nothing."""
    for name in names:
        value = fields.get(name)
        text = value.strip() if isinstance(value, str) and value.isprintable() else ""
        if 0 < len(text) <= longest:
            return text
    return ""


def job_id_in_callback(body: Json) -> str | None:
    """The id of the task that a callback `{code, msg, data}` is about; None where it names none that can be used.

    Its names are in another style than the record's (notes/providers.md A.2).
    """
    return task_id_in(fields_in(body).get("data"))
