"""Read refusals of OpenAI or of a compatible server. Pure; any field may hold anything.

Source: docs/vendors/openai.md, errors.
"""

import re
from collections.abc import Iterator
from typing import Any

from resources.contract.answer_table import (
    ANY,
    CLASSES,
    TOO_OFTEN,
    AnswerTable,
    Meaning,
    Row,
    build_error,
    moved,
)
from resources.contract.errors import (
    KEY_REFUSED,
    RATE_LIMITED,
    VENDOR_DOWN,
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    TransientError,
)
from resources.contract.protocol import Json
from resources.http.vendor_client import NoAnswerError, VendorResponse, json_object, one_line

CONTENT_FILTER = "content_filter"
OTHER_WORDS = "change the words of the order"
_UNPAID, _REFUSED = OutOfCreditsError.code, PermanentError.code
_KEY, _MODEL, _URL = ("OPENAI_API_KEY",), "OPENAI_MODEL", "OPENAI_BASE_URL"
_THIRD_PARTY = "third party"
_OF_STORING = re.compile(r"\b(?:store|metadata)\b", re.IGNORECASE)
_OF_SEEING = re.compile(r"image.{1,60}(?:only|not) support|not support.{1,60}image", re.IGNORECASE)

ERRORS = AnswerTable(
    "errors",
    (
        Row(
            ANY,
            Meaning.ACCOUNT,
            _UNPAID,
            names=(
                *("insufficient_quota", "credit_balance_exhausted", "billing_not_active"),
                *("billing_hard_limit_reached", "organization_spend_limit_exceeded"),
                *("project_spend_limit_exceeded", "organization_usage_limit_exceeded"),
            ),
        ),
        Row(
            ANY,
            Meaning.ACCOUNT,
            _UNPAID,
            names=(
                *("insufficient_user_quota", "insufficient_balance", "insufficient_credits"),
                *("insufficient_funds", "credit_balance_too_low", "credits_exhausted"),
                *("organization_quota_exceeded", "exceeded_current_quota_error", "quota_exceeded"),
                *("billing_error", "payment_required", "enforced_spend_limit_reached"),
                *("access_terminated", "arrearage", "1113"),
            ),
            source=_THIRD_PARTY,
        ),
        Row(
            ANY,
            Meaning.ACCOUNT,
            KEY_REFUSED,
            names=(
                *("invalid_api_key", "account_deactivated", "invalid_organization"),
                *("mismatched_organization", "unsupported_country_region_territory"),
                *("organization_must_be_verified", "ip_not_authorized"),
            ),
            check=_KEY,
        ),
        Row(
            ANY,
            Meaning.ACCOUNT,
            KEY_REFUSED,
            names=(
                *("incorrect_api_key", "missing_api_key", "expired_api_key", "api_key_expired"),
                *("api_key_invalid", "invalid_authentication", "invalid_authentication_error"),
                *("authentication_error", "unauthenticated", "unauthorized", "account_suspended"),
                *("account_disabled", "organization_deactivated", "insufficient_permissions"),
                *("permission_denied", "permission_error", "access_denied"),
            ),
            check=_KEY,
            source=_THIRD_PARTY,
        ),
        Row(
            ANY,
            Meaning.CONTENT,
            CONTENT_FILTER,
            names=("content_policy_violation", "content_filter", "invalid_prompt"),
        ),
        Row(
            ANY,
            Meaning.CONTENT,
            CONTENT_FILTER,
            names=(
                *("responsibleaipolicyviolation", "moderation_blocked", "content_moderation"),
                *("content_violation", "cyber_policy_violation", "prohibited_content"),
                *("data_inspection_failed", "datainspectionfailed", "1301"),
            ),
            source=_THIRD_PARTY,
        ),
        Row(
            ANY,
            Meaning.INPUT,
            _REFUSED,
            names=(
                *("context_length_exceeded", "string_above_max_length", "string_too_long"),
                *("max_tokens_exceeded", "token_limit_exceeded", "request_too_large"),
                *("unsupported_parameter", "unsupported_value", "unknown_parameter"),
                *("invalid_value", "invalid_type", "missing_required_parameter"),
            ),
        ),
        Row(
            "400, 404, 422",
            Meaning.INPUT,
            _REFUSED,
            names=("model_not_found", "invalid_model", "unsupported_model", "model_deprecated"),
            check=(_URL, _MODEL),
        ),
        Row("429", Meaning.INPUT, _REFUSED, phrases=("request too large",), check=(_MODEL,)),
        Row(
            "429, 500, 502, 503, 529",
            Meaning.THEIRS,
            VENDOR_DOWN,
            names=("server_is_overloaded", "service_unavailable_error"),
        ),
        Row(
            "429, 500, 502, 503, 529",
            Meaning.THEIRS,
            VENDOR_DOWN,
            names=(
                *("engine_overloaded", "engine_overloaded_error", "overloaded_error"),
                *("model_overloaded", "modelnotreadyexception", "1305"),
            ),
            source=_THIRD_PARTY,
        ),
        Row("429, 503", Meaning.RATE, RATE_LIMITED, names=("rate_limit_exceeded", "slow_down")),
        Row(
            "400, 403, 429",
            Meaning.ACCOUNT,
            KEY_REFUSED,
            phrases=(
                *("api key not valid", "incorrect api key", "invalid api key"),
                *("has been deactivated", "must be verified"),
            ),
            check=_KEY,
        ),
        Row(
            "429",
            Meaning.RATE,
            RATE_LIMITED,
            phrases=("retry in ", "try again in ", "per min", "per second", "per day"),
            source=_THIRD_PARTY,
        ),
        Row(
            "400, 403, 429",
            Meaning.ACCOUNT,
            _UNPAID,
            phrases=(
                *("account is not active", "insufficient balance", "insufficient credit"),
                *("insufficient quota", "insufficient fund", "not enough credit"),
                *("credit balance", "out of credit", "余额", "欠费"),
            ),
            source=_THIRD_PARTY,
        ),
        Row(
            "403, 429",
            Meaning.ACCOUNT,
            _UNPAID,
            phrases=("billing", "current quota", "spend limit", "top up", "recharge", "payment"),
        ),
        Row(
            "400, 403, 422, 451",
            Meaning.CONTENT,
            CONTENT_FILTER,
            phrases=(
                *("content management policy", "content policy", "usage policies"),
                *("usage policy", "safety system", "flagged", "moderation"),
                *("inappropriate content", "guidelines", "nsfw", "unsafe content", "敏感"),
            ),
            source=_THIRD_PARTY,
        ),
        Row("401, 403", Meaning.ACCOUNT, KEY_REFUSED, check=_KEY),
        Row("402", Meaning.ACCOUNT, _UNPAID, source=_THIRD_PARTY),
        Row("404", Meaning.INPUT, _REFUSED, check=(_URL, _MODEL)),
        Row("409", Meaning.THEIRS, TransientError.code),
        TOO_OFTEN,
        moved(_URL),
        *CLASSES,
    ),
)


def refusal_error(answer: VendorResponse, key: str) -> ProviderError | None:
    """Build the error of an answer that is no completion; None for one that is to be read.

    NoAnswerError is for an answer that proves nothing. Some servers refuse with status 200.
    """
    row, is_success = find_row(answer), 200 <= answer.status < 300
    may_refuse = not is_success or bool(answer.fields.get("error"))
    is_refusal = may_refuse and not answer.fields.get("choices")
    why = f"{quote_answer(answer, key)}{_suggest_settings(answer, row)}"
    if is_refusal and row.meaning is not Meaning.UNKNOWN:
        wait = answer.retry_after
        return build_error(row, "openai", why, advice=OTHER_WORDS, retry_after=wait)
    if not is_success:
        told = f"openai: the server failed with {answer.status}: {why}"
        return NoAnswerError(told, retry_after=answer.retry_after)
    if answer.body is None:
        return NoAnswerError(f"openai: the answer cannot be read{name_request(answer, key)}")
    return None


def quote_answer(answer: VendorResponse, key: str) -> str:
    """Quote the vendor's own words and the request that they are about, fit for a message."""
    said = one_line(sentence_in(answer.body), key) or answer.summary or "no reason given"
    return f"{said}{name_request(answer, key)}"


def name_request(answer: VendorResponse, key: str) -> str:
    """Name the request by the vendor's id, for messages; empty without one."""
    request_id = one_line(answer.headers.get("x-request-id", ""), key)
    return f" (request {request_id})" if request_id else ""


def _suggest_settings(answer: VendorResponse, row: Row) -> str:
    """Name the settings to check where the row names none: compatible servers support less than OpenAI's."""
    if 300 <= answer.status < 400 and row.meaning is Meaning.UNKNOWN:
        return "; check OPENAI_BASE_URL"
    words = say_what_is_wrong(answer)
    if answer.status == 400 and _OF_STORING.search(words):
        return "; set OPENAI_STORE=false"
    if answer.status == 400 and _OF_SEEING.search(words):
        return "; set OPENAI_MODEL to a model that sees pictures"
    return ""


def say_what_is_wrong(answer: VendorResponse) -> str:
    """Return everything in which a refusal may name a part of the request."""
    error = json_object(answer.fields.get("error"))
    return f"{error.get('message')} {error.get('param')} {answer.summary}"


def find_row(answer: VendorResponse) -> Row:
    """Return what an answer that is no completion means; one with status 2xx by the error in its body."""
    status = answer.status
    if 200 <= status < 300:
        named = [
            int(name) for name in find_names(answer.body) if len(name) == 3 and name.isdecimal()
        ]
        status = next((each for each in named if 400 <= each < 600), 0)
    return ERRORS.read(status, find_names(answer.body), sentence_in(answer.body) or answer.summary)


def find_names(body: Json) -> frozenset[str]:
    """Return the codes and types of an error, under every name that such servers have for them."""
    return frozenset(_list_names(_find_error(body)))


def _list_names(error: dict[str, Any]) -> Iterator[str]:
    inner = json_object(error.get("innererror"))
    details = error.get("details")
    reasons = details if isinstance(details, list) else []
    values = [error.get(name) for name in ("code", "type", "status")]
    values += [inner.get("code"), *(json_object(each).get("reason") for each in reasons[:9])]
    for value in values:
        if isinstance(value, str) or type(value) is int:
            yield str(value)[:200].lower()


def sentence_in(body: Json) -> str:
    """Return the vendor's own sentence about an error; empty without one."""
    error = _find_error(body)
    detail = error.get("detail")
    first = json_object(detail[0]).get("msg") if isinstance(detail, list) and detail else detail
    said = (error.get("message"), error.get("msg"), first)
    return next((each for each in said if isinstance(each, str) and each.strip()), "")


def _find_error(body: Json) -> dict[str, Any]:
    """Return the error's object; some servers send it in a list, as a text, or without a name."""
    outer = json_object(body[0] if isinstance(body, list) and body else body)
    error = outer.get("error")
    if isinstance(error, str):
        return {**outer, "message": error}
    return dict(json_object(error) or outer)
