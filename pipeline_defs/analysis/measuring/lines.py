"""Lines of code, of comment and blank ones. Pure."""

import re
from dataclasses import dataclass

from pipeline_defs.analysis.measuring.comments import Syntax


@dataclass(frozen=True, slots=True)
class Lines:
    """Numbers of lines; one with code and a comment is a line of code."""

    code: int = 0
    comment: int = 0
    blank: int = 0

    @property
    def total(self) -> int:
        """All lines."""
        return self.code + self.comment + self.blank

    def __add__(self, other: "Lines") -> "Lines":
        return Lines(self.code + other.code, self.comment + other.comment, self.blank + other.blank)


def count_lines(content: bytes, syntax: Syntax) -> Lines:
    """The lines of a file in a language with this syntax."""
    total = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    filled = _filled(content)
    code = filled if syntax.token is None else _filled(syntax.token.sub(_without_comment, content))
    # A comment that ends in the middle of a line can part one line of code in two.
    code = min(code, filled)
    return Lines(code, filled - code, total - filled)


def _filled(content: bytes) -> int:
    return sum(map(bool, map(bytes.strip, content.split(b"\n"))))


def _without_comment(token: re.Match[bytes]) -> bytes:
    text = token[0]
    if token.lastgroup is None:
        return text
    return b"\n" if b"\n" in text else b" "
