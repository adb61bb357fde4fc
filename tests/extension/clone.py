"""A copy of the project, into which folders are dropped as a user drops them, and its commands."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from resources.process.settings import PROJECT_ROOT

DROPPED = Path(__file__).parent
CATALOG, REGISTRY = "pipeline_defs/catalog.py", "resources/providers/vendor.py"
_PACKAGES = ("castad", "pipeline_defs", "resources", "sensors", "studio")
_FILES = ("workspace.yaml", "dagster.yaml", "pyproject.toml", "Procfile")
_OF_CASTAD = re.compile(r"CASTAD_.*|.*_(PROVIDER|API_KEY|BASE_URL)|DAGSTER_.*|PYTHON.*")


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """Its standard output."""
        assert self.returncode == 0, self.stderr
        return json.loads(self.stdout)


@dataclass(frozen=True)
class Shell:
    """One process that takes the commands of a clone one after the other; each loads the pipelines again."""

    process: "subprocess.Popen[str]"

    def castad(self, *arguments: str, **variables: str) -> Done:
        """A command with these variables beyond the clone's."""
        reader, writer = self.process.stdout, self.process.stdin
        assert reader is not None
        assert writer is not None
        writer.write(json.dumps({"arguments": arguments, "variables": variables}) + "\n")
        writer.flush()
        return Done(*json.loads(reader.readline()))


@dataclass(frozen=True)
class Clone:
    """A project folder, and the variables that its commands have."""

    folder: Path
    variables: Mapping[str, str]

    @property
    def environment(self) -> dict[str, str]:
        """No variable of this machine is castad's; the folder's own code is what is imported."""
        kept = {name: value for name, value in os.environ.items() if not _OF_CASTAD.fullmatch(name)}
        return {
            **kept,
            "PYTHONPATH": str(self.folder),
            "PYTHONWARNINGS": "ignore",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', os.defpath)}",
            "COLUMNS": "200",
            **self.variables,
        }

    def castad(self, *arguments: str, **variables: str) -> Done:
        return self.run("-m", "castad", *arguments, **variables)

    @contextmanager
    def shell(self) -> Iterator[Shell]:
        """A shell in the folder, as long as the block runs."""
        with subprocess.Popen(
            [sys.executable, "-P", str(DROPPED / "shell.py")],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            yield Shell(process)
            assert process.stdin is not None
            process.stdin.close()

    def run(self, *arguments: str, **variables: str) -> Done:
        """Python with these arguments, in the folder."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def add_line(self, file: str, names: str, name: str) -> None:
        """The one line: this name is the last of the tuple of these names."""
        path = self.folder / file
        text = path.read_text()
        added = re.sub(
            rf"^{names} = \(([^)]*?),?\s*\)", rf'{names} = (\1, "{name}")', text, flags=re.MULTILINE
        )
        assert added != text
        path.write_text(added)

    def drop_pipeline(self, name: str) -> Path:
        """The folder of a pipeline of this package is dropped in, with its line."""
        folder = self.folder / "pipeline_defs" / name
        shutil.copytree(DROPPED / "pipeline_defs" / name, folder)
        self.add_line(CATALOG, "PIPELINES", name)
        return folder

    def drop_vendor(self, name: str) -> None:
        """The folder of a vendor of this package is dropped in, with its line."""
        folder = Path("resources") / "providers" / name
        shutil.copytree(DROPPED / folder, self.folder / folder)
        self.add_line(REGISTRY, "VENDORS", name)


def copy_project(folder: Path, variables: Mapping[str, str]) -> Clone:
    """A copy of what runs of this project, without its tests, state and environment."""
    for name in _PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT_ROOT / name, folder / name, ignore=ignored)
    for name in _FILES:
        shutil.copy(PROJECT_ROOT / name, folder)
    return Clone(folder, {"CASTAD_HOME": str(folder / ".castad"), **variables})
