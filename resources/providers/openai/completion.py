"""Reads a chat completion: the text, or why there is none. Pure; any field may hold anything.

Source: docs/vendors/openai.md, the answer to `POST /v1/chat/completions`.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

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
from resources.providers.openai.written_lyric import without_thoughts

BAD_ANSWER = "bad_answer"
_MOST_TOKENS = 10_000_000
_USABLE_ID = re.compile(r"[A-Za-z0-9_.:-]{1,200}")


@dataclass(frozen=True)
class Wanted:
    """What a completion is to hold: its name in messages, and the codes where it was refused or cut."""

    name: str
    refused: str
    cut: str


@dataclass(frozen=True)
class Verdict:
    """Why a completion holds nothing usable."""

    kind: type[PermanentError] | type[SubmissionFailedError]
    code: str
    why: str

    def error(self, *, cost: int, where: str) -> ProviderError:
        """The error of this verdict; it carries `cost` and `where`: the tokens were charged in any case."""
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


def text_of(answer: VendorResponse, key: str, wanted: Wanted) -> str | Verdict:
    """The model's text after its thoughts, without the key and tokens; else the verdict."""
    choices = answer.fields.get("choices")
    choice = json_object(choices[0]) if isinstance(choices, list) and choices else {}
    message = json_object(choice.get("message"))
    finish_reason, content = choice.get("finish_reason"), message.get("content")
    failure = _failure(finish_reason, message, key, wanted)
    if failure is not None:
        return failure
    if finish_reason == "stop" and isinstance(content, str):
        return without_thoughts(redact_tokens(redact(content, key)))
    unreadable = f"the answer is not a readable completion: {answer.summary}"
    return Verdict(SubmissionFailedError, BAD_ANSWER, unreadable)


def _failure(
    finish_reason: Json, message: Mapping[str, Json], key: str, wanted: Wanted
) -> Verdict | None:
    """Why there is no text, where the completion states it."""
    refusal, refused = message.get("refusal"), f"the model refused to write {wanted.name}"
    if finish_reason == "content_filter":
        stopped = f"the vendor's content filter stopped {wanted.name}"
        return Verdict(PermanentError, "content_filter", stopped)
    if isinstance(refusal, str) and refusal.strip():
        return Verdict(PermanentError, wanted.refused, f"{refused}: {one_line(refusal, key)}")
    if finish_reason == "length":
        cut = f"{wanted.name} was cut off by the limit on tokens"
        return Verdict(SubmissionFailedError, wanted.cut, cut)
    if finish_reason == "stop" and message.get("content", "") is None:
        return Verdict(PermanentError, wanted.refused, refused)
    return None
