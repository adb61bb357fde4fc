"""A title and a lyric from a chat model's text. Pure.

Models add code fences, Markdown, quotation marks, a polite sentence first. These are removed; a line of the lyric
never is.
"""

import re
import unicodedata
from dataclasses import dataclass, field

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
    """The lyric in a model's answer: clean, without blank lines at its ends, cut to a song's length limit.

    The title is the one that the model names in its first lines, else the first sung line, which is kept as well.
    """
    raw = visible_lines(written)
    lines = [line for line in raw if not _FENCE.fullmatch(line) and not _RULE.fullmatch(line)]
    title, rest = _split_title(_unquoted_lines(lines))
    text = _cut("\n".join(_without_gaps([_undecorated(line) for line in rest])))
    return WrittenLyric(title or _first_sung(text), text, is_named=title is not None)


def without_thoughts(written: str) -> str:
    """The text after a model's thoughts; empty where the thoughts do not end.

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
    """The lines of a text from outside, fit to be stored and drawn."""
    return [_visible(line) for line in written[:LONGEST_WRITTEN].splitlines()]


def _visible(line: str) -> str:
    """The line with single blanks, without control characters, surrogates and invisible marks."""
    kept = (
        " " if character.isspace() else character
        for character in line
        if character.isspace()
        or character in _JOINERS
        or unicodedata.category(character) not in ("Cc", "Cf", "Cs")
    )
    return " ".join("".join(kept).split())


def _split_title(lines: list[str]) -> tuple[str | None, list[str]]:
    """The named title, and the lines after it together with those before it that are not a remark."""
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
    """The line without decoration; a decorated section name becomes a section mark."""
    name = line.strip(_SECTION_DECORATION)
    if name != line and _SECTION.fullmatch(name):
        return f"[{name}]"
    bare = _EMPHASIS.sub(r"\2", _LEADING_MARK.sub("", line, count=1))
    tag = _TAG.fullmatch(bare)
    return tag[1] if tag else _unquoted(bare)


def _unquoted(text: str) -> str:
    """`text` without the one pair of quotation marks around all of it."""
    closing = _QUOTES.get(text[:1])
    inner = text[1:-1]
    if len(text) < 2 or text[-1] != closing or text[0] in inner or closing in inner:
        return text
    return inner.strip()


def _unquoted_lines(lines: list[str]) -> list[str]:
    return _unquoted("\n".join(lines).strip("\n")).split("\n")


def _without_gaps(lines: list[str]) -> list[str]:
    """The lines with at most one blank line between two, and none at the ends."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return kept[:-1] if kept and not kept[-1] else kept


def _cut(text: str) -> str:
    """The complete lines that fit; the beginning of a first line that is too long."""
    if len(text) <= LONGEST_TEXT:
        return text
    return text[: LONGEST_TEXT + 1].rpartition("\n")[0].rstrip() or text[:LONGEST_TEXT].rstrip()


def _first_sung(text: str) -> str:
    return next(iter(list_sung_lines(text)), "")[:LONGEST_TITLE].strip()
