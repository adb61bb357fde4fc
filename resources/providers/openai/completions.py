"""Have chat completions made by OpenAI or a compatible server (docs/vendors/openai.md)."""

import copy
import hashlib
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Self
from urllib.parse import quote, urlencode

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
    allow_send,
)
from resources.http.vendor_client import (
    NoAnswerError,
    VendorClient,
    VendorResponse,
    contains_secret,
    read_json_object,
    redact_secret,
    redact_tokens,
    shorten_to_line,
)
from resources.providers.openai.answers import (
    CONTENT_FILTER,
    OTHER_WORDS,
    build_refusal_error,
    format_request_id,
)

TOKEN_FIELD = "castad_token"  # noqa: S105 - a field's name
_COMPLETIONS = "/chat/completions"
_TOKENS_AROUND_PROMPT = 64
LONGEST_WRITTEN = 20_000
"""Characters: text beyond is ignored."""

_THOUGHTS = re.compile(r"[\s\ufeff]*<think(?:ing)?>", re.IGNORECASE)
_THOUGHTS_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_JOINERS = frozenset("\u200c\u200d")
BAD_ANSWER = "bad_answer"
_MOST_TOKENS = 10_000_000
_USABLE_ID = re.compile(r"[A-Za-z0-9_.:-]{1,200}")


@dataclass(frozen=True)
class WantedContent:
    """The content that a completion shall have: its name in messages, and the codes of its errors.

    `refused` is the code if the model refused to write it, `cut` the code if it was cut off.
    """

    name: str
    refused: str
    cut: str


class UnusableError(Exception):
    """Raised when a completion has no usable content; its tokens were charged all the same."""

    def __init__(
        self, kind: type[PermanentError] | type[SubmissionFailedError], code: str, why: str
    ) -> None:
        """Store the kind of provider error to raise instead, its code, and the reason `why`."""
        super().__init__(why)
        self.kind = kind
        self.code = code


class ChatCompletions:
    """The base of the providers that use a chat model; a subclass adds `fetch` and how the text is parsed.

    `usd_in` and `usd_out` are USD per million tokens. With `store` the vendor keeps completions, so that a lost
    one is found again. There is no rate: limits differ by account and are answered with 429. Several threads may
    share one instance.
    """

    name = "openai"
    usual_seconds = 8.0
    # Compatible servers may repeat ids; the answer comes with the receipt, so that no id is polled.
    unique_ids = False
    repeatable = True
    token_is_id = False
    rate: Rate | None = None
    wanted: ClassVar[WantedContent]

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
        self._client = VendorClient("openai", base_url, api_key, deadline_seconds=deadline_seconds)
        self._key = api_key
        self._model = model
        self._usd_in = usd_in
        self._usd_out = usd_out
        self._store = store
        self._is_looked_up = True

    def build_unstored_copy(self) -> Self:
        """Return a copy that has the vendor keep no completions, for jobs that are never looked up."""
        other = copy.copy(self)
        other._is_looked_up = False
        return other

    def price(self, job_input: StageInput) -> int:
        """Return the maximum cost of one completion in micro-dollars; each byte of the prompt may be a token."""
        prompt = job_input["prompt"]
        size = len(prompt["system"].encode()) + len(prompt["user"].encode())
        most_in = size + _TOKENS_AROUND_PROMPT + self._count_tokens_beside_prompt(job_input)
        return self._compute_cost(most_in, self._limit_tokens_out(job_input))

    def prepare(self, job_input: StageInput) -> None:
        """Do nothing: no job needs to be prepared."""

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        """Request the completion and return it in the receipt.

        An unusable one is charged: SubmissionFailedError `bad_answer` or the code of `wanted.cut`, PermanentError
        `content_filter` or that of `wanted.refused`.
        """
        completion = self._complete(job_input, token, before_send)
        answer = self._build_answer(job_input, completion)
        known = read_usable_id(completion.fields, self._key, token)
        return Receipt(
            external_id=known or make_fallback_id(token),
            answer=answer,
            cost=self._compute_actual_cost(job_input, answer),
        )

    def find(self, token: str) -> str | None:
        """Return the id of the stored completion with this token; None without one or if it cannot be listed."""
        if not self._store:
            return None
        try:
            listed = self._get_checked(
                f"{_COMPLETIONS}?{urlencode({f'metadata[{TOKEN_FIELD}]': token})}"
            )
        except ProviderError:
            return None
        entries = listed.fields.get("data")
        for completion in map(read_json_object, entries if isinstance(entries, list) else []):
            if read_json_object(completion.get("metadata")).get(TOKEN_FIELD) == token:
                return read_usable_id(completion, self._key, token)
        return None

    def owns(self, external_id: str, token: str) -> bool | None:
        """Return whether the stored completion has this token; None if it has no token at all.

        Raises PermanentError `job_unknown` if there is no such completion.
        """
        stored = self._get_stored_completion(external_id)
        known = read_json_object(stored.fields.get("metadata")).get(TOKEN_FIELD)
        return known == token if isinstance(known, str) else None

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """Fetch the stored completion. Raises the errors of `submit`, and `submission_lost` if there is none."""
        try:
            stored = self._get_stored_completion(external_id)
        except PermanentError as error:
            raise SubmissionFailedError(error.message, code="submission_lost") from None
        return Succeeded(self._build_answer(job_input, stored))

    def cancel(self, external_id: str) -> None:
        """Do nothing: there is no job to stop."""

    def account_status(self) -> str:
        """Check that the key can use the model; the API does not report the account's balance."""
        self._get_checked(f"/models/{quote(self._model, safe='')}")
        return f"{self._model} answers"

    def _build_request(self, job_input: StageInput) -> Mapping[str, Json]:
        """Build the job's part of the request body: the messages, and the format of the answer."""
        prompt = job_input["prompt"]
        return build_messages(prompt["system"], prompt["user"])

    def _parse_text(self, job_input: StageInput, text: str) -> Mapping[str, Json]:
        """Parse the model's text into the members of the stored answer. Raises UnusableError."""
        raise NotImplementedError

    def _limit_tokens_out(self, job_input: StageInput) -> int:
        """Return the maximum number of tokens of the answer."""
        raise NotImplementedError

    def _count_tokens_beside_prompt(self, job_input: StageInput) -> int:
        """Return the maximum number of tokens that are sent beside the two texts of the prompt."""
        return 0

    def _complete(
        self, job_input: StageInput, token: str, before_send: BeforeSend
    ) -> VendorResponse:
        """Send the job; return the checked completion. Raises the errors of `submit`."""
        answer = self._send(job_input, self._build_request(job_input), token, before_send)
        return self._check_completion(answer)

    def _send(
        self,
        job_input: StageInput,
        request: Mapping[str, Json],
        token: str,
        before_send: BeforeSend,
    ) -> VendorResponse:
        """Send the job once; return the answer unchecked. Raises UnknownSubmissionError or NotSentError."""
        kept: dict[str, Any] = {"store": False}
        if self._is_looked_up:
            kept = {"store": True, "metadata": {TOKEN_FIELD: token}}
        body = {
            "model": self._model,
            "max_completion_tokens": self._limit_tokens_out(job_input),
            **request,
            **(kept if self._store else {}),
        }
        return self._client.post_paid(_COMPLETIONS, body, before_send)

    def _check_completion(self, answer: VendorResponse) -> VendorResponse:
        """Return the answer to a job if it is a completion. Raises the errors of `submit`."""
        error = build_refusal_error(answer, self._key)
        if isinstance(error, NoAnswerError):
            raise UnknownSubmissionError(error.message)
        if error is not None:
            raise error
        return answer

    def _get_checked(self, path: str) -> VendorResponse:
        """Fetch an API path; return the answer. Raises the error of a refusal, or NoAnswerError."""
        answer = self._client.get(path)
        if error := build_refusal_error(answer, self._key):
            raise error
        return answer

    def _get_stored_completion(self, external_id: str) -> VendorResponse:
        """Fetch the stored completion.

        Raises PermanentError for the API's own 404, and TransientError for any other answer but the completion.
        """
        answer = self._client.get(f"{_COMPLETIONS}/{quote(external_id, safe='')}")
        where = format_request_id(answer, self._key)
        if answer.status == 404 and read_json_object(answer.fields.get("error")):
            why = f"openai: the vendor does not store the completion{where}"
            raise PermanentError(why, code="job_unknown")
        error = build_refusal_error(answer, self._key)
        if isinstance(error, PermanentError):
            # The call was refused, which is no final status of the completion.
            raise TransientError(error.message)
        if error is not None:
            raise error
        if answer.fields.get("id") != external_id:
            raise TransientError(f"openai: the answer is another completion{where}")
        return answer

    def _build_answer(
        self, job_input: StageInput, completion: VendorResponse
    ) -> Mapping[str, Json]:
        """Build the answer that `fetch` reads, from the completion's text and token usage.

        Raises PermanentError or SubmissionFailedError, with the cost of the tokens, if the text is unusable.
        """
        known = read_usage(completion.fields, self._key, self._model)
        try:
            read = self._parse_text(job_input, read_text(completion, self._key, self.wanted))
        except UnusableError as error:
            why = f"openai: {error}{format_request_id(completion, self._key)}"
            cost = self._compute_actual_cost(job_input, known)
            raise error.kind(why, code=error.code, cost=cost) from None
        return {**read, **known}

    def _compute_actual_cost(self, job_input: StageInput, answer: Mapping[str, Json]) -> int:
        """Compute the cost in micro-dollars of the reported tokens; without a report, return the price."""
        tokens_in, tokens_out = answer["tokens_in"], answer["tokens_out"]
        if tokens_in is None or tokens_out is None:
            return self.price(job_input)
        return self._compute_cost(tokens_in, tokens_out)

    def _compute_cost(self, tokens_in: int, tokens_out: int) -> int:
        """Compute the cost of these numbers of tokens in micro-dollars."""
        # USD per million tokens is micro-dollars per token.
        return math.ceil(tokens_in * self._usd_in + tokens_out * self._usd_out)


def build_messages(system: str, user: Json) -> Mapping[str, Json]:
    """Build the system and user messages of a request; `user` is a text or a list of parts."""
    told = {"role": "system", "content": system}
    return {"messages": [told, {"role": "user", "content": user}]}


def read_text(answer: VendorResponse, key: str, wanted: WantedContent) -> str:
    """Return the model's text without its thoughts, the key and tokens. Raises UnusableError.

    The content decides. Only a finish reason known to mean a cut or a refusal overrides it: compatible servers
    have other words for an ordinary end (docs/vendors/openai.md).
    """
    choices = answer.fields.get("choices")
    choice = read_json_object(choices[0]) if isinstance(choices, list) and choices else {}
    message = read_json_object(choice.get("message"))
    ended, content = _get_finish_reason(choice), _read_content_text(message.get("content"))
    _check_ending(ended, message, _get_stream_error(choice), key, wanted)
    if content is not None:
        return strip_thoughts(redact_tokens(redact_secret(content, key)))
    said = f" (finish_reason {shorten_to_line(ended, key)})" if ended else ""
    unreadable = f"the answer is not a readable completion{said}: {answer.summary}"
    raise UnusableError(SubmissionFailedError, BAD_ANSWER, unreadable)


def _check_ending(
    finish_reason: str, message: Mapping[str, Json], broken: str, key: str, wanted: WantedContent
) -> None:
    """Raise UnusableError if the completion was refused, cut off or broken off.

    `broken` is the server's error message, if any; `key` is redacted.
    """
    refusal, refused = message.get("refusal"), f"the model refused to write {wanted.name}"
    said, ending = (
        f"finish_reason {shorten_to_line(finish_reason, key)}",
        classify_ending(finish_reason),
    )
    if ending is Ending.REFUSED:
        stopped = f"the vendor's content filter stopped {wanted.name} ({said}); {OTHER_WORDS}"
        raise UnusableError(PermanentError, CONTENT_FILTER, stopped)
    if isinstance(refusal, str) and refusal.strip():
        told = f"{refused}: {shorten_to_line(refusal, key)}; {OTHER_WORDS}"
        raise UnusableError(PermanentError, wanted.refused, told)
    if ending is Ending.CUT:
        cut = f"{wanted.name} was cut off by the limit on tokens ({said})"
        raise UnusableError(SubmissionFailedError, wanted.cut, cut)
    if ending is Ending.BROKEN_OFF:
        why = f": {shorten_to_line(broken, key)}" if broken else ""
        told = f"the vendor broke {wanted.name} off ({said}){why}"
        raise UnusableError(SubmissionFailedError, wanted.cut, told)
    if finish_reason.strip().lower() == "stop" and message.get("content", "") is None:
        raise UnusableError(PermanentError, wanted.refused, f"{refused}; {OTHER_WORDS}")


def _get_finish_reason(choice: Mapping[str, Json]) -> str:
    """Return the choice's finish_reason; "" without one."""
    word = choice.get("finish_reason")
    return word if isinstance(word, str) else ""


def _get_stream_error(choice: Mapping[str, Json]) -> str:
    """Return the server's message about an error in the middle of a completion; "" without one."""
    said = read_json_object(choice.get("error")).get("message")
    return said if isinstance(said, str) else ""


def _read_content_text(content: Json) -> str | None:
    """Return the text of a message's content, which may be a list of parts; None without any."""
    if isinstance(content, str):
        return content
    parts = [read_json_object(part) for part in content] if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return "".join(texts) if texts else None


def strip_thoughts(written: str) -> str:
    """Remove a reasoning model's thoughts from the beginning of its text; return "" if they do not end.

    The mark that opens the thoughts may be missing, because it was part of the prompt.
    """
    at = 0
    while begun := _THOUGHTS.match(written, at):
        ended = _THOUGHTS_END.search(written, begun.end())
        if ended is None:
            return ""
        at = ended.end()
    ended = None if at else _THOUGHTS_END.search(written)
    return written[ended.end() if ended else at :]


def clean_lines(written: str) -> list[str]:
    """Split an untrusted text into lines that can be stored and drawn; drop it beyond 20,000 characters."""
    return [_remove_invisible_marks(line) for line in written[:LONGEST_WRITTEN].splitlines()]


def _remove_invisible_marks(line: str) -> str:
    """Normalize the line's blanks; remove control characters, surrogates and invisible marks."""
    kept = (
        " " if character.isspace() else character
        for character in line
        if character.isspace()
        or character in _JOINERS
        or unicodedata.category(character) not in ("Cc", "Cf", "Cs")
    )
    return " ".join("".join(kept).split())


class Ending(StrEnum):
    """The ways in which a model's text ends early."""

    CUT = "cut"
    BROKEN_OFF = "broken off"
    REFUSED = "refused"


ENDINGS: Mapping[Ending, tuple[str, ...]] = {
    Ending.CUT: (
        *("length", "max_tokens", "max_output_tokens", "max_completion_tokens", "max_length"),
        *("token_limit", "model_length", "model_context_window_exceeded", "context_length"),
        *("context_length_exceeded", "error_limit"),
    ),
    Ending.BROKEN_OFF: (
        *("error", "abort", "aborted", "cancelled", "canceled", "timeout", "incomplete"),
        *("insufficient_system_resource", "resource_exhausted", "network_error", "server_error"),
    ),
    Ending.REFUSED: (
        *("content_filter", "content_filtered", "content_policy", "content_policy_violation"),
        *("refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii"),
        *("sensitive", "guardrail_intervened", "error_toxic", "moderation", "blocked", "flagged"),
    ),
}
"""The words of OpenAI and compatible servers, in small letters with `_` between them."""
_BETWEEN_WORDS = re.compile(r"[\s-]+")


def classify_ending(finish_reason: Json) -> Ending | None:
    """Return how the text ended early, by the server's finish_reason; None for an ordinary or unknown one."""
    if not isinstance(finish_reason, str):
        return None
    word = _BETWEEN_WORDS.sub("_", finish_reason.strip().lower()).removeprefix("finish_reason_")
    return next((ending for ending, words in ENDINGS.items() if word in words), None)


def read_usage(completion: Mapping[str, Json], key: str, model: str) -> Mapping[str, Json]:
    """Return model, tokens_in and tokens_out of a completion; the counts are None if not reported.

    `model` is the default for a completion that names none.
    """
    named, usage = completion.get("model"), read_json_object(completion.get("usage"))
    return {
        "model": (shorten_to_line(named, key) if isinstance(named, str) else "") or model,
        "tokens_in": _check_token_count(usage.get("prompt_tokens")),
        "tokens_out": _check_token_count(usage.get("completion_tokens")),
    }


def _check_token_count(value: Json) -> int | None:
    """Return the value if it is a plausible number of tokens, else None."""
    counts = isinstance(value, int) and not isinstance(value, bool)
    return value if counts and 0 <= value <= _MOST_TOKENS else None


def read_usable_id(completion: Mapping[str, Json], *secrets: str) -> str | None:
    """Return the completion's id if it can be stored and contains none of the secrets, else None."""
    known = completion.get("id")
    if not isinstance(known, str) or not _USABLE_ID.fullmatch(known):
        return None
    return None if contains_secret(known, *secrets) else known


def make_fallback_id(token: str) -> str:
    """Derive an id from the token, for a completion without one; it does not reveal the token."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]
