"""Run the Procfile in the foreground, and leave nothing running."""

import os
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from honcho.colour import get_colours
from honcho.environ import parse_procfile
from honcho.printer import Message, Printer

from castad.engine.home import dagster_environment
from castad.output import put_line
from castad.processes import StopFlag, Stopped, start_group, stop_groups, stoppable
from castad.stack import open_instance
from resources.errors import CastadError
from resources.settings import PROJECT_ROOT, settings

_STOP_GRACE = 8.0
_HOST = "127.0.0.1"


class PortTakenError(CastadError):
    """Somebody else listens there."""

    code = "port_in_use"


def run_stack(port: int) -> int:
    """Everything has run until it was told to stop, or one part ended; returns the exit code.

    Raises PortTakenError.
    """
    _refuse_taken(port)
    # Its parts begin at the same time; Dagster's files have to be there by then.
    open_instance(settings())
    environment = _environment(port)
    commands = parse_procfile((PROJECT_ROOT / "Procfile").read_text()).processes
    with stoppable() as stop:
        stack = _Stack(width=max(map(len, commands)))
        try:
            for name, command in commands.items():
                stack.start(name, command, environment)
            stack.announce(f"http://{_HOST}:{port}")
            return stack.wait(stop)
        except Stopped:
            return 0
        finally:
            stack.stop()


def _refuse_taken(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError as error:
            raise PortTakenError(
                f"port {port} cannot be used ({error.strerror}); choose another with --port"
            ) from None


def _environment(port: int) -> dict[str, str]:
    environment = dagster_environment(settings())
    own = str(Path(sys.executable).parent)
    environment["PATH"] = f"{own}{os.pathsep}{environment.get('PATH', os.defpath)}"
    environment["PORT"] = str(port)
    return environment


class _Stack:
    """The parts, each in a group of its own, their lines printed with honcho's prefixes."""

    def __init__(self, width: int) -> None:
        self._printer = Printer(sys.stdout, width=width)
        self._colours = get_colours()
        self._ended: queue.Queue[tuple[str, int]] = queue.Queue()
        self._groups: list[subprocess.Popen[bytes]] = []
        self._done = threading.Event()

    def start(self, name: str, command: str, environment: Mapping[str, str]) -> None:
        """The part runs and its lines are printed."""
        process = start_group(command, dict(environment), subprocess.PIPE)
        self._groups.append(process)
        arguments = (name, process, next(self._colours))
        threading.Thread(target=self._print_lines, args=arguments, daemon=True).start()

    def announce(self, url: str) -> None:
        """Say where the UI is once it answers."""
        threading.Thread(target=self._announce, args=(url,), daemon=True).start()

    def wait(self, stop: StopFlag) -> int:
        """A part has ended by itself; returns the exit code for that. Raises Stopped."""
        while self._ended.empty():
            stop.pause(1)
        name, status = self._ended.get()
        self._say("castad", f"{name} ended by itself (exit {status}); stopping the rest", None)
        return 1

    def stop(self) -> None:
        """Nothing of it runs any more."""
        self._done.set()
        stop_groups(self._groups, _STOP_GRACE)

    def _print_lines(self, name: str, process: "subprocess.Popen[bytes]", colour: str) -> None:
        with ExitStack() as stack:
            output = stack.enter_context(process.stdout) if process.stdout else ()
            for line in output:
                self._say(name, line, colour)
        self._ended.put((name, process.wait()))

    def _say(self, name: str, line: str | bytes, colour: str | None) -> None:
        self._printer.write(Message("line", line, datetime.now().astimezone(), name, colour))
        sys.stdout.flush()

    def _announce(self, url: str) -> None:
        while not self._done.wait(0.3):
            try:
                with urlopen(f"{url}/server_info", timeout=2):  # noqa: S310 - our own address
                    put_line(f"castad is up: {url} (Ctrl-C ends it)")
                    return
            except (URLError, OSError):
                continue
