"""The characters that scans win, as one value that never changes. Pure."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any

from resources.contract.errors import InvalidInputError

MOST_CHARACTERS = 1_000
_LONGEST = {
    "code": 64,
    "name": 80,
    "name_en": 80,
    "type": 40,
    "dialog": 300,
    "dialog_en": 300,
    "match": 80,
}


@dataclass(frozen=True)
class Character:
    """A character. `match` is the middle class whose scans win it; the default one's is empty."""

    code: str
    name: str
    name_en: str
    type: str
    dialog: str
    dialog_en: str
    match: str


COLUMNS = tuple(field.name for field in fields(Character))


@dataclass(frozen=True)
class Snapshot:
    """All characters as of a version of the catalogue; 0 is the one that castad brings."""

    version: int
    characters: tuple[Character, ...]

    @cached_property
    def by_label(self) -> Mapping[str, Character]:
        """The character of each middle class."""
        return MappingProxyType({each.match: each for each in self.characters if each.match})

    @cached_property
    def default(self) -> Character | None:
        """The character of a class that has none of its own."""
        return next((each for each in self.characters if not each.match), None)

    def match(self, label: str) -> Character | None:
        """The character that a thing of this middle class wins."""
        return self.by_label.get(label, self.default)

    def as_json(self) -> str:
        """The snapshot as a text that `read_snapshot` reads."""
        listed = [asdict(each) for each in self.characters]
        return json.dumps({"version": self.version, "characters": listed}, ensure_ascii=False)


def read_snapshot(text: str) -> Snapshot | None:
    """The snapshot in a stored text; None where it is none."""
    try:
        stored = json.loads(text)
        return Snapshot(int(stored["version"]), checked(stored["characters"]))
    except (ValueError, KeyError, TypeError, OverflowError, InvalidInputError):
        return None


def read_csv(text: str) -> tuple[Character, ...]:
    """The characters of a CSV file with the columns COLUMNS; raises InvalidInputError naming the row."""
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise InvalidInputError("characters", f"expected CSV: {error}") from None
    if sorted(reader.fieldnames or ()) != sorted(COLUMNS):
        raise InvalidInputError("characters", f"expected the columns {', '.join(COLUMNS)}")
    return checked(rows)


def checked(rows: Sequence[Mapping[str, Any]]) -> tuple[Character, ...]:
    """The characters of these rows, each code and class once. Raises InvalidInputError naming row and column."""
    if not 0 < len(rows) <= MOST_CHARACTERS:
        raise InvalidInputError("characters", f"expected 1 to {MOST_CHARACTERS:,} characters")
    found = tuple(_character(row, number) for number, row in enumerate(rows, 1))
    for column in ("code", "match"):
        _refuse_twice(column, (getattr(each, column) for each in found))
    return found


def _character(row: Mapping[str, Any], number: int) -> Character:
    if not isinstance(row, Mapping):
        raise InvalidInputError(f"characters: row {number}", "expected an object")
    for column in COLUMNS:
        value, longest = row.get(column), _LONGEST[column]
        if not isinstance(value, str) or not value.isprintable() or len(value) > longest:
            expected = f"expected printable text of at most {longest} characters"
            raise InvalidInputError(f"characters: row {number}: {column}", expected)
        if not value.strip() and column != "match":
            raise InvalidInputError(f"characters: row {number}: {column}", "expected a text")
    return Character(**{column: str(row[column]).strip() for column in COLUMNS})


def _refuse_twice(column: str, values: Iterable[str]) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise InvalidInputError(
                f"characters: {column}",
                f"expected each once; {value or 'the empty one'} is there twice",
            )
        seen.add(value)
