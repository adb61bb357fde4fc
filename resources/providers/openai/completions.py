"""One chat completion a job, of OpenAI or of any compatible server: sent once, found again, counted in tokens.

Protocol facts: docs/vendors/openai.md.
"""

import copy
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from resources.contract.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import (
    BeforeSend,
    InProgress,
    Json,
    Rate,
    Receipt,
    StageInput,
    Succeeded,
    no_send_check,
)
from resources.http.vendor_client import NoAnswerError, json_object
from resources.providers.openai.client import OpenAIClient, Reply
from resources.providers.openai.completion import (
    Asked,
    UnusableCompletion,
    Wanted,
    fallback_id,
    text_of,
    usable_id,
    used_by,
)

if TYPE_CHECKING:
    from openai import OpenAI

TOKEN_FIELD = "castad_token"  # noqa: S105 - a field's name
_TOKENS_AROUND_PROMPT = 64


class _NotStoredError(PermanentError):
    """The vendor reports that it has no such completion."""

    code = "job_unknown"


class ChatCompletions:
    """What every maker of this vendor shares: all of `Provider` but `fetch`.

    `usd_in` and `usd_out` are USD per million tokens. With `store` the vendor keeps completions, so that a
    lost one is found again. There is no rate: limits differ by account and are answered with 429. Several threads
    may share one instance.
    """

    name = "openai"
    usual_seconds = 8.0
    # Compatible servers may repeat ids; the answer comes with the receipt, so that no id is polled.
    unique_ids = False
    repeatable = True
    token_is_id = False
    rate: Rate | None = None
    wanted: ClassVar[Wanted]

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str,
        model: str,
        usd_in: float,
        usd_out: float,
        store: bool,
        deadline_seconds: float,
    ) -> None:
        self._client = OpenAIClient(api_key, base_url, deadline_seconds)
        self._key = api_key
        self._model = model
        self._usd_in = usd_in
        self._usd_out = usd_out
        self._store = store
        self._is_looked_up = True

    def unstored(self) -> Self:
        """Return the same maker for completions that are looked up never again: the vendor keeps none of them."""
        other = copy.copy(self)
        other._is_looked_up = False
        return other

    def price(self, job_input: StageInput) -> int:
        """Return the most that one completion can cost, in micro-dollars.

        A token is at least one byte of the prompt.
        """
        prompt = job_input["prompt"]
        size = len(prompt["system"].encode()) + len(prompt["user"].encode())
        most_in = size + _TOKENS_AROUND_PROMPT + self._tokens_beside_prompt(job_input)
        return self._cost(most_in, self._most_tokens_out(job_input))

    def prepare(self, job_input: StageInput) -> None:
        """Do nothing: no job needs to be prepared."""

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = no_send_check
    ) -> Receipt:
        """Have the completion written; the answer comes with the receipt.

        Raises:
            UnknownSubmissionError: the job was sent and no readable answer came.
            SubmissionFailedError: `bad_answer`, the code of `wanted.cut`, or one of the subclass, charged.
            PermanentError: the code of `wanted.refused`, or `content_filter`, charged; `provider_refused`, free.
            OutOfCreditsError: the account cannot pay, or the key is refused.
            TransientError: the job was not accepted and may be sent again.
        """
        reply = self._completed(job_input, token, before_send)
        if not reply.ok:
            raise self._refusal_error(job_input, reply)
        answer = self._answer(job_input, reply)
        return Receipt(
            external_id=usable_id(reply.answer.fields, self._key, token) or fallback_id(token),
            answer=answer,
            cost=self._actual_cost(job_input, answer),
        )

    def find(self, token: str) -> str | None:
        """Return the id of the stored completion with this token; None where it is not found.

        Completions without the token are ignored: a server that does not support the filter may list others.
        """
        if not self._store:
            return None

        def request(client: "OpenAI") -> Any:
            wanted = {TOKEN_FIELD: token}
            return client.chat.completions.with_raw_response.list(metadata=wanted)

        try:
            listed = self._client.exchange(request).answer.fields.get("data")
        except ProviderError:
            return None
        for completion in map(json_object, listed if isinstance(listed, list) else []):
            if json_object(completion.get("metadata")).get(TOKEN_FIELD) == token:
                return usable_id(completion, self._key, token)
        return None

    def owns(self, external_id: str, token: str) -> bool | None:
        """Return whether the stored completion has this token; None where it has no token.

        Raises PermanentError `job_unknown`; TransientError or OutOfCreditsError where the vendor did not answer.
        """
        metadata = json_object(self._stored_completion(external_id).answer.fields.get("metadata"))
        known = metadata.get(TOKEN_FIELD)
        return known == token if isinstance(known, str) else None

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """Read the stored completion; raises as `submit`, and `submission_lost` where there is none."""
        try:
            reply = self._stored_completion(external_id)
        except _NotStoredError as error:
            raise SubmissionFailedError(error.message, code="submission_lost") from None
        return Succeeded(self._answer(job_input, reply))

    def cancel(self, external_id: str) -> None:
        """Do nothing: there is no job to stop."""

    def account_status(self) -> str:
        """Ask whether the key can use the model; the API does not report the account's balance."""
        reply = self._client.exchange(
            lambda client: client.models.with_raw_response.retrieve(self._model)
        )
        if not reply.ok:
            raise self._client.refusal_error(reply)
        return f"{self._model} answers"

    def _completed(self, job_input: StageInput, token: str, before_send: BeforeSend) -> Reply:
        """Send the job by `_send` and return the vendor's answer."""
        raise NotImplementedError

    def _read(self, job_input: StageInput, text: str) -> Mapping[str, Json] | UnusableCompletion:
        """Read the text into members fit to be stored, or say why it is not usable."""
        raise NotImplementedError

    def _most_tokens_out(self, job_input: StageInput) -> int:
        """Return the limit on the answer's tokens."""
        raise NotImplementedError

    def _tokens_beside_prompt(self, job_input: StageInput) -> int:
        """Return the most tokens that are sent beyond the two texts of the prompt."""
        return 0

    def _refusal_error(self, job_input: StageInput, reply: Reply) -> ProviderError:
        return self._client.refusal_error(reply)

    def _send(
        self, job_input: StageInput, asked: Asked, token: str, before_send: BeforeSend
    ) -> Reply:
        """Send the job once; return the vendor's answer.

        Raises UnknownSubmissionError or NotSentError.
        """
        kept: dict[str, Any] = {"store": False}
        if self._is_looked_up:
            kept = {"store": True, "metadata": {TOKEN_FIELD: token}}

        def send(client: "OpenAI") -> Any:
            return client.chat.completions.with_raw_response.create(
                model=self._model,
                max_completion_tokens=self._most_tokens_out(job_input),
                **asked.arguments,
                **(kept if self._store else {}),
            )

        try:
            return self._client.exchange(send, before_send)
        except NoAnswerError as error:
            raise UnknownSubmissionError(error.message) from None

    def _stored_completion(self, external_id: str) -> Reply:
        """Fetch the stored completion.

        Any answer but the completion or the API's own 404 is no final status of it.
        """

        def request(client: "OpenAI") -> Any:
            return client.chat.completions.with_raw_response.retrieve(external_id)

        reply = self._client.exchange(request)
        fields = reply.answer.fields
        if reply.answer.status == 404 and json_object(fields.get("error")):
            raise _NotStoredError(f"openai: the vendor does not store the completion{reply.where}")
        if not reply.ok:
            error = self._client.refusal_error(reply)
            if isinstance(error, PermanentError):
                # The call was refused, which is no final status of the completion.
                raise TransientError(error.message)
            raise error
        if fields.get("id") != external_id:
            raise TransientError(f"openai: the answer is another completion{reply.where}")
        return reply

    def _answer(self, job_input: StageInput, reply: Reply) -> Mapping[str, Json]:
        """Build the answer that `fetch` needs; raises where the completion holds nothing usable."""
        known = used_by(reply.answer.fields, self._key, self._model)
        text = text_of(reply.answer, self._key, self.wanted)
        read = text if isinstance(text, UnusableCompletion) else self._read(job_input, text)
        if isinstance(read, UnusableCompletion):
            raise read.error(cost=self._actual_cost(job_input, known), where=reply.where)
        return {**read, **known}

    def _actual_cost(self, job_input: StageInput, answer: Mapping[str, Json]) -> int:
        """Compute the cost of the tokens used in micro-dollars; the price where the vendor reports none."""
        tokens_in, tokens_out = answer["tokens_in"], answer["tokens_out"]
        if tokens_in is None or tokens_out is None:
            return self.price(job_input)
        return self._cost(tokens_in, tokens_out)

    def _cost(self, tokens_in: int, tokens_out: int) -> int:
        # USD per million tokens is micro-dollars per token.
        return math.ceil(tokens_in * self._usd_in + tokens_out * self._usd_out)
