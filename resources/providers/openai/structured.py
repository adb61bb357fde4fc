"""Answers by a strict schema to a text and at most one picture, of OpenAI or any compatible server.

Protocol facts: docs/vendors/openai.md.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from resources.contract.errors import PermanentError, ProviderError, SubmissionFailedError
from resources.contract.protocol import BeforeSend, Json, Product, StageInput
from resources.files.data_url import INVALID_PICTURE, jpeg_data_url
from resources.http.vendor_client import json_object, one_line
from resources.providers.openai.asked import Asked
from resources.providers.openai.client import Reply
from resources.providers.openai.completion import BAD_ANSWER, UnusableCompletion, Wanted
from resources.providers.openai.completions import ChatCompletions
from resources.providers.openai.shown_picture import (
    is_fault_of_picture,
    tokens_of_picture,
    with_picture,
)
from resources.providers.openai.structured_answer import MisfitError, read_object

MOST_TOKENS_OUT = 800
_AS_JSON = "Answer with one JSON object and nothing else. It fits this JSON schema:\n"
_OF_SCHEMAS = re.compile(r"response_format|json_schema", re.IGNORECASE)

OpenImage = Callable[[Mapping[str, Any]], Path]
"""The local file of the picture with this reference."""


class OpenAIStructured(ChatCompletions):
    """JSON objects by a chat model: result the object's members, model, tokens_in and tokens_out.

    A job's input holds `prompt` (`system`, `user`), `schema` (`name`, `schema`), `image` (a reference or None) and
    `most_tokens`, without which the limit is MOST_TOKENS_OUT. A server that refuses schemas is asked for any JSON
    object from then on, with the schema in its words. Several threads may share one instance.

    Beyond the errors of every completion, `prepare` raises what `open_image` raises; `submit` raises these and
    PermanentError `invalid_picture`, for free.
    """

    usual_seconds = 3.0
    wanted = Wanted("the answer", refused="refused", cut="answer_cut")

    def __init__(
        self,
        api_key: str,
        *,
        open_image: OpenImage,
        base_url: str,
        model: str,
        usd_in: float,
        usd_out: float,
        store: bool,
        deadline_seconds: float,
    ) -> None:
        super().__init__(
            api_key,
            base_url=base_url,
            model=model,
            usd_in=usd_in,
            usd_out=usd_out,
            store=store,
            deadline_seconds=deadline_seconds,
        )
        self._open_image = open_image
        self._takes_schemas = True

    def prepare(self, job_input: StageInput) -> None:
        """The job's picture is a local file."""
        if job_input.get("image"):
            self._open_image(job_input["image"])

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """The members of the object."""
        known = {name: answer[name] for name in ("model", "tokens_in", "tokens_out")}
        return Product({**answer["object"], **known}, cost=self._actual_cost(job_input, answer))

    def _completed(self, job_input: StageInput, token: str, before_send: BeforeSend) -> Reply:
        by_schema, content = self._takes_schemas, self._content(job_input)
        reply = self._send(job_input, _asked(job_input, content, by_schema), token, before_send)
        if by_schema and _refuses_schemas(reply):
            # A refusal: the vendor has accepted nothing, so that this is still the first submission.
            reply = self._send(job_input, _asked(job_input, content, False), token, before_send)
            self._takes_schemas = not reply.ok
        return reply

    def _content(self, job_input: StageInput) -> Json:
        """The user's message, with the picture where there is one."""
        user, image = job_input["prompt"]["user"], job_input.get("image")
        if not image:
            return user
        return with_picture(user, jpeg_data_url(self._open_image(image), str(image["name"])))

    def _refusal_error(self, job_input: StageInput, reply: Reply) -> ProviderError:
        if job_input.get("image") and is_fault_of_picture(reply.answer):
            unread = f"openai: the vendor cannot read the picture: {self._client.reason(reply)}"
            return PermanentError(unread, code=INVALID_PICTURE)
        return super()._refusal_error(job_input, reply)

    def _most_tokens_out(self, job_input: StageInput) -> int:
        return int(job_input.get("most_tokens", MOST_TOKENS_OUT))

    def _tokens_beside_prompt(self, job_input: StageInput) -> int:
        picture = tokens_of_picture(self._model) if job_input.get("image") else 0
        return picture + len(f"{_AS_JSON}{_as_text(job_input['schema'])}".encode())

    def _read(self, job_input: StageInput, text: str) -> Mapping[str, Json] | UnusableCompletion:
        try:
            return {"object": read_object(text, job_input["schema"]["schema"], self._key)}
        except MisfitError as error:
            why = f"the model did not keep to the schema: {error}: {one_line(text, self._key)}"
            return UnusableCompletion(SubmissionFailedError, BAD_ANSWER, why)


def _asked(job_input: StageInput, content: Json, by_schema: bool) -> Asked:
    system, schema = job_input["prompt"]["system"], job_input["schema"]
    if by_schema:
        strict = {"name": schema["name"], "schema": schema["schema"], "strict": True}
        form: Mapping[str, Any] = {"type": "json_schema", "json_schema": strict}
    else:
        system = f"{system}\n\n{_AS_JSON}{_as_text(schema)}"
        form = {"type": "json_object"}
    # In `extra_body` the SDK sends it as it is: walking through a schema takes it a millisecond and a half.
    return Asked(system, content, {"extra_body": {"response_format": form}})


def _as_text(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema["schema"], ensure_ascii=False)


def _refuses_schemas(reply: Reply) -> bool:
    """Whether the server refused the request because it takes no answer's schema."""
    error = json_object(reply.answer.fields.get("error"))
    words = f"{error.get('message')} {error.get('param')} {reply.answer.summary}"
    refused = reply.answer.status in (400, 422) and not is_fault_of_picture(reply.answer)
    return refused and bool(_OF_SCHEMAS.search(words))
