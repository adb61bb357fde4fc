"""Read a vendor's answers by a table: status, code and words, and what each means. Pure.

The same table stands in docs/vendors, where a test reads it, and each of its rows is tried over HTTP.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from resources.contract.errors import (
    KEY_REFUSED,
    RATE_LIMITED,
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


@dataclass(frozen=True)
class Row:
    """An answer and its meaning.

    `status` is `any`, or numbers and classes such as 4xx with commas between them. `names` are codes and types of
    an error, `phrases` parts of the vendor's sentence, both in small letters: the answer has to have one of them.
    `code` is castad's, `check` the settings that may be at fault, `source` how far the fact is documented.
    """

    status: str
    meaning: Meaning
    code: str = ""
    names: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    source: str = ""

    @property
    def numbers(self) -> frozenset[int]:
        """The statuses of the row, those of its classes included; empty for `any`."""
        parts = [part.strip() for part in self.status.split(",")]
        classes = [_CLASSES[part] for part in parts if part in _CLASSES]
        listed = [int(part) for part in parts if part.isdecimal()]
        return frozenset((*listed, *(number for each in classes for number in each)))

    def fits(self, status: int, names: Collection[str], sentence: str) -> bool:
        """Return whether an answer with this status, these names and this sentence is the row's."""
        return (
            (self.status == ANY or status in self.numbers)
            and (not self.names or not set(self.names).isdisjoint(names))
            and (not self.phrases or any(phrase in sentence for phrase in self.phrases))
        )


@dataclass(frozen=True)
class AnswerTable:
    """Rows of which the first that fits counts; `title` is that of its table in the vendor's page."""

    title: str
    rows: tuple[Row, ...]

    def read(self, status: int, names: Collection[str] = (), sentence: str = "") -> Row:
        """Return the row of an answer; one that no row fits proves nothing."""
        small = frozenset(name.lower() for name in names)
        plain = _BLANKS.sub(" ", sentence).lower()
        fitting = (row for row in self.rows if row.fits(status, small, plain))
        return next(fitting, Row(ANY, Meaning.UNKNOWN))

    def proving(self, statuses: Iterable[int]) -> frozenset[int]:
        """Return which of the statuses prove that nothing was accepted, whatever else the answer says."""
        return frozenset(
            each for each in statuses if self.read(each).meaning is not Meaning.UNKNOWN
        )

    def as_markdown(self) -> str:
        """Return the table as it stands in the vendor's page."""
        head = ("status", "code or type", "words", "meaning", "castad", "source")
        lines = [head, ("---",) * len(head), *map(_format_cells, self.rows)]
        return "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in lines)


def _format_cells(row: Row) -> tuple[str, ...]:
    checked = f"; check {_quote(row.check, ' and ')}" if row.check else ""
    code = f"`{row.code}`" if row.code else ""
    source = f"*{row.source}*" if row.source else ""
    words = ", ".join(f'"{phrase}"' for phrase in row.phrases)
    return row.status, _quote(row.names), words, row.meaning.value, f"{code}{checked}", source


def _quote(names: Iterable[str], between: str = ", ") -> str:
    return between.join(f"`{name}`" for name in names)


def moved(*check: str) -> Row:
    """Return the row of an answer that has the request made elsewhere (RFC 9110, 15.4); `check` is the address."""
    return Row("301, 307, 308", Meaning.INPUT, PermanentError.code, check=check)


TOO_OFTEN = Row("429", Meaning.RATE, RATE_LIMITED)
CLASSES = (
    Row("408, 444, 460, 499", Meaning.UNKNOWN, source="inferred"),
    Row("425", Meaning.THEIRS, TransientError.code),
    Row("4xx", Meaning.INPUT, PermanentError.code),
    Row(ANY, Meaning.UNKNOWN),
)
"""The last rows of a table: the default of each class of statuses.

A server that answers 4xx has not fulfilled the request (RFC 9110, 15.5); the first ones are about an exchange that
ended early.
"""


def build_error(
    row: Row, vendor: str, why: str, *, advice: str = "", retry_after: float | None = None
) -> ProviderError | None:
    """Return the error that a row stands for, None where it proves nothing.

    `why` is the vendor's own sentence. `advice` says how to change refused words, for an answer about content.
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
