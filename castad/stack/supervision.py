"""The parts of a stack: each in its own process group, its output printed, restarted when it dies."""

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby

from honcho.colour import get_colours

from castad.stack.console import LogLine, PartLogReader
from castad.stack.output import print_line
from castad.stack.processes import StopFlag, end_process, may_restart, start_group, stop_groups
from resources.process.configure_logging import format_utc

_RESTART_DELAY = 1.0


@dataclass
class Part:
    """A command of the Procfile, the seconds it has to stop, and the descriptors that it inherits."""

    name: str
    command: str
    colour: str
    grace: float
    inherits: Sequence[int] = ()
    deaths: list[float] = field(default_factory=list)


class Supervisor:
    """Keeps parts running until a stop request, or until one of them dies too often."""

    def __init__(self, environment: Mapping[str, str], width: int) -> None:
        self._environment = dict(environment)
        self._width = width
        self._colours = get_colours()
        self._ended: queue.Queue[tuple[Part, int]] = queue.Queue()
        self._is_stopping = threading.Event()
        self._groups: dict[str, tuple[Part, subprocess.Popen[bytes]]] = {}

    def start(self, name: str, command: str, grace: float, inherits: Sequence[int] = ()) -> None:
        """The part runs and its output is printed; after a stop request it has `grace` seconds to end."""
        self._launch(Part(name, command, next(self._colours), grace, inherits))

    def supervise(self, stop: StopFlag) -> int:
        """Restart parts that die, until one died too often; returns 1. Raises StopRequested."""
        while True:
            while self._ended.empty():
                stop.pause(_RESTART_DELAY / 4)
            part, status = self._ended.get()
            part.deaths.append(time.monotonic())
            if not may_restart(part.deaths, time.monotonic()):
                self.report(f"{part.name} exited too often (exit code {status}); stopping the rest")
                return 1
            self.report(f"{part.name} exited unexpectedly (exit code {status}); restarting it")
            stop.pause(_RESTART_DELAY)
            self._launch(part)

    def wait_for(self, ready: Callable[[], bool], stop: StopFlag) -> bool:
        """True once `ready` returns true, False if a part ended before. Raises StopRequested."""
        while not ready():
            if not self._ended.empty():
                return False
            stop.pause(_RESTART_DELAY / 10)
        return True

    def stop(self, first: str = "") -> None:
        """Every part has ended; the part `first` ended before the others were asked to.

        The parts' output is no longer printed.
        """
        self._is_stopping.set()
        if first in self._groups:
            part, process = self._groups[first]
            end_process(process, part.grace)
        by_grace = sorted(self._groups.values(), key=lambda entry: entry[0].grace)
        # Parts with the same grace together, the longest last: workers drain after the daemon has ended.
        for grace, entries in groupby(by_grace, key=lambda entry: entry[0].grace):
            stop_groups([process for _, process in entries], grace)

    def report(self, text: str) -> None:
        """Print one line of the stack itself."""
        self._print(LogLine(format_utc(datetime.now(UTC)), text), "castad", "")

    def _print(self, line: LogLine, name: str, colour: str) -> None:
        prefix = f"{line.at} {name:<{self._width}} | "
        if colour and sys.stdout.isatty():
            prefix = f"\033[{colour}m{prefix}\033[0m"
        print_line(f"{prefix}{line.text}")

    def _print_part_line(self, line: LogLine, part: Part) -> None:
        if not self._is_stopping.is_set():
            self._print(line, part.name, part.colour)

    def _launch(self, part: Part) -> None:
        process = start_group(
            part.command, self._environment, subprocess.PIPE, inherits=part.inherits
        )
        self._groups[part.name] = (part, process)
        threading.Thread(target=self._print_lines, args=(part, process), daemon=True).start()

    def _print_lines(self, part: Part, process: "subprocess.Popen[bytes]") -> None:
        with ExitStack() as stack:
            output = stack.enter_context(process.stdout) if process.stdout else ()
            reader = PartLogReader(part.name)
            for raw in output:
                for line in reader.feed(raw, datetime.now(UTC)):
                    self._print_part_line(line, part)
            for line in reader.flush(datetime.now(UTC)):
                self._print_part_line(line, part)
        self._ended.put((part, process.wait()))
