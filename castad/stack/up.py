"""`castad up`: run the Procfile in the foreground; all parts end with it."""

import os
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path

import httpx
import yaml
from honcho.environ import parse_procfile

from castad.dagster_storage.home import build_dagster_environment, make_dagster_home
from castad.engine.app import raise_if_broker_refuses
from castad.engine.on_demand import is_on_demand, worker_lock
from castad.stack.admin_key import ensure_admin_key
from castad.stack.local_daemon import open_instance
from castad.stack.login_link import first_admin_key, forget_address, new_login_link, note_address
from castad.stack.output import print_line
from castad.stack.ports import ensure_port_free, free_port
from castad.stack.processes import StopFlag, StopRequested, catch_stop_signals
from castad.stack.supervision import Supervisor
from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import Database, open_database
from resources.process.configure_logging import get_traceback_log_path
from resources.process.setting_types import STOP_LOCK_VARIABLE, WORKSPACE_VARIABLE
from resources.process.settings import Settings, find_project_file, settings
from sensors.dispatch_waiter import StopLock

# For parts that lose nothing by a kill.
_GRACE = 2.0
# For its ticks to end, while the code server answers them.
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
    """Run the stack until a stop request, or until a part dies too often; returns the exit code.

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
    environment = {
        **_environment(config, port, api_port, free_port()),
        STOP_LOCK_VARIABLE: stop_lock.path,
    }
    commands = parse_procfile(find_project_file("Procfile").read_text()).processes
    stack = Supervisor(environment, max(map(len, [*commands, *_worker_names(config)])))
    with catch_stop_signals() as stop, ExitStack() as locks:
        try:
            _start_parts(stack, commands, environment, locks, config, stop)
            note_address(config.home, f"http://{_HOST}:{api_port}")
            _announce(f"http://{_HOST}:{port}", f"http://{_HOST}:{api_port}", db, key_file, stop)
            return stack.supervise(stop)
        except StopRequested:
            return 0
        finally:
            stop_lock.release()
            forget_address(config.home)
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
    for name in _worker_names(config):
        stack.start(name, commands[_WORKER], config.stop_grace + _WORKER_MARGIN, inherits)
    stack.wait_for(lambda: _listens(int(environment["CODE_PORT"])), stop)
    for name, command in commands.items():
        if name not in (_CODE, _WORKER):
            graces = {_DAEMON: _DAEMON_GRACE, _API: config.stop_grace + _API_MARGIN}
            stack.start(name, command, graces.get(name, _GRACE))


def _worker_names(config: Settings) -> list[str]:
    count = config.worker_processes
    return [_WORKER] if count == 1 else [f"{_WORKER}-{number + 1}" for number in range(count)]


def _environment(config: Settings, port: int, api_port: int, code_port: int) -> dict[str, str]:
    environment = build_dagster_environment(config)
    own = str(Path(sys.executable).parent)
    environment["PATH"] = f"{own}{os.pathsep}{environment.get('PATH', os.defpath)}"
    environment["PORT"] = str(port)
    environment["API_PORT"] = str(api_port)
    environment.setdefault("CASTAD_UI_URL", f"http://{_HOST}:{port}")
    environment["CODE_PORT"] = str(code_port)
    environment[WORKSPACE_VARIABLE] = str(_workspace(config, code_port))
    return environment


def _workspace(config: Settings, code_port: int) -> Path:
    """A workspace file with the stack's code server: Dagster would replace a server of its own every minute."""
    server = {"host": _HOST, "port": code_port, "location_name": "castad"}
    path = make_dagster_home(config) / f"workspace-{code_port}.yaml"
    path.write_text(yaml.safe_dump({"load_from": [{"grpc_server": server}]}))
    return path


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((_HOST, port)) == 0


def _announce(ui: str, api: str, db: Database, key_file: Path | None, stop: StopFlag) -> None:
    """Print the addresses once the UI and the API answer."""

    def poll() -> None:
        pause = threading.Event()
        while not stop.is_raised:
            if _answers(f"{ui}/server_info") and _answers(f"{api}/readyz"):
                print_line(f"castad is up: {ui} (the UI), {api} (the API); Ctrl-C stops it")
                print_line(f"tracebacks of unexpected errors go to {get_traceback_log_path()}")
                if key_file:
                    print_line(f"an admin key for the API is in {key_file}")
                _print_page(db, api)
                return
            pause.wait(0.3)

    threading.Thread(target=poll, daemon=True).start()


def _print_page(db: Database, api: str) -> None:
    """A link that logs in stands on a terminal only: other output may be kept in a file."""
    key = first_admin_key(db)
    if key is None or not sys.stdout.isatty():
        print_line(f"the page: {api} (`castad login-link` prints a link that logs in)")
        return
    link = new_login_link(db, key, api)
    print_line(f"the page: {link} (once, 15 minutes; `castad login-link` makes another)")


def _answers(url: str) -> bool:
    try:
        answer = httpx.get(url, timeout=2, trust_env=False)
    except httpx.HTTPError:
        return False
    return answer.is_success or answer.status_code == HTTPStatus.UNAUTHORIZED
