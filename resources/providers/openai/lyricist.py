"""Have lyrics written by a chat model, and read the title and the lyric in its text.

Models add code fences, Markdown, quotation marks, a polite sentence first. These are removed; a line of the lyric
never is. Protocol facts: docs/vendors/openai.md.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from resources.contract.errors import SubmissionFailedError
from resources.contract.protocol import Json, Product, StageInput
from resources.http.vendor_client import shorten_to_line
from resources.providers.openai.completions import (
    BAD_ANSWER,
    ChatCompletions,
    UnusableError,
    WantedContent,
    clean_lines,
)
from studio.words import SECTION_MARK, SHORTEST_LYRIC, list_sung_lines

LONGEST_TEXT = 3_000
"""Characters: the smallest limit of Suno's models (docs/vendors/suno.md)."""
LONGEST_TITLE = 80
_FEWEST_LINES = 4
_TITLE = re.compile(
    r"\W*(?:(?:song|곡|노래)\s*)?(?:title|제목)\W*?(?:[:：]|\s[=–—-]\s)(?P<title>.*)", re.IGNORECASE
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
MOST_TOKENS_OUT = 3_000


@dataclass(frozen=True)
class WrittenLyric:
    """A lyric: a title on one line, and sung lines under section marks such as "[Verse]"; each may be empty."""

    title: str
    text: str
    is_named: bool = field(default=False, compare=False)
    """Whether the model wrote the title; otherwise the title is the first line."""

    @property
    def has_form(self) -> bool:
        """Whether the text is a lyric and not a mere remark: it has a title, a section mark or several lines."""
        marked = any(map(SECTION_MARK.fullmatch, self.text.splitlines()))
        return self.is_named or marked or len(list_sung_lines(self.text)) >= _FEWEST_LINES


class OpenAILyricist(ChatCompletions):
    """A provider of lyrics by a chat model; the result has title, text, model, tokens_in and tokens_out."""

    wanted = WantedContent("the lyric", refused="lyric_refused", cut="lyric_cut")

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Return the title and the lyric as a product without files."""
        lyric = read_lyric(answer["text"])
        known = {name: answer[name] for name in ("model", "tokens_in", "tokens_out")}
        result = {"title": lyric.title, "text": lyric.text, **known}
        return Product(result, cost=self._compute_actual_cost(job_input, answer))

    def _limit_tokens_out(self, job_input: StageInput) -> int:
        return MOST_TOKENS_OUT

    def _parse_text(self, job_input: StageInput, text: str) -> Mapping[str, Json]:
        written = "\n".join(clean_lines(text))
        _check_lyric(read_lyric(written))
        return {"text": written}


def _check_lyric(lyric: WrittenLyric) -> None:
    """Raise UnusableError if the lyric is empty, too short, or a mere remark."""
    if not list_sung_lines(lyric.text):
        raise UnusableError(SubmissionFailedError, "lyric_empty", "the model wrote no lyric")
    if len(lyric.text) < SHORTEST_LYRIC:
        short = f"the lyric has {len(lyric.text)} characters, expected at least {SHORTEST_LYRIC}"
        raise UnusableError(SubmissionFailedError, "lyric_too_short", short)
    if not lyric.has_form:
        remark = f"the model wrote a remark and no lyric: {shorten_to_line(lyric.text)}"
        raise UnusableError(SubmissionFailedError, BAD_ANSWER, remark)


def read_lyric(written: str) -> WrittenLyric:
    """Parse the lyric in a model's text: cleaned, trimmed, and cut to a song's length limit.

    The title is the one that the model names in its first lines. Otherwise it is the first sung line, which also
    stays in the text.
    """
    raw = clean_lines(written)
    lines = [line for line in raw if not _FENCE.fullmatch(line) and not _RULE.fullmatch(line)]
    title, rest = _split_title(_strip_quotes("\n".join(lines).strip("\n")).split("\n"))
    text = _cut_to_limit("\n".join(_close_gaps([_strip_decoration(line) for line in rest])))
    return WrittenLyric(title or _find_first_sung_line(text), text, is_named=title is not None)


def _split_title(lines: list[str]) -> tuple[str | None, list[str]]:
    """Split off the title that the lines name, None without one; return the lines after earlier remarks."""
    filled = [index for index, line in enumerate(lines) if line]
    for index in filled[: _LINES_BEFORE_TITLE + 1]:
        match = _TITLE.fullmatch(lines[index])
        if match:
            before = [line for line in lines[:index] if not line.endswith(_REMARK_ENDS)]
            return _clean_title(match["title"]), before + lines[index + 1 :]
    return None, lines


def _clean_title(text: str) -> str:
    """Remove decoration from the title; return "" if nothing readable is left."""
    title = text.strip(_TITLE_DECORATION)[:LONGEST_TITLE].strip()
    return title if any(character.isalnum() for character in title) else ""


def _strip_decoration(line: str) -> str:
    """Remove Markdown decoration from the line; a decorated section name becomes a section mark."""
    name = line.strip(_SECTION_DECORATION)
    if name != line and _SECTION.fullmatch(name):
        return f"[{name}]"
    bare = _EMPHASIS.sub(r"\2", _LEADING_MARK.sub("", line, count=1))
    tag = _TAG.fullmatch(bare)
    return tag[1] if tag else _strip_quotes(bare)


def _strip_quotes(text: str) -> str:
    """Remove the quotation marks around the text, if they are the only ones."""
    closing = _QUOTES.get(text[:1])
    inner = text[1:-1]
    if len(text) < 2 or text[-1] != closing or text[0] in inner or closing in inner:
        return text
    return inner.strip()


def _close_gaps(lines: list[str]) -> list[str]:
    """Reduce blank lines to one between two lines, and none at the ends."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return kept[:-1] if kept and not kept[-1] else kept


def _cut_to_limit(text: str) -> str:
    """Cut the text to the complete lines that fit into 3,000 characters, or cut an overlong first line."""
    if len(text) <= LONGEST_TEXT:
        return text
    return text[: LONGEST_TEXT + 1].rpartition("\n")[0].rstrip() or text[:LONGEST_TEXT].rstrip()


def _find_first_sung_line(text: str) -> str:
    """Return the first sung line, cut to a title's length; "" without one."""
    return next(iter(list_sung_lines(text)), "")[:LONGEST_TITLE].strip()
