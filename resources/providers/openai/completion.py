"""Reads a chat completion: the text, or why there is none. Pure; any field may hold anything.

Source: docs/vendors/openai.md, the answer to `POST /v1/chat/completions`.
"""

from collections.abc import Mapping

from resources.contract.errors import PermanentError, ProviderError, SubmissionFailedError
from resources.contract.protocol import Json
from resources.http.vendor_client import (
    VendorResponse,
    json_object,
    one_line,
    redact,
    redact_tokens,
)
from resources.providers.openai.written_lyric import (
    WrittenLyric,
    read_lyric,
    visible_lines,
    without_thoughts,
)
from studio.words import SHORTEST_LYRIC, sung_lines

_MOST_TOKENS = 10_000_000


def token_count(value: Json) -> int | None:
    """The value where it can be a number of tokens, else None."""
    counts = isinstance(value, int) and not isinstance(value, bool)
    return value if counts and 0 <= value <= _MOST_TOKENS else None


def text_of(answer: VendorResponse, key: str, *, cost: int, where: str) -> str:
    """The model's text, fit to be stored, with a usable lyric in it.

    Every error carries `cost` and `where`: the tokens were charged in any case.

    Raises:
        PermanentError: `lyric_refused` or `content_filter`.
        SubmissionFailedError: `lyric_cut`, `lyric_empty`, `lyric_too_short` or `bad_answer`.
    """
    choices = answer.fields.get("choices")
    choice = json_object(choices[0]) if isinstance(choices, list) and choices else {}
    message = json_object(choice.get("message"))
    finish_reason, content = choice.get("finish_reason"), message.get("content")
    failure = _failure(finish_reason, message, key)
    if failure is None and finish_reason == "stop" and isinstance(content, str):
        redacted = redact_tokens(redact(content, key))
        written = "\n".join(visible_lines(without_thoughts(redacted)))
        failure = _shortcoming(read_lyric(written))
        if failure is None:
            return written
    unreadable = f"the answer is not a readable completion: {answer.summary}"
    kind, code, why = failure or (SubmissionFailedError, "bad_answer", unreadable)
    raise kind(f"openai: {why}{where}", code=code, cost=cost)


_Failure = tuple[type[ProviderError], str, str]
"""The error, its code and its message."""


def _failure(finish_reason: Json, message: Mapping[str, Json], key: str) -> _Failure | None:
    """Why there is no text, where the completion states it."""
    refusal = message.get("refusal")
    if finish_reason == "content_filter":
        return PermanentError, "content_filter", "the vendor's content filter stopped the lyric"
    if isinstance(refusal, str) and refusal.strip():
        refused = f"the model refused to write the lyric: {one_line(refusal, key)}"
        return PermanentError, "lyric_refused", refused
    if finish_reason == "length":
        return SubmissionFailedError, "lyric_cut", "the lyric was cut off by the limit on tokens"
    if finish_reason == "stop" and message.get("content", "") is None:
        return PermanentError, "lyric_refused", "the model refused to write the lyric"
    return None


def _shortcoming(lyric: WrittenLyric) -> _Failure | None:
    if not sung_lines(lyric.text):
        return SubmissionFailedError, "lyric_empty", "the model wrote no lyric"
    if len(lyric.text) < SHORTEST_LYRIC:
        short = f"the lyric has {len(lyric.text)} characters, expected at least {SHORTEST_LYRIC}"
        return SubmissionFailedError, "lyric_too_short", short
    if not lyric.has_form:
        remark = f"the model wrote a remark and no lyric: {one_line(lyric.text)}"
        return SubmissionFailedError, "bad_answer", remark
    return None
