"""Read refusals of OpenAI or of a compatible server by answers.md. Any field may hold anything."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from resources.contract.answer_table import AnswerRow, Meaning, build_error, load_tables
from resources.contract.errors import ProviderError
from resources.contract.protocol import Json
from resources.http.vendor_client import (
    NoAnswerError,
    VendorResponse,
    read_json_object,
    shorten_to_line,
)

CONTENT_FILTER = "content_filter"
OTHER_WORDS = "change the words of the order"
ERRORS = load_tables(Path(__file__).with_suffix(".md"))["errors"]
_OF_STORING = re.compile(r"\b(?:store|metadata)\b", re.IGNORECASE)
_OF_SEEING = re.compile(r"image.{1,60}(?:only|not) support|not support.{1,60}image", re.IGNORECASE)


def build_refusal_error(answer: VendorResponse, key: str) -> ProviderError | None:
    """Build the error of an answer that is no completion; None for an answer that may hold one.

    NoAnswerError is for an answer that proves nothing. Some servers refuse with status 200.
    """
    row, is_success = find_answer_row(answer), 200 <= answer.status < 300
    may_refuse = not is_success or bool(answer.fields.get("error"))
    is_refusal = may_refuse and not answer.fields.get("choices")
    why = f"{format_refusal_reason(answer, key)}{_suggest_settings(answer, row)}"
    if is_refusal and row.meaning is not Meaning.UNKNOWN:
        wait = answer.retry_after
        return build_error(row, "openai", why, advice=OTHER_WORDS, retry_after=wait)
    if not is_success:
        told = f"openai: the server failed with {answer.status}: {why}"
        return NoAnswerError(told, retry_after=answer.retry_after)
    if answer.body is None:
        return NoAnswerError(f"openai: the answer cannot be read{format_request_id(answer, key)}")
    return None


def format_refusal_reason(answer: VendorResponse, key: str) -> str:
    """Format the vendor's error message and request id for a message of castad's; `key` is redacted."""
    said = shorten_to_line(find_sentence(answer.body), key) or answer.summary or "no reason given"
    return f"{said}{format_request_id(answer, key)}"


def format_request_id(answer: VendorResponse, key: str) -> str:
    """Format the vendor's request id for a message, as ` (request …)`; "" without one."""
    request_id = shorten_to_line(answer.headers.get("x-request-id", ""), key)
    return f" (request {request_id})" if request_id else ""


def _suggest_settings(answer: VendorResponse, row: AnswerRow) -> str:
    """Return a hint at the setting to check, for what compatible servers often lack; "" without one."""
    if 300 <= answer.status < 400 and row.meaning is Meaning.UNKNOWN:
        return "; check OPENAI_BASE_URL"
    words = join_refusal_texts(answer)
    if answer.status == 400 and _OF_STORING.search(words):
        return "; set OPENAI_STORE=false"
    if answer.status == 400 and _OF_SEEING.search(words):
        return "; set OPENAI_MODEL to a model that sees pictures"
    return ""


def join_refusal_texts(answer: VendorResponse) -> str:
    """Join all texts of an error answer that may name the refused part of the request."""
    error = read_json_object(answer.fields.get("error"))
    return f"{error.get('message')} {error.get('param')} {answer.summary}"


def find_answer_row(answer: VendorResponse) -> AnswerRow:
    """Find the answer table's row for an answer; for one with status 2xx by the error in its body."""
    status = answer.status
    if 200 <= status < 300:
        named = [
            int(name)
            for name in list_error_names(answer.body)
            if len(name) == 3 and name.isdecimal()
        ]
        status = next((each for each in named if 400 <= each < 600), 0)
    return ERRORS.find_row(
        status, list_error_names(answer.body), find_sentence(answer.body) or answer.summary
    )


def list_error_names(body: Json) -> frozenset[str]:
    """Return the error's codes and types in lower case, under every name that such servers have for them."""
    return frozenset(_list_names(_find_error(body)))


def _list_names(error: dict[str, Any]) -> Iterator[str]:
    """Yield the codes, types and reasons in an error object, in lower case."""
    inner = read_json_object(error.get("innererror"))
    details = error.get("details")
    reasons = details if isinstance(details, list) else []
    values = [error.get(name) for name in ("code", "type", "status")]
    values += [inner.get("code"), *(read_json_object(each).get("reason") for each in reasons[:9])]
    for value in values:
        if isinstance(value, str) or type(value) is int:
            yield str(value)[:200].lower()


def find_sentence(body: Json) -> str:
    """Return the vendor's error message in the body; "" without one."""
    error = _find_error(body)
    detail = error.get("detail")
    first = (
        read_json_object(detail[0]).get("msg") if isinstance(detail, list) and detail else detail
    )
    said = (error.get("message"), error.get("msg"), first)
    return next((each for each in said if isinstance(each, str) and each.strip()), "")


def _find_error(body: Json) -> dict[str, Any]:
    """Return the error object of the body, which some servers send in a list, as a text, or unwrapped."""
    outer = read_json_object(body[0] if isinstance(body, list) and body else body)
    error = outer.get("error")
    if isinstance(error, str):
        return {**outer, "message": error}
    return dict(read_json_object(error) or outer)
