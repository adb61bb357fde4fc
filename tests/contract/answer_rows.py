"""The tables of answers in docs/vendors, read as a person reads them.

`.venv/bin/python -m tests.contract.answer_rows` writes them from the vendors' own tables.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from resources.contract.answer_table import AnswerTable
from resources.providers.comfyui import answers as comfyui
from resources.providers.creatomate import answers as creatomate
from resources.providers.github import answers as github
from resources.providers.openai import answers as openai
from resources.providers.suno import answers as suno

TABLES: dict[str, list[AnswerTable]] = {
    "openai": [openai.ERRORS],
    "suno": [suno.ENVELOPES, suno.STATUSES, suno.FAILURES],
    "creatomate": [creatomate.ERRORS],
    "comfyui": [comfyui.ERRORS],
    "github": [github.ERRORS],
}
PAGES = Path(__file__).parents[2] / "docs" / "vendors"
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


def blocks_of(vendor: str) -> dict[str, str]:
    """Return the tables of a vendor's page by their titles."""
    return dict(_BLOCK.findall((PAGES / f"{vendor}.md").read_text(encoding="utf-8")))


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
    for vendor, tables in TABLES.items():
        page = PAGES / f"{vendor}.md"
        text, written = page.read_text(encoding="utf-8"), blocks_of(vendor)
        for table in tables:
            text = text.replace(written[table.title], table.as_markdown())
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_tables()
