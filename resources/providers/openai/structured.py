"""Have questions answered by a strict schema, with at most one picture, by OpenAI or a compatible server.

A schema is of objects, arrays, strings, null and enumerations of these. How a picture is sent, what it costs and
how it is refused: docs/vendors/openai.md, pictures.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from resources.contract.errors import PermanentError, SubmissionFailedError
from resources.contract.protocol import BeforeSend, Json, OpenArtifact, Product, StageInput
from resources.files.pictures import INVALID_PICTURE, encode_jpeg_data_url
from resources.http.vendor_client import (
    NoAnswerError,
    VendorResponse,
    read_json_object,
    redact_secret,
    redact_tokens,
    shorten_to_line,
)
from resources.providers.openai.answers import (
    build_refusal_error,
    format_refusal_reason,
    join_refusal_texts,
)
from resources.providers.openai.completions import (
    BAD_ANSWER,
    ChatCompletions,
    UnusableError,
    WantedContent,
    build_messages,
    clean_lines,
)

LONGEST_TEXT = 2_000
MOST_ITEMS = 20

Schema = Mapping[str, Any]
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
MOST_TOKENS_OUT = 800
_AS_JSON = "Answer with one JSON object and nothing else. It fits this JSON schema:\n"
_OF_SCHEMAS = re.compile(r"response_format|json_schema", re.IGNORECASE)


class MisfitError(ValueError):
    """Raised when a text contains no JSON object, or one that does not fit the schema; the message says where."""


class OpenAIStructured(ChatCompletions):
    """A provider of JSON objects by a chat model: the object's members, model, tokens_in and tokens_out.

    A job's input holds `prompt` (`system`, `user`), `schema` (`name`, `schema`), `image` (a reference or None) and
    `most_tokens`. If a server refuses schemas, this instance sends them in the prompt from then on.
    """

    usual_seconds = 3.0
    wanted = WantedContent("the answer", refused="refused", cut="answer_cut")

    def __init__(self, api_key: str, *, open_image: OpenArtifact, **account: Any) -> None:
        super().__init__(api_key, **account)
        self._open_image = open_image
        self._takes_schemas = True

    def prepare(self, job_input: StageInput) -> None:
        """Check that the job's picture, if any, is a local file. Raises the errors of `open_image`."""
        if job_input.get("image"):
            self._open_image(job_input["image"])

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Return the object's members and the usage as a product without files."""
        known = {name: answer[name] for name in ("model", "tokens_in", "tokens_out")}
        return Product(
            {**answer["object"], **known}, cost=self._compute_actual_cost(job_input, answer)
        )

    def _complete(
        self, job_input: StageInput, token: str, before_send: BeforeSend
    ) -> VendorResponse:
        by_schema, content = self._takes_schemas, self._build_content(job_input)
        request = _build_request(job_input, content, by_schema)
        answer = self._send(job_input, request, token, before_send)
        if by_schema and self._is_refusal_of_schemas(answer):
            # The vendor has accepted nothing, so that this is still the first submission.
            request = _build_request(job_input, content, by_schema=False)
            answer = self._send(job_input, request, token, before_send)
            self._takes_schemas = build_refusal_error(answer, self._key) is not None
        if job_input.get("image") and self._is_refusal(answer) and is_picture_refusal(answer):
            why = f"openai: the vendor cannot read the picture: {format_refusal_reason(answer, self._key)}"
            raise PermanentError(why, code=INVALID_PICTURE)
        return self._check_completion(answer)

    def _is_refusal(self, answer: VendorResponse) -> bool:
        """Return whether the answer proves that the vendor did nothing."""
        error = build_refusal_error(answer, self._key)
        return error is not None and not isinstance(error, NoAnswerError)

    def _is_refusal_of_schemas(self, answer: VendorResponse) -> bool:
        """Return whether the server refused the request because it does not support schemas."""
        is_refused = answer.status in (400, 422) and self._is_refusal(answer)
        is_named = _OF_SCHEMAS.search(join_refusal_texts(answer))
        return is_refused and bool(is_named) and not is_picture_refusal(answer)

    def _build_content(self, job_input: StageInput) -> Json:
        """Build the content of the user's message: its text, and the picture if there is one."""
        user, image = job_input["prompt"]["user"], job_input.get("image")
        if not image:
            return user
        url = encode_jpeg_data_url(self._open_image(image), str(image["name"]))
        picture = {"url": url, "detail": _DETAIL}
        return [{"type": "text", "text": user}, {"type": "image_url", "image_url": picture}]

    def _limit_tokens_out(self, job_input: StageInput) -> int:
        return int(job_input.get("most_tokens", MOST_TOKENS_OUT))

    def _count_tokens_beside_prompt(self, job_input: StageInput) -> int:
        picture = count_picture_tokens(self._model) if job_input.get("image") else 0
        return picture + len(f"{_AS_JSON}{_format_schema(job_input['schema'])}".encode())

    def _parse_text(self, job_input: StageInput, text: str) -> Mapping[str, Json]:
        try:
            return {"object": read_object(text, job_input["schema"]["schema"], self._key)}
        except MisfitError as error:
            why = (
                f"the model did not keep to the schema: {error}: {shorten_to_line(text, self._key)}"
            )
            raise UnusableError(SubmissionFailedError, BAD_ANSWER, why) from None


def _build_request(job_input: StageInput, content: Json, by_schema: bool) -> Mapping[str, Json]:
    """Build messages and response format; without `by_schema` the schema is part of the system message."""
    system, schema = job_input["prompt"]["system"], job_input["schema"]
    if by_schema:
        strict = {"name": schema["name"], "schema": schema["schema"], "strict": True}
        form: Mapping[str, Any] = {"type": "json_schema", "json_schema": strict}
    else:
        system = f"{system}\n\n{_AS_JSON}{_format_schema(schema)}"
        form = {"type": "json_object"}
    return {**build_messages(system, content), "response_format": form}


def _format_schema(schema: Mapping[str, Any]) -> str:
    """Format the schema as JSON text."""
    return json.dumps(schema["schema"], ensure_ascii=False)


def is_picture_refusal(answer: VendorResponse) -> bool:
    """Return whether the vendor refused the request because of its picture."""
    error = read_json_object(answer.fields.get("error"))
    named = {error.get("code"), error.get("type")} if _has_texts(error) else set()
    words = error.get("message")
    said = words if isinstance(words, str) else answer.summary
    return answer.status in (400, 422) and bool(named & _FAULTS or _FAULT_IN_WORDS.search(said))


def _has_texts(error: Mapping[str, Any]) -> bool:
    """Return whether the error's code and type are texts or missing."""
    return all(isinstance(error.get(name), str | None) for name in ("code", "type"))


def count_picture_tokens(model: str) -> int:
    """Return the tokens of one picture at detail "low"; for an unknown model the highest documented number."""
    known = (tokens for pattern, tokens in _FIXED_TOKENS if pattern.match(model))
    return next(known, _MOST_TOKENS)


def read_object(text: str, schema: Schema, key: str) -> Mapping[str, Json]:
    """Parse the JSON object in a text, which may stand in code fences or between sentences.

    Its texts are cleaned, without the key, and cut to LONGEST_TEXT; its lists are cut to MOST_ITEMS. Members that
    the schema does not name are left out. Raises MisfitError.
    """
    try:
        found = json.loads(text[max(text.find("{"), 0) : text.rfind("}") + 1])
    except (ValueError, RecursionError):
        raise MisfitError("the answer holds no JSON object") from None
    fitted = _fit_to_schema(found, schema, key, "")
    if not isinstance(fitted, dict):
        raise MisfitError("the answer holds no JSON object")
    return fitted


def _fit_to_schema(value: Json, schema: Schema, key: str, where: str) -> Json:
    """Return the value, cleaned and cut, if it fits the schema; else raise MisfitError naming its path `where`."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if isinstance(value, dict) and "object" in kinds:
        return _fit_object_to_schema(value, schema, key, where)
    if isinstance(value, list) and "array" in kinds:
        return [
            _fit_to_schema(item, schema["items"], key, f"{where}[{index}]")
            for index, item in enumerate(value[:MOST_ITEMS])
        ]
    fitted = _make_storable(value, key) if isinstance(value, str) else value
    is_kind = "string" in kinds if isinstance(fitted, str) else fitted is None and "null" in kinds
    if not is_kind:
        raise MisfitError(f"{where or 'the answer'} is not of type {' or '.join(kinds)}")
    if fitted not in schema.get("enum", [fitted]):
        raise MisfitError(f"{where} is none of the values that it may have")
    return fitted


def _fit_object_to_schema(
    value: Mapping[str, Json], schema: Schema, key: str, where: str
) -> Mapping[str, Json]:
    """Return the object with the schema's members. Raises MisfitError, also for a missing required member."""
    inside = f"{where}." if where else ""
    for name in schema.get("required", ()):
        if name not in value:
            raise MisfitError(f"{inside}{name} is missing")
    return {
        name: _fit_to_schema(value[name], member, key, f"{inside}{name}")
        for name, member in schema["properties"].items()
        if name in value
    }


def _make_storable(text: str, key: str) -> str:
    """Clean the text and cut it; redact the key afterwards, because invisible characters may have split it."""
    visible = "\n".join(clean_lines(text)).strip()
    return redact_tokens(redact_secret(visible, key, "…"), "…")[:LONGEST_TEXT].rstrip()
