"""`castad up`: run the Procfile in the foreground, and stop all parts at the end.

The output of the parts becomes lines of one form: time, part, text. Tracebacks go to a log file. The time is UTC
with milliseconds: that of the line if it has one, or else when it was read.
"""

import os
import queue
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import groupby
from pathlib import Path

import httpx
import yaml
from honcho.colour import get_colours
from honcho.environ import parse_procfile

from castad.dagster_storage.home import build_dagster_environment, make_dagster_home
from castad.engine.app import raise_if_broker_refuses
from castad.engine.on_demand import is_on_demand, worker_lock
from castad.stack.admin_key import (
    create_login_link,
    ensure_admin_key,
    find_admin_key,
    remove_address,
    save_address,
)
from castad.stack.local_daemon import open_instance
from castad.stack.output import print_line
from castad.stack.processes import (
    StopFlag,
    StopRequested,
    catch_stop_signals,
    end_process,
    ensure_port_free,
    find_free_port,
    may_restart,
    start_group,
    stop_groups,
)
from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import Database, open_database
from resources.process.configure_logging import (
    append_traceback,
    escape_to_one_line,
    format_utc,
    get_traceback_log_path,
)
from resources.process.setting_types import STOP_LOCK_VARIABLE, WORKSPACE_VARIABLE
from resources.process.settings import Settings, find_project_file, settings
from sensors.dispatch_waiter import StopLock

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_OWN_FORMAT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (.*)")
_DAGSTER_FORMAT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} - (\S+) - ([A-Z]+) - (.*)")
_TRACE_BEGINS = ("Traceback (most recent call last):", "Stack Trace:")
_MAX_TRACE_LINES = 500


@dataclass(frozen=True)
class LogLine:
    """One line for the console."""

    at: str
    text: str


@dataclass
class PartLogReader:
    """A parser of the output of the part `name`, line by line."""

    name: str
    _trace: list[str] = field(default_factory=list)

    def feed(self, raw: bytes, now: datetime) -> Iterator[LogLine]:
        """Yield the lines that the console shows for one line of output."""
        text = escape_to_one_line(_ESCAPES.sub("", raw.decode(errors="replace")).rstrip())
        entry = _parse_line(text, now)
        if entry is None and (self._trace or text.startswith(_TRACE_BEGINS)):
            self._trace.append(text)
            if len(self._trace) >= _MAX_TRACE_LINES:
                yield from self.flush(now)
            return
        yield from self.flush(now)
        if entry is not None or text:
            yield entry or LogLine(format_utc(now), text)

    def flush(self, now: datetime) -> Iterator[LogLine]:
        """Write a collected traceback to the log file, and yield a line that names its error."""
        if self._trace:
            trace, self._trace = self._trace, []
            log = append_traceback("\n".join(trace), f"castad.{self.name}")
            unindented = [line for line in trace if line and not line[0].isspace()]
            messages = [
                line for line in unindented if not line.startswith(_TRACE_BEGINS) and ":" in line
            ]
            error = messages[0] if messages else "unexpected"
            yield LogLine(format_utc(now), f"error {error}; the trace is in {log}")


def _parse_line(text: str, now: datetime) -> LogLine | None:
    if own := _OWN_FORMAT.fullmatch(text):
        return LogLine(own[1], own[2])
    if dagster := _DAGSTER_FORMAT.fullmatch(text):
        return LogLine(format_utc(now), f"{dagster[2].lower()} {dagster[1]} {dagster[3]}")
    return None


_RESTART_DELAY = 1.0


@dataclass
class StackPart:
    """A command of the Procfile, the seconds it has to stop, and the descriptors that it inherits."""

    name: str
    command: str
    colour: str
    grace: float
    inherits: Sequence[int] = ()
    deaths: list[float] = field(default_factory=list)


class Supervisor:
    """A supervisor that keeps parts running until a stop request, or until one of them dies too often."""

    def __init__(self, environment: Mapping[str, str], width: int) -> None:
        self._environment = dict(environment)
        self._width = width
        self._colours = get_colours()
        self._ended: queue.Queue[tuple[StackPart, int]] = queue.Queue()
        self._is_stopping = threading.Event()
        self._groups: dict[str, tuple[StackPart, subprocess.Popen[bytes]]] = {}

    def start(self, name: str, command: str, grace: float, inherits: Sequence[int] = ()) -> None:
        """Start the part and print its output; after a stop request it has `grace` seconds to end."""
        self._launch(StackPart(name, command, next(self._colours), grace, inherits))

    def supervise(self, stop: StopFlag) -> int:
        """Restart parts that die, until one has died too often; return 1. Raises StopRequested."""
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
        """Wait until `ready` returns true; return False if a part ends before. Raises StopRequested."""
        while not ready():
            if not self._ended.empty():
                return False
            stop.pause(_RESTART_DELAY / 10)
        return True

    def stop(self, first: str = "") -> None:
        """Stop every part, the part `first` before the others, and print no more of their output."""
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

    def _print_part_line(self, line: LogLine, part: StackPart) -> None:
        if not self._is_stopping.is_set():
            self._print(line, part.name, part.colour)

    def _launch(self, part: StackPart) -> None:
        process = start_group(part.command, self._environment, subprocess.PIPE, part.inherits)
        self._groups[part.name] = (part, process)
        threading.Thread(target=self._print_lines, args=(part, process), daemon=True).start()

    def _print_lines(self, part: StackPart, process: "subprocess.Popen[bytes]") -> None:
        with ExitStack() as stack:
            output = stack.enter_context(process.stdout) if process.stdout else ()
            reader = PartLogReader(part.name)
            for raw in output:
                for line in reader.feed(raw, datetime.now(UTC)):
                    self._print_part_line(line, part)
            for line in reader.flush(datetime.now(UTC)):
                self._print_part_line(line, part)
        self._ended.put((part, process.wait()))


# The time for parts that lose nothing by a kill.
_GRACE = 2.0
# The time for its ticks to end, while the code server answers them.
_DAEMON_GRACE = 10.0
_WORKER_MARGIN = 3.0
# An API ends its streams and then its deliveries.
_API_MARGIN = 8.0
_HOST = "127.0.0.1"
_CODE = "code"
_DAEMON = "daemon"
_WORKER = "worker"
_API = "api"


def run_stack(port: int, api_port: int) -> int:
    """Run the stack until a stop request, or until a part dies too often; return the exit code.

    Raises PortTakenError, BrokerRefusesError.
    """
    config = settings()
    get_catalog().resolve_stage_settings(config)
    ensure_port_free(_HOST, port)
    ensure_port_free(_HOST, api_port, "--api-port")
    raise_if_broker_refuses(config)
    # The parts start at the same time and need Dagster's files.
    open_instance(config).dispose()
    db = open_database(config.ledger_url)
    key_file = ensure_admin_key(db, config.home)
    stop_lock = StopLock(make_dagster_home(config))
    environment = _build_environment(config, port, api_port, find_free_port())
    environment[STOP_LOCK_VARIABLE] = stop_lock.path
    commands = parse_procfile(find_project_file("Procfile").read_text()).processes
    stack = Supervisor(environment, max(map(len, [*commands, *_list_worker_names(config)])))
    with catch_stop_signals() as stop, ExitStack() as locks:
        try:
            _start_parts(stack, commands, environment, locks, config, stop)
            save_address(config.home, f"http://{_HOST}:{api_port}")
            _announce(f"http://{_HOST}:{port}", f"http://{_HOST}:{api_port}", db, key_file, stop)
            return stack.supervise(stop)
        except StopRequested:
            return 0
        finally:
            stop_lock.release()
            remove_address(config.home)
            stack.stop(first=_DAEMON)
            Path(environment[WORKSPACE_VARIABLE]).unlink(missing_ok=True)


def _start_parts(
    stack: Supervisor,
    commands: Mapping[str, str],
    environment: Mapping[str, str],
    locks: ExitStack,
    config: Settings,
    stop: StopFlag,
) -> None:
    """Start the code server and the workers first: the others would report a missing code server as an error."""
    stack.start(_CODE, commands[_CODE], _GRACE)
    lock_fd = locks.enter_context(worker_lock(config)) if is_on_demand(config) else None
    inherits = () if lock_fd is None else (lock_fd,)
    for name in _list_worker_names(config):
        stack.start(name, commands[_WORKER], config.stop_grace + _WORKER_MARGIN, inherits)

    def is_code_listening() -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex((_HOST, int(environment["CODE_PORT"]))) == 0

    stack.wait_for(is_code_listening, stop)
    for name, command in commands.items():
        if name not in (_CODE, _WORKER):
            graces = {_DAEMON: _DAEMON_GRACE, _API: config.stop_grace + _API_MARGIN}
            stack.start(name, command, graces.get(name, _GRACE))


def _list_worker_names(config: Settings) -> list[str]:
    count = config.worker_processes
    return [_WORKER] if count == 1 else [f"{_WORKER}-{number + 1}" for number in range(count)]


def _build_environment(
    config: Settings, port: int, api_port: int, code_port: int
) -> dict[str, str]:
    environment = build_dagster_environment(config)
    own = str(Path(sys.executable).parent)
    environment["PATH"] = f"{own}{os.pathsep}{environment.get('PATH', os.defpath)}"
    environment["PORT"] = str(port)
    environment["API_PORT"] = str(api_port)
    environment.setdefault("CASTAD_UI_URL", f"http://{_HOST}:{port}")
    environment["CODE_PORT"] = str(code_port)
    # A workspace file with the stack's code server: Dagster would replace its own server every minute.
    server = {"host": _HOST, "port": code_port, "location_name": "castad"}
    workspace = make_dagster_home(config) / f"workspace-{code_port}.yaml"
    workspace.write_text(yaml.safe_dump({"load_from": [{"grpc_server": server}]}))
    environment[WORKSPACE_VARIABLE] = str(workspace)
    return environment


def _announce(ui: str, api: str, db: Database, key_file: Path | None, stop: StopFlag) -> None:
    def poll() -> None:
        pause = threading.Event()
        while not stop.is_raised:
            if _is_answering(f"{ui}/server_info") and _is_answering(f"{api}/readyz"):
                print_line(f"castad is up: {ui} (the UI), {api} (the API); Ctrl-C stops it")
                print_line(f"tracebacks of unexpected errors go to {get_traceback_log_path()}")
                if key_file:
                    print_line(f"an admin key for the API is in {key_file}")
                _print_page(db, api)
                return
            pause.wait(0.3)

    threading.Thread(target=poll, daemon=True).start()


def _print_page(db: Database, api: str) -> None:
    """Print the page's address, with a link that logs in only on a terminal: other output may be stored."""
    key = find_admin_key(db)
    if key is None or not sys.stdout.isatty():
        print_line(f"the page: {api} (`castad login-link` prints a link that logs in)")
        return
    link = create_login_link(db, key, api)
    print_line(f"the page: {link} (once, 15 minutes; `castad login-link` makes another)")


def _is_answering(url: str) -> bool:
    try:
        answer = httpx.get(url, timeout=2, trust_env=False)
    except httpx.HTTPError:
        return False
    return answer.is_success or answer.status_code == HTTPStatus.UNAUTHORIZED
