"""Reads a chat completion: the text, or why there is none. Pure; any field may hold anything.

Source: docs/vendors/openai.md, the answer to `POST /v1/chat/completions`.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from resources.contract.errors import PermanentError, ProviderError, SubmissionFailedError
from resources.contract.protocol import Json
from resources.http.vendor_client import (
    VendorResponse,
    contains_secret,
    json_object,
    one_line,
    redact,
    redact_tokens,
)
from resources.providers.openai.answers import CONTENT_FILTER, OTHER_WORDS
from resources.providers.openai.written_lyric import without_thoughts

BAD_ANSWER = "bad_answer"


class Ending(StrEnum):
    """How a model ended, where that was not of its own accord."""

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
_MOST_TOKENS = 10_000_000
_USABLE_ID = re.compile(r"[A-Za-z0-9_.:-]{1,200}")


@dataclass(frozen=True)
class Wanted:
    """What a completion is to hold: its name in messages, and the codes where it was refused or cut."""

    name: str
    refused: str
    cut: str


@dataclass(frozen=True)
class UnusableCompletion:
    """Why a completion holds nothing usable."""

    kind: type[PermanentError] | type[SubmissionFailedError]
    code: str
    why: str

    def error(self, *, cost: int, where: str) -> ProviderError:
        """The error to raise; it carries `cost` and `where`: the tokens were charged in any case."""
        return self.kind(f"openai: {self.why}{where}", code=self.code, cost=cost)


def used_by(completion: Mapping[str, Json], key: str, model: str) -> Mapping[str, Json]:
    """The model that answered, by default `model`, and tokens_in and tokens_out, None where they are not told."""
    named, usage = completion.get("model"), json_object(completion.get("usage"))
    return {
        "model": (one_line(named, key) if isinstance(named, str) else "") or model,
        "tokens_in": _token_count(usage.get("prompt_tokens")),
        "tokens_out": _token_count(usage.get("completion_tokens")),
    }


def _token_count(value: Json) -> int | None:
    """The value where it can be a number of tokens, else None."""
    counts = isinstance(value, int) and not isinstance(value, bool)
    return value if counts and 0 <= value <= _MOST_TOKENS else None


def usable_id(completion: Mapping[str, Json], *secrets: str) -> str | None:
    """The completion's id where it can be stored and holds none of the secrets, else None."""
    known = completion.get("id")
    if not isinstance(known, str) or not _USABLE_ID.fullmatch(known):
        return None
    return None if contains_secret(known, *secrets) else known


def fallback_id(token: str) -> str:
    """The id of a completion without one, which a server may send: unique, and it does not reveal the token."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]


def text_of(answer: VendorResponse, key: str, wanted: Wanted) -> str | UnusableCompletion:
    """Return the model's text after its thoughts, without the key and tokens; else why there is none.

    The content decides. Only a word that is known to mean a cut or a refusal stops it: compatible servers have
    words of their own for an ordinary end (docs/vendors/openai.md).
    """
    choices = answer.fields.get("choices")
    choice = json_object(choices[0]) if isinstance(choices, list) and choices else {}
    message = json_object(choice.get("message"))
    ended, content = _ending(choice), _written(message.get("content"))
    failure = _failure(ended, message, _broken(choice), key, wanted)
    if failure is not None:
        return failure
    if content is not None:
        return without_thoughts(redact_tokens(redact(content, key)))
    said = f" (finish_reason {one_line(ended, key)})" if ended else ""
    unreadable = f"the answer is not a readable completion{said}: {answer.summary}"
    return UnusableCompletion(SubmissionFailedError, BAD_ANSWER, unreadable)


def ending_of(finish_reason: Json) -> Ending | None:
    """Return how the model ended by a server's word for it, None for an ordinary end and any unknown word."""
    if not isinstance(finish_reason, str):
        return None
    word = _BETWEEN_WORDS.sub("_", finish_reason.strip().lower()).removeprefix("finish_reason_")
    return next((ending for ending, words in ENDINGS.items() if word in words), None)


def _ending(choice: Mapping[str, Json]) -> str:
    word = choice.get("finish_reason")
    return word if isinstance(word, str) else ""


def _broken(choice: Mapping[str, Json]) -> str:
    """Return what the server says of an error in the middle of a completion; empty without one."""
    said = json_object(choice.get("error")).get("message")
    return said if isinstance(said, str) else ""


def _written(content: Json) -> str | None:
    """Return the text of a message's content, which may be a list of parts; None without one."""
    if isinstance(content, str):
        return content
    parts = [json_object(part) for part in content] if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return "".join(texts) if texts else None


def _failure(
    finish_reason: str, message: Mapping[str, Json], broken: str, key: str, wanted: Wanted
) -> UnusableCompletion | None:
    """Return why there is no text to use, where the completion says so."""
    refusal, refused = message.get("refusal"), f"the model refused to write {wanted.name}"
    said, ending = f"finish_reason {one_line(finish_reason, key)}", ending_of(finish_reason)
    if ending is Ending.REFUSED:
        stopped = f"the vendor's content filter stopped {wanted.name} ({said}); {OTHER_WORDS}"
        return UnusableCompletion(PermanentError, CONTENT_FILTER, stopped)
    if isinstance(refusal, str) and refusal.strip():
        told = f"{refused}: {one_line(refusal, key)}; {OTHER_WORDS}"
        return UnusableCompletion(PermanentError, wanted.refused, told)
    if ending is Ending.CUT:
        cut = f"{wanted.name} was cut off by the limit on tokens ({said})"
        return UnusableCompletion(SubmissionFailedError, wanted.cut, cut)
    if ending is Ending.BROKEN_OFF:
        why = f": {one_line(broken, key)}" if broken else ""
        told = f"the vendor broke {wanted.name} off ({said}){why}"
        return UnusableCompletion(SubmissionFailedError, wanted.cut, told)
    if finish_reason.strip().lower() == "stop" and message.get("content", "") is None:
        return UnusableCompletion(PermanentError, wanted.refused, f"{refused}; {OTHER_WORDS}")
    return None
