"""A folder in which README's lines are typed, beside a castad that runs there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest
from PIL import Image

from resources.process.settings import PROJECT_ROOT
from tests.acceptance.readme import ACTIVATES
from tests.acceptance.stack import Stack
from tests.castad_up import Up
from tests.command_line import Done, castad
from tests.git_repositories import new_repository
from tests.integration.vendor_house import set_environment

_REFUSED = {
    "castad resolve": "illegal_transition",
    "castad cancel": "illegal_transition",
    "castad retry": "nothing_to_retry",
    "castad resume": "invalid_input",
    "castad approve": "not_held",
}
"""What may be refused with this code: nothing is lost, paused or held here, and an order may have ended."""
_MARK = "\036"


@dataclass(frozen=True)
class Typed:
    """A line, and what became of it."""

    line: str
    status: int
    said: str

    @property
    def is_as_promised(self) -> bool:
        """Whether it worked, or was refused as it may be."""
        code = next((code for line, code in _REFUSED.items() if self.line.startswith(line)), None)
        refused = code is not None and self.said.rstrip().endswith(f"[{code}]")
        return self.status == 0 or (self.status in (1, 2) and refused)


@dataclass(frozen=True)
class Desk:
    """A folder that looks as a clone does to who types in it, and the castad that runs there."""

    folder: Path
    up: Up
    stack: Stack
    environment: dict[str, str]

    def type(self, lines: Sequence[str]) -> list[Typed]:
        """The lines are typed one after the other; only what needs a shell has one, and a castad of its own."""
        typed: list[Typed] = []
        for needs_shell, group in groupby(lines, _needs_shell):
            if needs_shell:
                typed += self._in_shell(list(group))
            else:
                typed += [self._in_process(line) for line in group]
        return typed

    def _in_process(self, line: str) -> Typed:
        _, *arguments = shlex.split(self._here(line), comments=True)
        done = self.castad(*arguments)
        return Typed(line, done.returncode, done.stdout + done.stderr)

    def _in_shell(self, lines: Sequence[str]) -> list[Typed]:
        """In one shell, in which the environment is activated."""
        marked = [f"{self._here(line)}\nprintf '{_MARK}%s{_MARK}' $?" for line in lines]
        script = "\n".join([ACTIVATES, "exec 2>&1", *marked])
        said = self._run(["bash", "-c", script]).stdout.split(_MARK)
        assert len(said) == 2 * len(lines) + 1, said
        return [
            Typed(line, int(status), text)
            for line, text, status in zip(lines, said[::2], said[1::2], strict=False)
        ]

    def castad(self, *arguments: str) -> Done:
        """As if typed there: this process has loaded it already."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            set_environment(patch, self.environment)
            return castad(*arguments)

    def give(self, command: Sequence[str], block: str) -> Typed:
        """The command is given a block; what goes wrong in it is a failure, whatever the command makes of that."""
        done = self._run(command, self._here(block))
        status = done.returncode or int("rror" in done.stderr)
        return Typed(block, status, done.stdout + done.stderr)

    def _run(self, command: Sequence[str], given: str = "") -> "subprocess.CompletedProcess[str]":
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

    def _here(self, line: str) -> str:
        """The line with the port, the keys and the names of this place."""
        line = line.replace("http://127.0.0.1:8000", self.up.api)
        line = re.sub(r"\bVENDORS_ID\b", "job-1", re.sub(r"\bID\b", "shop-1", line))
        keys = {fake.name.upper(): fake.key for fake in self.up.vendors.all}
        return re.sub(r"(\w+)_API_KEY=\.\.\.", lambda m: f"{m[1]}_API_KEY={keys[m[1]]}", line)


def _needs_shell(line: str) -> bool:
    return not line.startswith("castad ") or "$" in line


def lay_out(folder: Path) -> None:
    """The folder has what README's lines name of a clone."""
    for name in ("examples", "workspace.yaml"):
        (folder / name).symlink_to(PROJECT_ROOT / name)
    (folder / ".venv").symlink_to(sys.prefix)
    Image.effect_noise((1200, 900), 80).convert("RGB").save(folder / "shop.jpg")
    new_repository(folder, {"README.md": b"castad\n"})


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
