"""Read the completion that answers a question.

A title and a lyric from a chat model's text. Pure.

Models add code fences, Markdown, quotation marks, a polite sentence first. These are removed; a line of the lyric
never is.

Reads a chat completion: the text, or why there is none. Pure; any field may hold anything.

Source: docs/vendors/openai.md, the answer to `POST /v1/chat/completions`.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

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
from studio.words import SECTION_MARK, list_sung_lines

LONGEST_TEXT = 3_000
"""Characters: the smallest limit of Suno's models (docs/vendors/suno.md)."""
LONGEST_TITLE = 80
LONGEST_WRITTEN = 20_000
"""Characters: text beyond is ignored."""

_THOUGHTS = re.compile(r"[\s\ufeff]*<think(?:ing)?>", re.IGNORECASE)
_THOUGHTS_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FEWEST_LINES = 4
_TITLE = re.compile(
    r"\W*(?:(?:song|곡|노래)\s*)?(?:title|제목)\W*?(?:[:：]|\s[=–—-]\s)(?P<title>.*)",
    re.IGNORECASE,
)
_LINES_BEFORE_TITLE = 2
_REMARK_ENDS = (":", "：", "!", ".")
_FENCE = re.compile(r"(?:`{3,}|~{3,})\s*\w*")
_RULE = re.compile(r"[-*_=]{3,}")
_LEADING_MARK = re.compile(r"^(?:#{1,6}|[>*•-])\s+")
_EMPHASIS = re.compile(r"(\*{1,3}|__|`)(?=\S)(.{1,300}?)(?<=\S)\1")
_TAG = re.compile(r"(\[[^\[\]]+\])\W*")
_SECTION = re.compile(
    r"(?:intro|verse|pre-?\s?chorus|chorus|hook|refrain|bridge|outro|후렴|\d절)\s*\d?",
    re.IGNORECASE,
)
_SECTION_DECORATION = "#*_() :："
_TITLE_DECORATION = " *_#`[]\"'“”‘’「」『』《》〈〉"
_QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』"}
_JOINERS = frozenset("\u200c\u200d")


@dataclass(frozen=True)
class WrittenLyric:
    """A title on one line, and sung lines under section marks such as "[Verse]"; each may be empty."""

    title: str
    text: str
    is_named: bool = field(default=False, compare=False)
    """Whether the model wrote the title; otherwise the title is the first line."""

    @property
    def has_form(self) -> bool:
        """Whether it is more than a remark: it has a title, a section mark or several lines."""
        marked = any(map(SECTION_MARK.fullmatch, self.text.splitlines()))
        return self.is_named or marked or len(list_sung_lines(self.text)) >= _FEWEST_LINES


def read_lyric(written: str) -> WrittenLyric:
    """Read the lyric in a model's answer: clean, trimmed, and cut to a song's length limit.

    The title is the one that the model names in its first lines, else the first sung line, which is kept as well.
    """
    raw = visible_lines(written)
    lines = [line for line in raw if not _FENCE.fullmatch(line) and not _RULE.fullmatch(line)]
    title, rest = _split_title(_unquoted_lines(lines))
    text = _cut("\n".join(_without_gaps([_undecorated(line) for line in rest])))
    return WrittenLyric(title or _first_sung(text), text, is_named=title is not None)


def without_thoughts(written: str) -> str:
    """Return the text after a model's thoughts; empty where the thoughts do not end.

    Reasoning models write their thoughts first, between marks; the first mark may be part of the prompt.
    """
    at = 0
    while begun := _THOUGHTS.match(written, at):
        ended = _THOUGHTS_END.search(written, begun.end())
        if ended is None:
            return ""
        at = ended.end()
    ended = None if at else _THOUGHTS_END.search(written)
    return written[ended.end() if ended else at :]


def visible_lines(written: str) -> list[str]:
    """Clean the lines of a text from outside, so that they can be stored and drawn."""
    return [_visible(line) for line in written[:LONGEST_WRITTEN].splitlines()]


def _visible(line: str) -> str:
    """Clean the line: single blanks, no control characters, surrogates or invisible marks."""
    kept = (
        " " if character.isspace() else character
        for character in line
        if character.isspace()
        or character in _JOINERS
        or unicodedata.category(character) not in ("Cc", "Cf", "Cs")
    )
    return " ".join("".join(kept).split())


def _split_title(lines: list[str]) -> tuple[str | None, list[str]]:
    """Split off the named title; the rest are the other lines without remarks before the title."""
    filled = [index for index, line in enumerate(lines) if line]
    for index in filled[: _LINES_BEFORE_TITLE + 1]:
        match = _TITLE.fullmatch(lines[index])
        if match:
            before = [line for line in lines[:index] if not line.endswith(_REMARK_ENDS)]
            return _title(match["title"]), before + lines[index + 1 :]
    return None, lines


def _title(text: str) -> str:
    title = text.strip(_TITLE_DECORATION)[:LONGEST_TITLE].strip()
    return title if any(character.isalnum() for character in title) else ""


def _undecorated(line: str) -> str:
    """Strip the line's decoration; a decorated section name becomes a section mark."""
    name = line.strip(_SECTION_DECORATION)
    if name != line and _SECTION.fullmatch(name):
        return f"[{name}]"
    bare = _EMPHASIS.sub(r"\2", _LEADING_MARK.sub("", line, count=1))
    tag = _TAG.fullmatch(bare)
    return tag[1] if tag else _unquoted(bare)


def _unquoted(text: str) -> str:
    """Strip the one pair of quotation marks around all of `text`."""
    closing = _QUOTES.get(text[:1])
    inner = text[1:-1]
    if len(text) < 2 or text[-1] != closing or text[0] in inner or closing in inner:
        return text
    return inner.strip()


def _unquoted_lines(lines: list[str]) -> list[str]:
    return _unquoted("\n".join(lines).strip("\n")).split("\n")


def _without_gaps(lines: list[str]) -> list[str]:
    """Keep at most one blank line between two lines, and none at the ends."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return kept[:-1] if kept and not kept[-1] else kept


def _cut(text: str) -> str:
    """Cut to the complete lines that fit, or within a first line that is too long."""
    if len(text) <= LONGEST_TEXT:
        return text
    return text[: LONGEST_TEXT + 1].rpartition("\n")[0].rstrip() or text[:LONGEST_TEXT].rstrip()


def _first_sung(text: str) -> str:
    return next(iter(list_sung_lines(text)), "")[:LONGEST_TITLE].strip()


BAD_ANSWER = "bad_answer"


class Ending(StrEnum):
    """How a model ended, where it was stopped."""

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
        """Build the error, with `cost` and `where`: the tokens were charged in any case."""
        return self.kind(f"openai: {self.why}{where}", code=self.code, cost=cost)


def used_by(completion: Mapping[str, Json], key: str, model: str) -> Mapping[str, Json]:
    """Return the model, by default `model`, and tokens_in and tokens_out, None where not reported."""
    named, usage = completion.get("model"), json_object(completion.get("usage"))
    return {
        "model": (one_line(named, key) if isinstance(named, str) else "") or model,
        "tokens_in": _token_count(usage.get("prompt_tokens")),
        "tokens_out": _token_count(usage.get("completion_tokens")),
    }


def _token_count(value: Json) -> int | None:
    """Return the value where it can be a number of tokens, else None."""
    counts = isinstance(value, int) and not isinstance(value, bool)
    return value if counts and 0 <= value <= _MOST_TOKENS else None


def usable_id(completion: Mapping[str, Json], *secrets: str) -> str | None:
    """Return the completion's id where it can be stored and holds none of the secrets, else None."""
    known = completion.get("id")
    if not isinstance(known, str) or not _USABLE_ID.fullmatch(known):
        return None
    return None if contains_secret(known, *secrets) else known


def fallback_id(token: str) -> str:
    """Make a unique id for a completion without one; it does not reveal the token."""
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


@dataclass(frozen=True)
class Asked:
    """Two messages, and in `form` the arguments that give the answer its form."""

    system: str
    user: Json
    form: Mapping[str, Any] = field(default_factory=dict)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of the SDK's call."""
        system = {"role": "system", "content": self.system}
        return {"messages": [system, {"role": "user", "content": self.user}], **self.form}
