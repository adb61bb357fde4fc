"""A fake of OpenAI's chat completions (docs/vendors/openai.md).

Routes: submit, lookup (the list and one completion), models. Its own kind:
    completion(content=, object=, refusal=, finish_reason=, model=)
        on submit; `content=""` is an empty lyric, `object` is written as JSON

A request by a schema is answered with an object that fits it; with `takes_schemas` unset the schema is refused.

What the notes do not say: metadata without `store` is refused with 400.
"""

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

from tests.fakes.faults import Fault, Kind, kind
from tests.fakes.reply import Call, Reply, json_reply
from tests.fakes.server import FakeVendor, Route
from tests.fakes.structured import (
    asked_schema,
    fitting,
    text_of,
    tokens_beside_texts,
    wrong_with_format,
    wrong_with_pictures,
)
from tests.fakes.words import lyric

_METADATA = re.compile(r"metadata\[(.+)\]")


class FakeOpenAI(FakeVendor):
    """Every accepted completion is charged, in tokens; stored ones are found by their metadata.

    A stored completion is listed after `listing_delay` seconds. `models` are those that exist.
    """

    name: ClassVar[str] = "openai"
    base_path: ClassVar[str] = "/v1"
    routes: ClassVar[tuple[Route, ...]] = (
        ("submit", "POST", "/v1/chat/completions"),
        ("lookup", "GET", "/v1/chat/completions"),
        ("lookup", "GET", "/v1/chat/completions/([^/]+)"),
        ("models", "GET", "/v1/models/([^/]+)"),
    )
    own_kinds: ClassVar[Mapping[str, Kind]] = {
        "completion": kind("content object refusal finish_reason model", "submit")
    }
    settable: ClassVar[tuple[str, ...]] = (
        *FakeVendor.settable,
        "listing_delay",
        "models",
        "takes_schemas",
    )

    def __init__(self, folder: Path, *, key: str | None = None, port: int = 0) -> None:
        super().__init__(folder, key=key, port=port)
        self.listing_delay = 0.0
        self.takes_schemas = True
        self.models: tuple[str, ...] = ("gpt-4o-mini", "gpt-4o", "gpt-4.1-mini", "gpt-4.1", "gpt-5")
        self._stored: dict[str, tuple[float, dict[str, Any]]] = {}

    def on_submit(self, call: Call, fault: Fault | None) -> Reply:
        wrong = self._wrong_with(call.body)
        if wrong:
            return wrong
        if self.credits <= 0:
            return self.out_of_credits()
        completion = _completion(call.body, fault)
        metadata = call.body.get("metadata") or {}
        usage = _usage(call.body, completion)
        self.charge(
            call,
            what="completion",
            id=completion["id"],
            metadata=metadata,
            cost=usage["total_tokens"],
            unit="tokens",
        )
        completion["usage"] = usage
        if call.body.get("store"):
            self._stored[completion["id"]] = (time.monotonic(), completion | {"metadata": metadata})
        return json_reply(200, completion, self._headers())

    def on_lookup(self, call: Call, fault: Fault | None, wanted: str | None = None) -> Reply:
        now = time.monotonic()
        listed = [
            completion
            for stored_at, completion in list(self._stored.values())
            if now - stored_at >= self.listing_delay
        ]
        if wanted is not None:
            found = next((each for each in listed if each["id"] == wanted), None)
            missing = self._error(404, f"Completion {wanted} not found", "not_found")
            return json_reply(200, found, self._headers()) if found else missing
        asked = {
            match.group(1): value
            for name, value in call.query.items()
            if (match := _METADATA.fullmatch(name))
        }
        matching = [each for each in listed if asked.items() <= each["metadata"].items()]
        if call.query.get("order") == "desc":
            matching.reverse()
        limit = call.query.get("limit", "20")
        if not limit.isdecimal():
            return self._error(400, "Invalid 'limit'.", "invalid_type")
        page = matching[: max(1, int(limit))]
        content = {
            "object": "list",
            "data": page,
            "first_id": page[0]["id"] if page else None,
            "last_id": page[-1]["id"] if page else None,
            "has_more": len(matching) > len(page),
        }
        return json_reply(200, content, self._headers())

    def on_models(self, call: Call, fault: Fault | None, model: str) -> Reply:
        if model not in self.models:
            return self._no_model(model)
        known = {"id": model, "object": "model", "created": 1721172741, "owned_by": "system"}
        return json_reply(200, known, self._headers())

    def unauthorized(self, call: Call, *, echo: bool) -> Reply:
        given = call.headers.get("authorization", "").removeprefix("Bearer ")
        shown = given if echo else f"{given[:3]}***{given[-4:]}"
        said = f"Incorrect API key provided: {shown}. You can find your API key in your settings."
        return self._error(401, said, "invalid_api_key")

    def too_often(self, headers: Mapping[str, str], code: int | None) -> Reply:
        said = "Rate limit reached for requests per min. Please try again later."
        return self._error(429, said, "rate_limit_exceeded", "rate_limit_error", headers)

    def out_of_credits(self) -> Reply:
        said = "You exceeded your current quota, please check your plan and billing details."
        return self._error(429, said, "credit_balance_exhausted", "insufficient_quota")

    def not_found(self, call: Call) -> Reply:
        return self._error(404, f"Invalid URL ({call.method} {call.path})", None)

    def _wrong_with(self, body: Any) -> Reply | None:
        if not isinstance(body, dict):
            return self._error(400, "We could not parse the JSON body of your request.", None)
        if not isinstance(body.get("model"), str):
            return self._error(400, "you must provide a model parameter", None)
        if body["model"] not in self.models:
            return self._no_model(body["model"])
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages:
            return self._error(
                400, "Missing required parameter: 'messages'.", "missing_required_parameter"
            )
        for index, message in enumerate(messages):
            if not isinstance(message, dict) or not message.get("role"):
                return self._error(400, f"Invalid 'messages[{index}]'.", "invalid_type")
        if not _metadata_is_valid(body.get("metadata")):
            return self._error(400, "Invalid 'metadata'.", "invalid_metadata")
        if body.get("metadata") and not body.get("store"):
            said = "The 'metadata' parameter is only allowed when 'store' is enabled."
            return self._error(400, said, None)
        return self._wrong_with_form(body)

    def _wrong_with_form(self, body: dict[str, Any]) -> Reply | None:
        asked = body.get("response_format")
        if (
            not self.takes_schemas
            and isinstance(asked, dict)
            and asked.get("type") == "json_schema"
        ):
            said = "This response_format type is unavailable now"
            return self._error(400, said, None, param="response_format")
        wrong = wrong_with_format(body) or wrong_with_pictures(body)
        return wrong and self._error(400, wrong[0], wrong[2], param=wrong[1])

    def _no_model(self, model: str) -> Reply:
        said = f"The model `{model}` does not exist or you do not have access to it."
        return self._error(404, said, "model_not_found")

    def _error(
        self,
        status: int,
        message: str,
        code: str | None,
        category: str = "invalid_request_error",
        headers: Mapping[str, str] | None = None,
        param: str | None = None,
    ) -> Reply:
        error = {"message": message, "type": category, "param": param, "code": code}
        return json_reply(status, {"error": error}, {**self._headers(), **(headers or {})})

    def _headers(self) -> dict[str, str]:
        return {"x-request-id": f"req_{uuid4().hex}", "openai-version": "2020-10-01"}


def _completion(body: dict[str, Any], fault: Fault | None) -> dict[str, Any]:
    changed = fault.details if fault else {}
    refusal = changed.get("refusal")
    said = None if refusal else _said(body, changed)
    message: dict[str, Any] = {
        "role": "assistant",
        "content": changed.get("content", said),
        "refusal": refusal,
        "annotations": [],
    }
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": changed.get("model", f"{body['model']}-2024-07-18"),
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": changed.get("finish_reason", "stop"),
            }
        ],
        "service_tier": "default",
        "system_fingerprint": "fp_fake",
    }


def _usage(body: dict[str, Any], completion: dict[str, Any]) -> dict[str, Any]:
    asked = sum(len(text_of(message.get("content"))) for message in body["messages"]) // 4 + 1
    asked += tokens_beside_texts(body)
    answer: dict[str, Any] = completion["choices"][0]["message"]
    said = len(str(answer["content"] or answer["refusal"] or "")) // 4 + 1
    return {
        "prompt_tokens": asked,
        "completion_tokens": said,
        "total_tokens": asked + said,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def _said(body: dict[str, Any], changed: Mapping[str, Any]) -> str:
    """The lyric, or an object by the schema whose texts are the first line of the prompt."""
    prompt, schema = text_of(body["messages"][-1].get("content")), asked_schema(body)
    if schema is None:
        return lyric(prompt)
    fitted = fitting(schema, prompt.partition("\n")[0])
    return json.dumps(changed.get("object", fitted), ensure_ascii=False)


def _metadata_is_valid(metadata: Any) -> bool:
    if metadata is None:
        return True
    if not isinstance(metadata, dict) or len(metadata) > 16:
        return False
    return all(
        len(name) <= 64 and isinstance(value, str) and len(value) <= 512
        for name, value in metadata.items()
    )
