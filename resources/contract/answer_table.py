"""Read a vendor's answers by a table: status, code and words, and what each means.

The tables of a vendor stand in its `answers.md`, and in docs/vendors; each row is tried over HTTP by a test.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from resources.contract.errors import (
    KEY_REFUSED,
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    TransientError,
)


class Meaning(StrEnum):
    """What an answer to a submission means."""

    ACCOUNT = "account"
    """The account cannot pay or its key is refused: no order is at fault, and the vendor is paused."""
    RATE = "rate"
    """Called too often: nothing was accepted, and the same job may be sent later."""
    CONTENT = "content"
    """The words or pictures of the order are refused: they have to be changed."""
    INPUT = "input"
    """The request is refused and will be refused again."""
    THEIRS = "theirs"
    """The vendor says that it did not do it, through its own fault: the same job may be sent later."""
    UNKNOWN = "unknown"
    """The answer proves nothing: the job may have been accepted."""


ANY = "any"
"""The status of a row that holds whatever the status is."""
_CLASSES = {"3xx": range(300, 400), "4xx": range(400, 500), "5xx": range(500, 600)}
_BLANKS = re.compile(r"\s+")
_TABLE = re.compile(r"<!-- answers: (\w+) -->\n(.*?)\n<!-- end -->", re.DOTALL)
_QUOTED = re.compile(r"`([^`]+)`")
_PHRASE = re.compile(r'"([^"]+)"')


@dataclass(frozen=True)
class AnswerRow:
    """A rule of a vendor's answer table: which answers it matches, and what they mean.

    `status` is `any`, or HTTP statuses and classes such as 4xx, separated by commas. `names` are the vendor's
    error codes and types, `phrases` parts of its error message, both in lower case. If either is given, the answer
    must contain at least one of them. `code` is castad's error code. `check` names the settings that may be wrong.
    """

    status: str
    meaning: Meaning
    code: str = ""
    names: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    check: tuple[str, ...] = ()

    @property
    def status_codes(self) -> frozenset[int]:
        """The HTTP status codes that the row matches, with classes such as 5xx expanded; empty for `any`."""
        parts = [part.strip() for part in self.status.split(",")]
        classes = [_CLASSES[part] for part in parts if part in _CLASSES]
        listed = [int(part) for part in parts if part.isdecimal()]
        return frozenset((*listed, *(number for each in classes for number in each)))

    def matches_answer(self, status: int, names: Collection[str], sentence: str) -> bool:
        """Return whether the row matches an answer.

        `names` are the answer's error codes and types, `sentence` is its error message, both in lower case.
        """
        return (
            (self.status == ANY or status in self.status_codes)
            and (not self.names or not set(self.names).isdisjoint(names))
            and (not self.phrases or any(phrase in sentence for phrase in self.phrases))
        )


@dataclass(frozen=True)
class AnswerTable:
    """The rules by which a vendor's answers are read; the first row that matches an answer decides."""

    rows: tuple[AnswerRow, ...]

    def find_row(self, status: int, names: Collection[str] = (), sentence: str = "") -> AnswerRow:
        """Return the first row that matches the answer; without one, a row with the meaning UNKNOWN.

        `names` are the error codes and types in the answer, `sentence` is its error message, both in any case.
        """
        small = frozenset(name.lower() for name in names)
        plain = _BLANKS.sub(" ", sentence).lower()
        fitting = (row for row in self.rows if row.matches_answer(status, small, plain))
        return next(fitting, AnswerRow(ANY, Meaning.UNKNOWN))

    def filter_rejections(self, statuses: Iterable[int]) -> frozenset[int]:
        """Return those of the statuses that prove, without any error code, that the vendor accepted nothing."""
        return frozenset(
            each for each in statuses if self.find_row(each).meaning is not Meaning.UNKNOWN
        )


def load_tables(file: Path) -> dict[str, AnswerTable]:
    """Load the answer tables of a vendor's `answers.md`, by title."""
    return {
        title: AnswerTable(tuple(map(_read_row, text.splitlines()[2:])))
        for title, text in _TABLE.findall(file.read_text("utf-8"))
    }


def _read_row(line: str) -> AnswerRow:
    """Parse one line of a table in Markdown.

    Its columns: status, error code or type, phrases, meaning, castad's code with the settings to check, source.
    """
    status, names, words, meaning, castad, _ = (
        cell.strip() for cell in line.strip().strip("|").split("|")
    )
    code, _, check = castad.partition("; check ")
    return AnswerRow(
        status,
        Meaning(meaning),
        code.strip("`"),
        names=tuple(_QUOTED.findall(names)),
        phrases=tuple(_PHRASE.findall(words)),
        check=tuple(_QUOTED.findall(check)),
    )


def build_error(
    row: AnswerRow, vendor: str, why: str, *, advice: str = "", retry_after: float | None = None
) -> ProviderError | None:
    """Build the error that the row stands for; return None if its meaning is UNKNOWN.

    `why` is the vendor's error message. `advice` says what the user should change, if the content was rejected.
    `retry_after` is in seconds.
    """
    check = f"; check {' and '.join(row.check)}" if row.check else ""
    match row.meaning:
        case Meaning.ACCOUNT:
            is_key = row.code == KEY_REFUSED
            told = "the key or the account is refused" if is_key else "the account cannot pay"
            return OutOfCreditsError(f"{vendor}: {told}: {why}{check}", code=row.code or None)
        case Meaning.RATE:
            told = f"{vendor}: too many calls: {why}{check}"
            return TransientError(told, code=row.code or None, retry_after=retry_after)
        case Meaning.CONTENT:
            told = f"{vendor}: the vendor rejects what the order says: {why}; {advice}"
            return PermanentError(told, code=row.code or None)
        case Meaning.INPUT:
            return PermanentError(
                f"{vendor}: the job is refused: {why}{check}", code=row.code or None
            )
        case Meaning.THEIRS:
            told = f"{vendor}: the job was not taken: {why}{check}"
            return TransientError(told, code=row.code or None, retry_after=retry_after)
        case Meaning.UNKNOWN:
            return None
