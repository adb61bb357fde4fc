"""The tables of answers in docs/vendors, read as a person reads them.

`.venv/bin/python -m tests.contract.answer_rows` writes them from the vendors' own tables, `answers.md`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from resources.contract.answer_table import AnswerTable, load_tables

ROOT = Path(__file__).parents[2]
PAGES, PROVIDERS = ROOT / "docs" / "vendors", ROOT / "resources" / "providers"
VENDORS = ("openai", "suno", "creatomate", "comfyui", "github")
TABLES: dict[str, dict[str, AnswerTable]] = {
    vendor: load_tables(PROVIDERS / vendor / "answers.md") for vendor in VENDORS
}
_BLOCK = re.compile(r"<!-- answers: (\w+) -->\n(.*?)\n<!-- end -->", re.DOTALL)
_QUOTED = re.compile(r"`([^`]+)`")
_PHRASE = re.compile(r'"([^"]+)"')
OF_NO_ROW = 418
"""A status that no row names: it stands for its class."""


@dataclass(frozen=True)
class Case:
    """One answer that a row of a page speaks of, and what the page says of it."""

    vendor: str
    table: str
    status: int
    name: str
    sentence: str
    meaning: str
    code: str
    check: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.vendor} {self.table} {self.status} {self.name} {self.sentence}".strip()


def blocks_in(page: Path) -> dict[str, str]:
    """Return the tables of a page by their titles."""
    return dict(_BLOCK.findall(page.read_text(encoding="utf-8")))


def blocks_of(vendor: str) -> dict[str, str]:
    """Return the tables of a vendor's page by their titles."""
    return blocks_in(PAGES / f"{vendor}.md")


def cases_of(vendor: str, table: str) -> Iterator[Case]:
    """Return an answer for each status, name and phrase of each row."""
    for line in blocks_of(vendor)[table].splitlines()[2:]:
        status, names, words, meaning, castad, _ = (
            cell.strip() for cell in line.strip("|").split("|")
        )
        code, _, check = castad.partition("; check ")
        told = (meaning, code.strip("`"), tuple(_QUOTED.findall(check)))
        for number in _statuses(status, bool(names)):
            if names or words:
                for name in _QUOTED.findall(names):
                    yield Case(vendor, table, number, name, "we say no", *told)
                for phrase in _PHRASE.findall(words):
                    yield Case(vendor, table, number, "", f"Sorry,  {phrase.upper()}.", *told)
            else:
                yield Case(vendor, table, number, "", "we say no", *told)


def _statuses(told: str, is_named: bool) -> list[int]:
    if told == "any":
        return [400, 500] if is_named else [500, 503, 522]
    classes = {"3xx": [300], "4xx": [OF_NO_ROW], "5xx": [500]}
    return [each for part in told.split(", ") for each in classes.get(part) or [int(part)]]


def write_tables() -> None:
    """Write the tables of all vendors into their pages."""
    for vendor in VENDORS:
        page = PAGES / f"{vendor}.md"
        text, written = page.read_text(encoding="utf-8"), blocks_of(vendor)
        for title, table in blocks_in(PROVIDERS / vendor / "answers.md").items():
            text = text.replace(written[title], table)
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_tables()
