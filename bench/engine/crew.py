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
    """Return this process' environment without the variables that would configure a system."""
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
        """Start the command under this name; it inherits the file descriptors in `inherits`."""
        with (self._folder / f"{name}.log").open("ab") as log:
            own = {**self._environment, **(environment or {})}
            self._members[name] = start_group(command, own, log, inherits)

    def kill(self, name: str) -> None:
        """Kill the process and all its descendants with SIGKILL."""
        process = self._members.pop(name)
        for pid in self._list_tree(process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """Stop all processes."""
        stop_groups(list(self._members.values()), _STOP_GRACE)
        self._members.clear()

    def list_pids(self, names: Iterable[str] | None = None) -> list[int]:
        """Return the root process ids of the named members, or of all members."""
        wanted = self._members if names is None else list(names)
        return [self._members[name].pid for name in wanted]

    def check_alive(self) -> None:
        """Check that every process lives; raise RuntimeError with the end of its log otherwise."""
        for name, process in self._members.items():
            if process.poll() is not None:
                log = self.read_log(name)
                raise RuntimeError(f"{name} ended by itself (exit {process.returncode}):\n{log}")

    def read_log(self, name: str, lines: int = 30) -> str:
        """Return the last lines of the member's log."""
        text = (self._folder / f"{name}.log").read_text(errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    @staticmethod
    def _list_tree(pid: int) -> list[int]:
        try:
            root = psutil.Process(pid)
            return [pid, *(child.pid for child in root.children(recursive=True))]
        except psutil.NoSuchProcess:
            return []
