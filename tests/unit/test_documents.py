"""The documents name what is there: files, headings, settings, targets, commands and options.

docs/extend.md makes what is not there and has tests of its own (tests/extension); CHANGELOG.md names what is gone.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import typer

from castad.cli.app import app, load_command
from resources.process.settings import PROJECT_ROOT

DOCUMENTS = sorted(
    str(path.relative_to(PROJECT_ROOT))
    for path in (*PROJECT_ROOT.glob("*.md"), *(PROJECT_ROOT / "docs").rglob("*.md"))
    if path.name != "CHANGELOG.md"
)
OF_WHAT_IS_THERE = [name for name in DOCUMENTS if name != "docs/extend.md"]
FOLDERS = ("docs", "castad", "pipeline_defs", "resources", "sensors", "studio", "tests", "bench")
FILES = [
    f"/{path.relative_to(PROJECT_ROOT)}"
    for found in (PROJECT_ROOT.glob("*"), *((PROJECT_ROOT / name).rglob("*") for name in FOLDERS))
    for path in found
]
ELSEWHERE = {
    "_base_client.py",  # the OpenAI SDK's
    "NAME.yaml",
    "genres/NAME.toml",
    "scenes/candle.yaml",  # in a user's own folder
    "analysis.json",  # a file that the pipeline makes
    "history.json",  # written by a run of the chaos check
    "resources/ledger/schema/migrations/versions/ledger_NNNN.py",
}
SETTINGS = set(
    re.findall(r"^[# ]*([A-Z0-9_]+)=", (PROJECT_ROOT / ".env.example").read_text(), re.MULTILINE)
)
TARGETS = set(re.findall(r"^([a-z-]+):", (PROJECT_ROOT / "Makefile").read_text(), re.MULTILINE))
OF_FIELDS = ("make", "redo")
"""Commands whose options are made of the pipelines' fields when they run."""


def text_of(document: str) -> str:
    return (PROJECT_ROOT / document).read_text(encoding="utf-8")


def anchors(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_link_of_a_document_leads_to_a_file_and_a_heading(document):
    here = PROJECT_ROOT / document
    for path, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)", text_of(document)):
        target = here.parent / path if path else here
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), anchor


@pytest.mark.parametrize("document", OF_WHAT_IS_THERE)
def test_document_names_only_files_that_are_there(document):
    named = set(re.findall(r"`([\w./-]+\.(?:py|md|yaml|toml|csv|json|lock))`", text_of(document)))
    missing = {
        name for name in named - ELSEWHERE if not any(file.endswith(f"/{name}") for file in FILES)
    }
    assert missing == set()


@pytest.mark.parametrize("document", OF_WHAT_IS_THERE)
def test_document_names_only_settings_that_are_there(document):
    pattern = r"\b(?:CASTAD_[A-Z0-9_]*[A-Z0-9]|[A-Z]+_PROVIDER)\b(?!_)"
    assert set(re.findall(pattern, text_of(document))) <= SETTINGS


@pytest.mark.parametrize("document", DOCUMENTS)
def test_document_names_only_targets_that_are_there(document):
    assert set(re.findall(r"`make ([a-z-]+)`", text_of(document))) <= TARGETS


def commands_in(text: str) -> list[list[str]]:
    """The words of every command of castad in a code span, or in a line of a shell's block."""
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    lines = re.findall(r"^castad [a-z].*", blocks, re.MULTILINE)
    spans = re.findall(r"`(castad [a-z][^`]*)`", text)
    return [re.split(r"[;#|]", command)[0].split()[1:] for command in (*lines, *spans)]


def command_of(words: list[str]) -> Any:
    """The command, or the command of a group, that the words call; None where there is none."""
    known = typer.main.get_command(app)
    if not words or words[0] not in known.commands:
        return None
    command = load_command(words[0])
    for word in words[1:]:
        command = getattr(command, "commands", {}).get(word, command)
    return command


@pytest.mark.parametrize("document", DOCUMENTS)
def test_document_names_only_commands_and_options_that_are_there(document):
    unknown = []
    for words in commands_in(text_of(document)):
        command = command_of(words)
        given = {word for word in words if word.startswith("--")}
        options = {
            name
            for each in getattr(command, "params", ())
            for name in (*each.opts, *each.secondary_opts)
        }
        if command is None or (command.name not in OF_FIELDS and given - options):
            unknown.append(words)
    assert unknown == []
