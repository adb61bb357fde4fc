"""A picture in a chat completion: how it is sent, what it costs, and the vendor's refusals of it. Pure.

Source: docs/vendors/openai.md, pictures.
"""

import re
from collections.abc import Mapping
from typing import Any

from resources.http.vendor_client import VendorResponse, json_object

_DETAIL = "low"
_FAULTS = frozenset(
    (
        "empty_image_file",
        "image_content_policy_violation",
        "image_file_too_large",
        "image_parse_error",
        "image_too_large",
        "image_too_small",
        "invalid_base64_image",
        "invalid_image",
        "invalid_image_format",
        "invalid_image_mode",
        "invalid_image_url",
        "unsupported_image_media_type",
    )
)
_FAULT_IN_WORDS = re.compile(
    r"\b(?:unsupported|invalid|damaged|corrupt\w*|cannot identify"
    r"|(?:failed to|could not|couldn't|cannot|can't) (?:load|decode|parse|process))"
    r"(?: an?| the| your| base64)* image(?:_url)?\b",
    re.IGNORECASE,
)
_FIXED_TOKENS = (
    (re.compile(r"(?:gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5)(?!.*(?:mini|nano))"), 85),
    (re.compile(r"gpt-5(?:-chat-latest|-\d{4}-\d\d-\d\d)?$"), 70),
    (re.compile(r"o[13](?:-pro|-\d{4}-\d\d-\d\d)?$"), 75),
)
_MOST_TOKENS = 2_833
"""What gpt-4o-mini counts; no documented model counts more for a picture of 1,024 pixels at this detail."""


def tokens_of_picture(model: str) -> int:
    """The tokens that one picture at detail "low" counts as; for a model without a figure the most of any."""
    known = (tokens for pattern, tokens in _FIXED_TOKENS if pattern.match(model))
    return next(known, _MOST_TOKENS)


def with_picture(text: str, url: str) -> list[Mapping[str, Any]]:
    """A message's content of a text and a picture."""
    picture = {"url": url, "detail": _DETAIL}
    return [{"type": "text", "text": text}, {"type": "image_url", "image_url": picture}]


def is_fault_of_picture(answer: VendorResponse) -> bool:
    """Whether the vendor refused the request because of its picture."""
    error = json_object(answer.fields.get("error"))
    named = {error.get("code"), error.get("type")} if _are_texts(error) else set()
    words = error.get("message")
    said = words if isinstance(words, str) else answer.summary
    return answer.status in (400, 422) and bool(named & _FAULTS or _FAULT_IN_WORDS.search(said))


def _are_texts(error: Mapping[str, Any]) -> bool:
    return all(isinstance(error.get(name), str | None) for name in ("code", "type"))
