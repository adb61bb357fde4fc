"""README's own lines, all of them, typed in a shell beside a running `castad up`; and clicks in its UI."""

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import httpx
import pytest
from PIL import Image

from resources.ledger.reads import get_request
from resources.ledger.tables import Status
from resources.settings import PROJECT_ROOT
from tests.castad_up import Up, castad_up
from tests.command_line import castad
from tests.eventually import eventually
from tests.fakes.faults import Fault
from tests.fakes.server import PLENTY
from tests.integration.vendor_house import FAST, set_environment

README = (PROJECT_ROOT / "README.md").read_text()
MAKEFILE = (PROJECT_ROOT / "Makefile").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
SQL_SHELL = re.findall(r"`(sqlite3 [^`]*)`", README)

EXEMPT = {
    "make": "installs, or runs what takes minutes; `castad up` runs here already",
    "dagster dev": "serves until it is stopped, on the port of the UI",
}
REFUSED = {
    "castad resolve": "illegal_move",
    "castad cancel": "illegal_move",
    "castad retry": "nothing_to_retry",
    "castad unpark": "invalid_input",
}
"""What may be refused with this code: nothing is lost or parked here, and the order may have ended by then."""
ACTIVATES = "source .venv/bin/activate"
MARK = "\036"


@dataclass(frozen=True)
class Typed:
    """A line, and what became of it."""

    line: str
    status: int
    said: str

    @property
    def is_as_promised(self) -> bool:
        """Whether it worked, or was refused as it may be."""
        code = next((code for line, code in REFUSED.items() if self.line.startswith(line)), None)
        refused = code is not None and self.said.rstrip().endswith(f"[{code}]")
        return self.status == 0 or (self.status in (1, 2) and refused)


@dataclass(frozen=True)
class Desk:
    """A folder that looks as a clone does to who types in it, and the castad that runs there."""

    folder: Path
    up: Up
    environment: dict[str, str]

    def type(self, lines: Sequence[str]) -> list[Typed]:
        """The lines are typed one after the other into one shell, in which the environment is activated."""
        marked = [f"{self.here(line)}\nprintf '{MARK}%s{MARK}' $?" for line in lines]
        script = "\n".join([ACTIVATES, "exec 2>&1", *marked])
        said = self.run(["bash", "-c", script]).stdout.split(MARK)
        assert len(said) == 2 * len(lines) + 1, said
        return [
            Typed(line, int(status), text)
            for line, text, status in zip(lines, said[::2], said[1::2], strict=False)
        ]

    def type_here(self, lines: Sequence[str]) -> list[Typed]:
        """As `type`, without a process for each of castad's own commands: this one has loaded them already."""
        typed: list[Typed] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            set_environment(patch, self.environment)
            for is_castads, group in groupby(lines, lambda line: line.startswith("castad ")):
                some = list(group)
                typed += map(self._call, some) if is_castads else self.type(some)
        return typed

    def _call(self, line: str) -> Typed:
        done = castad(*shlex.split(self.here(line), comments=True)[1:])
        return Typed(line, done.returncode, done.stdout + done.stderr)

    def run(self, command: Sequence[str], given: str = "") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            input=given,
            cwd=self.folder,
            env=self.environment,
            text=True,
            capture_output=True,
            check=False,
            timeout=300,
        )

    def here(self, line: str) -> str:
        """The line with the port, the keys and the names of this place."""
        line = line.replace("http://127.0.0.1:8000", self.up.api)
        line = re.sub(r"\bVENDORS_ID\b", "job-1", re.sub(r"\bID\b", "shop-1", line))
        keys = {fake.name.upper(): fake.key for fake in self.up.vendors.all}
        return re.sub(r"(\w+)_API_KEY=\.\.\.", lambda m: f"{m[1]}_API_KEY={keys[m[1]]}", line)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("clone")
    for name in ("examples", "workspace.yaml"):
        (folder / name).symlink_to(PROJECT_ROOT / name)
    (folder / ".venv").symlink_to(sys.prefix)
    Image.effect_noise((1200, 900), 80).convert("RGB").save(folder / "shop.jpg")
    with castad_up(tmp_path_factory.mktemp("up"), folder / ".castad", **FAST) as up:
        for fake in up.vendors.all:
            fake.set(credits=PLENTY)
        environment = {**os.environ, **up.environment, "PATH": with_sqlite3(folder)}
        yield Desk(folder, up, environment)


def with_sqlite3(folder: Path) -> str:
    """A PATH that has a `sqlite3`: this machine's, or else what of it README's lines use."""
    if shutil.which("sqlite3"):
        return os.environ["PATH"]
    commands = folder / "commands"
    commands.mkdir()
    shell = Path(__file__).parent / "sqlite3_shell.py"
    (commands / "sqlite3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{shell}" "$@"\n')
    (commands / "sqlite3").chmod(0o700)
    return f"{commands}{os.pathsep}{os.environ['PATH']}"


def lines_of(block: str) -> list[str]:
    """The commands of a block; one that goes on over several lines is one."""
    lines: list[str] = []
    begun = ""
    for line in block.splitlines():
        begun = f"{begun}\n{line}" if begun else line
        if is_whole(begun):
            lines += [begun] if begun.strip() else []
            begun = ""
    assert not begun, begun
    return lines


def is_whole(text: str) -> bool:
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return False
    return not text.endswith("\\")


def is_exempt(line: str) -> bool:
    return any(line.startswith(f"{beginning} ") for beginning in EXEMPT)


def test_readme_names_targets_that_there_are() -> None:
    named = set(re.findall(r"^make ([a-z-]+)", README, re.MULTILINE))
    assert named
    assert {name for name in named if f"\n{name}:" not in MAKEFILE} == set()


@pytest.mark.timeout(600)
def test_lines_of_readme_work_as_they_are_typed(desk: Desk) -> None:
    assert {language for language, _ in BLOCKS} == {"sh", "python", "sql"}
    failed: list[Typed] = []
    for language, block in BLOCKS:
        if language == "sh":
            lines = [line for line in lines_of(block) if not is_exempt(line)]
            # What a shell makes of castad's lines is seen where it is activated; there are ways to order too.
            type_lines = desk.type if ACTIVATES in lines else desk.type_here
            failed += [typed for typed in type_lines(lines) if not typed.is_as_promised]
            continue
        command = [sys.executable, "-"] if language == "python" else shlex.split(SQL_SHELL[0])
        done = desk.run(command, desk.here(block))
        if done.returncode or "rror" in done.stderr:
            failed.append(Typed(block, done.returncode, done.stdout + done.stderr))
    assert failed == []
    assert (desk.folder / "video.mp4").stat().st_size > 0
    by_sql = get_request(desk.up.db, "sql-1")
    assert (by_sql.max_retries, by_sql.priority) == (5, 10)


@pytest.mark.parametrize("typed", ["the order", "the shell"])
def test_sql_typed_as_in_readme_waits_for_who_writes(
    typed: str, new_ledger_file: Path, tmp_path: Path
) -> None:
    file = tmp_path / ".castad" / "castad.db"
    file.parent.mkdir()
    shutil.copy(new_ledger_file, file)
    [order] = [
        line
        for language, block in BLOCKS
        if language == "sh"
        for line in lines_of(block)
        if line.startswith("sqlite3")
    ]
    insert = "INSERT INTO requests (task_id, payload) VALUES ('sql-1', '{}')"
    line, given = (order, "") if typed == "the order" else (SQL_SHELL[0], insert)
    environment = {**os.environ, "PATH": with_sqlite3(tmp_path)}
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        shell = subprocess.Popen(
            ["bash", "-c", line],
            cwd=tmp_path,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with pytest.raises(subprocess.TimeoutExpired):
            shell.communicate(given, timeout=1)
        writer.execute("COMMIT")
        _, said = shell.communicate(timeout=60)
        assert (shell.returncode, said) == (0, "")
        assert writer.execute("SELECT task_id FROM requests").fetchall() == [("sql-1",)]


# What a person does in the UI


@dataclass(frozen=True)
class Ui:
    """The UI's GraphQL, as its own page asks it."""

    client: httpx.Client

    def ask(self, query: str, **variables: object) -> dict[str, object]:
        answer = self.client.post("/graphql", json={"query": query, "variables": variables})
        assert answer.status_code == 200, answer.text
        [told] = answer.json()["data"].values()
        return dict(told)

    def execute_again(self, run_id: str, strategy: str = "FROM_FAILURE") -> dict[str, object]:
        wanted = {"parentRunId": run_id, "strategy": strategy}
        return self.ask(EXECUTE_AGAIN, wanted=wanted)

    def status_of(self, run_id: str) -> object:
        return self.ask(STATUS, run=run_id).get("status")

    def delete(self, run_id: str) -> None:
        assert self.ask(DELETE, run=run_id)["__typename"] == "DeletePipelineRunSuccess"


EXECUTE_AGAIN = """mutation Again($wanted: ReexecutionParams!) {
  launchRunReexecution(reexecutionParams: $wanted) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on Error { message } } }"""
STATUS = "query Status($run: ID!) { runOrError(runId: $run) { ... on Run { status } } }"
DELETE = "mutation Delete($run: String!) { deletePipelineRun(runId: $run) { __typename } }"


@pytest.fixture(scope="module")
def ui(desk: Desk) -> Iterator[Ui]:
    with httpx.Client(base_url=desk.up.ui, trust_env=False, timeout=60) as client:
        yield Ui(client)


@dataclass(frozen=True)
class Lineage:
    """Two failed runs of one order, of which the first was deleted, and what executing the second again gave."""

    deleted: str
    again: dict[str, object]


@pytest.fixture(scope="module")
def lineage(desk: Desk, ui: Ui) -> Lineage:
    openai, db = desk.up.vendors.openai, desk.up.db
    openai.script(Fault("status", "submit", code=400))
    [typed] = desk.type_here(["castad make --customer-name A --region B --task-id refused"])
    assert typed.status == 1, typed.said
    first = str(get_request(db, "refused").run_id)
    openai.script(Fault("status", "submit", code=400))
    second = run_of(ui.execute_again(first))
    assert eventually(lambda: ui.status_of(second) == "FAILURE")
    ui.delete(first)
    return Lineage(first, ui.execute_again(second))


def run_of(answer: dict[str, object]) -> str:
    assert answer["__typename"] == "LaunchRunSuccess", answer
    run = answer["run"]
    assert isinstance(run, dict)
    return str(run["runId"])


def test_execution_from_failure_goes_on_though_the_run_before_was_deleted(
    desk: Desk, ui: Ui, lineage: Lineage
) -> None:
    again = run_of(lineage.again)
    assert eventually(lambda: ui.status_of(again) == "SUCCESS")
    assert get_request(desk.up.db, "refused").status is Status.COMPLETED


def test_execution_of_a_deleted_run_is_refused_in_a_sentence(ui: Ui, lineage: Lineage) -> None:
    refused = ui.execute_again(lineage.deleted)
    assert str(refused["message"]).startswith("the run was deleted meanwhile")


def test_execution_from_failure_of_what_did_not_fail_is_refused_in_a_sentence(
    ui: Ui, lineage: Lineage
) -> None:
    again = run_of(lineage.again)
    assert eventually(lambda: ui.status_of(again) == "SUCCESS")
    refused = ui.execute_again(again)
    assert str(refused["message"]).startswith("the run has neither failed nor been canceled")
