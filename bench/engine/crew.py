"""The processes of one system: started by name, killed by name, gone at the end with all they started."""

import os
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from castad.stack.processes import start_group, stop_groups
from resources.providers.vendor import VENDORS

_STOP_GRACE = 8.0
_FOREIGN = ("CASTAD_", "DAGSTER_", "BENCH_", "CELERY_", *(f"{name.upper()}_" for name in VENDORS))


def clean_environment() -> dict[str, str]:
    """This process' environment without anything that would set up a system."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}


class Crew:
    """Named processes whose output lies in the folder, one file a name."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = {**clean_environment(), **environment}
        self._members: dict[str, subprocess.Popen[bytes]] = {}

    def start(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        inherits: Sequence[int] = (),
    ) -> None:
        """The command runs under this name, and holds the descriptors it inherits."""
        with (self._folder / f"{name}.log").open("ab") as log:
            own = {**self._environment, **(environment or {})}
            self._members[name] = start_group(command, own, log, inherits)

    def kill(self, name: str) -> None:
        """It and all below it are dead at once, without a word to anybody."""
        process = self._members.pop(name)
        for pid in self._tree(process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """Nothing of it runs any more."""
        stop_groups(list(self._members.values()), _STOP_GRACE)
        self._members.clear()

    def pids(self, names: Iterable[str] | None = None) -> list[int]:
        """Where the trees of these, or of all, begin."""
        wanted = self._members if names is None else list(names)
        return [self._members[name].pid for name in wanted]

    def refuse_dead(self) -> None:
        """Return while every one of it lives; raises RuntimeError with the end of its log."""
        for name, process in self._members.items():
            if process.poll() is not None:
                log = self.log(name)
                raise RuntimeError(f"{name} ended by itself (exit {process.returncode}):\n{log}")

    def log(self, name: str, lines: int = 30) -> str:
        """The end of what it has said."""
        text = (self._folder / f"{name}.log").read_text(errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    @staticmethod
    def _tree(pid: int) -> list[int]:
        try:
            root = psutil.Process(pid)
            return [pid, *(child.pid for child in root.children(recursive=True))]
        except psutil.NoSuchProcess:
            return []
