"""The command line end to end: real daemons, real runs, real signals."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from urllib.request import urlopen

import httpx
import psutil
import pytest
from dagster import DagsterInstance, DagsterRunStatus, RunsFilter
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.scheduler.instigation import TickStatus
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from castad.engine.home import dagster_home
from castad.ports import free_port
from resources.ledger.database import Database, open_database
from resources.ledger.errors import UnknownRequestError
from resources.ledger.moves.orders import place_order
from resources.ledger.overview import overview_of
from resources.ledger.reads import get_request
from resources.ledger.tables import Status
from resources.request import TASK_ID_TAG
from resources.settings import settings
from tests.canary import CORE, KEYS, Evidence, asked, leaks
from tests.command_line import castad
from tests.conftest import forget_foreign_settings
from tests.fakes.faults import Fault
from tests.hostile import (
    BRIEF,
    ELSEWHERE,
    READING,
    answers_to,
    hostile_graphql,
    launching,
)
from tests.integration.vendor_house import ONE_EACH, Vendors, open_vendors, set_environment

pytestmark = pytest.mark.timeout(240)

ORDER = "customer_name: 봄날 베이커리\nregion: 전주\nduration_seconds: 10\ntask_id: x\n"
NEVER = 1e6
PART_LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [a-z]+ +\| (?!\d{4}-)")
AT_ONCE = {
    "CASTAD_POLL_LONGEST": "0.1",
    "CASTAD_ALLOW_HOSTS": "127.0.0.1",
    "CASTAD_RETRY_SONG": "0.1",
}
Start = Callable[..., "subprocess.Popen[str]"]


def run_castad(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "castad", *arguments]


def left_running() -> list[str]:
    """Every process that works on this test's state, this one excepted."""
    home, found = os.environ["CASTAD_HOME"], []
    for process in psutil.process_iter():
        try:
            alive = process.status() != psutil.STATUS_ZOMBIE
            if (
                alive
                and process.pid != os.getpid()
                and process.environ().get("CASTAD_HOME") == home
            ):
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


def until(condition: Callable[[], object], seconds: float = 90) -> None:
    deadline, beat = monotonic() + seconds, Event()
    while not condition():
        assert monotonic() < deadline, "the condition did not come true in time"
        beat.wait(0.1)


def order_in(folder: Path) -> str:
    file = folder / "an order.yaml"
    file.write_text(ORDER)
    return str(file)


@pytest.fixture
def order(tmp_path: Path) -> str:
    return order_in(tmp_path)


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    assert left_running() == []


@contextmanager
def starting(folder: Path) -> Iterator[Start]:
    """Start `castad` from this folder, with SIGINT ignored as a shell's `&` leaves it; all end with the block."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> "subprocess.Popen[str]":
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            process = subprocess.Popen(
                run_castad(*arguments),
                cwd=folder,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        finally:
            signal.signal(signal.SIGINT, before)
        running.append(process)
        return process

    try:
        yield start
    finally:
        for process in running:
            if process.poll() is None:
                process.terminate()
            process.communicate(timeout=60)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Start]:
    with starting(tmp_path) as start:
        yield start


def status_of(task_id: str) -> Status:
    return get_request(open_database(settings().ledger_url), task_id).status


def test_make_brings_up_what_it_needs_prints_the_mp4_and_leaves_nothing(
    order: str, tmp_path: Path
) -> None:
    command = run_castad("make", order, "--genre", "polka")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert left_running() == []
    video = Path(done.stdout.splitlines()[-1])
    assert video.is_absolute()
    assert video.read_bytes()[4:8] == b"ftyp"
    for line in ("starting the engine", "lyric: done in ", "song: done in ", "note: genre 'polka'"):
        assert line in done.stderr
    assert "\x1b" not in done.stderr + done.stdout
    again = castad("make", order, "--genre", "polka")
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert_history_is_whole()
    assert wrongs_on_record() == []


def wrongs_on_record() -> list[str]:
    """Ticks that the Dagster UI shows as failed or as under way for ever, and runs that failed."""
    with DagsterInstance.from_config(str(dagster_home(settings()))) as instance:
        states = instance.all_instigator_state(instigator_type=InstigatorType.SENSOR)
        assert states
        ticks = [
            f"{state.name} {tick.status.value} {tick.error or ''}"
            for state in states
            for tick in instance.get_ticks(state.instigator_origin_id, state.selector_id)
            if tick.status not in (TickStatus.SUCCESS, TickStatus.SKIPPED)
        ]
        failed = instance.get_runs(RunsFilter(statuses=[DagsterRunStatus.FAILURE]))
        return [*ticks, *(f"run {run.run_id} failed" for run in failed)]


def assert_history_is_whole() -> None:
    entries = json.loads(castad("history", "x", "--json").stdout)["history"]
    seqs = [entry["seq"] for entry in entries if entry["kind"] == "request"]
    assert seqs == list(range(1, get_request(open_database(settings().ledger_url), "x").seq + 1))
    told = [entry["what"] for entry in entries if entry["kind"] != "request"]
    for what in ("began", "lyric began", "song_video/video made", "video succeeded", "succeeded"):
        assert told.count(what) == 1
    assert [entry["at"] for entry in entries] == sorted(entry["at"] for entry in entries)


@dataclass(frozen=True)
class Interrupted:
    """A `castad make` that was stopped by Ctrl-C while it waited for its video, and how that went."""

    environment: Mapping[str, str]
    vendors: Vendors
    returncode: int
    said: tuple[str, str]
    left: list[str]
    status: Status


@pytest.fixture(scope="module")
def interrupted_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interrupted]:
    folder = tmp_path_factory.mktemp("interrupted")
    with open_vendors(folder, {}) as vendors:
        vendors.creatomate.set(delay=NEVER)
        yield interrupt_a_make(folder, vendors)


def interrupt_a_make(folder: Path, vendors: Vendors) -> Interrupted:
    environment = environment_in(folder, vendors)
    with make_that_waits_for_its_video(folder, environment) as make:
        make.send_signal(signal.SIGINT)
        said = make.communicate(timeout=30)
        return Interrupted(
            environment, vendors, make.returncode, said, left_running(), status_of("x")
        )


def environment_in(folder: Path, vendors: Vendors) -> Mapping[str, str]:
    return {**AT_ONCE, "CASTAD_HOME": str(folder / "home"), **vendors.environment()}


@contextmanager
def make_that_waits_for_its_video(
    folder: Path, environment: Mapping[str, str]
) -> Iterator["subprocess.Popen[str]"]:
    with pytest.MonkeyPatch.context() as patch, starting(folder) as start:
        forget_foreign_settings(patch)
        set_environment(patch, environment)
        make = start("make", order_in(folder))
        db = open_database(settings().ledger_url)
        until(lambda: "video" in stages_begun(db))
        yield make


@pytest.fixture
def interrupted(interrupted_once: Interrupted, monkeypatch: pytest.MonkeyPatch) -> Interrupted:
    """The settings lead to its state."""
    set_environment(monkeypatch, interrupted_once.environment)
    return interrupted_once


def test_an_interrupted_make_leaves_the_order_and_says_how_to_go_on(
    interrupted: Interrupted,
) -> None:
    out, err = interrupted.said
    assert (interrupted.returncode, out) == (130, "")
    assert err.endswith("stopped; the order stays, `castad watch x` goes on with it\n")
    assert interrupted.left == []
    assert interrupted.status is Status.PENDING
    assert wrongs_on_record() == []


def stages_begun(db: Database) -> list[str]:
    try:
        return [view.stage for view in overview_of(db, "x").stages]
    except UnknownRequestError:
        return []


@dataclass(frozen=True)
class Killed:
    """A `castad make` that was killed while it waited for its video, and the state that it left.

    Its song had failed once, with the key in the vendor's words.
    """

    environment: Mapping[str, str]
    vendors: Vendors
    evidence: Evidence


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killed]:
    folder = tmp_path_factory.mktemp("killed")
    key_in_words = {"status": "GENERATE_AUDIO_FAILED", "error_message": KEYS["suno"]}
    with open_vendors(folder, KEYS) as vendors:
        vendors.suno.script(Fault("verdict", "submit", **key_in_words))
        vendors.creatomate.set(delay=NEVER)
        environment = environment_in(folder, vendors)
        with make_that_waits_for_its_video(folder, environment) as make:
            make.kill()
            said = make.communicate(timeout=30)
        yield Killed(environment, vendors, Evidence(folder / "home", None, [*said]))


@pytest.fixture
def killed(killed_once: Killed, monkeypatch: pytest.MonkeyPatch) -> Killed:
    """The settings lead to its state."""
    set_environment(monkeypatch, killed_once.environment)
    return killed_once


@pytest.mark.usefixtures("killed")
def test_a_killed_make_leaves_nothing_running_for_long() -> None:
    until(lambda: not left_running(), seconds=60)
    left = get_request(open_database(settings().ledger_url), "x")
    # A daemon that outlives the worker by a moment may have handed it out again.
    assert left.status in (Status.PENDING, Status.DISPATCHED), left.error_message


def test_no_secret_is_left_by_a_real_command_and_its_daemon(killed: Killed) -> None:
    assert killed.vendors.charges()["song"] == 2
    asked(killed.vendors, "x", killed.evidence)
    contents = [file.read_bytes() for file in killed.evidence.files()]
    said = [text.encode() for text in killed.evidence.said]
    assert leaks(CORE, *killed.evidence.values(), *contents, *said) == []


def assert_order_that_cannot_be_used_ends_watch_with_code_and_reason(started: Start) -> None:
    place_order(
        open_database(settings().ledger_url),
        "unusable",
        {"customer_name": "A"},
        pipeline="song_video",
        source="sql",
        same_order=lambda stored, given: stored == given,
    )
    watch = started("watch", "unusable")
    out, err = watch.communicate(timeout=100)
    assert (watch.returncode, out) == (1, "")
    last = err.splitlines()[-1]
    assert last.startswith("castad: unusable is dead: region: expected a value, got none")
    assert last.endswith("[invalid_payload]")


def test_up_serves_the_ui_goes_on_with_orders_and_ends_without_a_trace(
    interrupted: Interrupted, started: Start
) -> None:
    api_port = free_port()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        busy = started("up", "--port", str(port), "--api-port", str(api_port))
        _, refusal = busy.communicate(timeout=30)
        assert busy.returncode == 1
        assert refusal.startswith(f"castad: port {port} cannot be used")
    up = started("up", "--port", str(port), "--api-port", str(api_port))
    until(lambda: answers(f"http://127.0.0.1:{port}/server_info"))
    until(lambda: answers(f"http://127.0.0.1:{api_port}/healthz"))
    assert_other_origins_get_nothing(port)
    assert_listens_on_loopback_only(up.pid)
    assert_order_that_cannot_be_used_ends_watch_with_code_and_reason(started)
    interrupted.vendors.creatomate.set(delay=0)
    watch = started("watch", "x", "--json")
    out, err = watch.communicate(timeout=200)
    assert watch.returncode == 0, err
    told = json.loads(out)
    assert told["status"] == "completed"
    assert Path(told["path"]).is_file()
    assert [stage["attempts"] for stage in told["stages"]] == [1, 1, 2]
    assert interrupted.vendors.charges() == ONE_EACH
    assert_the_ui_works(port)
    until(lambda: '"completed"' in castad("status", "by-hand", "--json").stdout)
    place_order(
        open_database(settings().ledger_url),
        "y",
        {"customer_name": "A", "region": "B", "images": [f"http://127.0.0.1:{api_port}/none.png"]},
        pipeline="song_video",
        source="sql",
        same_order=lambda stored, given: stored == given,
    )
    until(lambda: status_of("y") is Status.DEAD)
    until_run_has_ended("y")
    up.send_signal(signal.SIGTERM)
    said, _ = up.communicate(timeout=30)
    assert up.returncode == 0
    assert f"castad is up: http://127.0.0.1:{port}" in said
    assert [wrong for wrong in wrongs_on_record() if not wrong.startswith("run ")] == []
    assert_console_is_plain(said)


def assert_console_is_plain(said: str) -> None:
    """One time of one form a line, no trace, and a warning only for what went wrong, which names its order."""
    parts = [line for line in said.splitlines() if " | " in line]
    assert [line for line in parts if not PART_LINE.match(line)] == []
    assert "Stack Trace" not in said
    assert "Traceback" not in said
    loud = [line for line in parts if " warning " in line or " error " in line]
    assert len(loud) == 1, loud
    [wrong] = loud
    assert "images[0]: " in wrong
    assert wrong.endswith("task_id=y")
    told = [line for line in parts if " castad.run " in line]
    assert [line for line in told if "task_id=" not in line] == []


def until_run_has_ended(task_id: str) -> None:
    with DagsterInstance.from_config(str(dagster_home(settings()))) as instance:
        wanted = RunsFilter(tags={TASK_ID_TAG: task_id})
        until(lambda: all(run.is_finished for run in instance.get_runs(wanted)))


def assert_other_origins_get_nothing(port: int) -> None:
    """Neither a launch nor a read; what was launched all the same would be charged."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as ui:
        for operation in (launching("hostile"), READING):
            assert answers_to(ui, hostile_graphql(operation)) == {}
    for origin in (ELSEWHERE, "null", "http://127.0.0.1:1"):
        with pytest.raises(InvalidStatus) as refused, subscribed(port, origin):
            pass
        assert refused.value.response.status_code == 403


def assert_listens_on_loopback_only(pid: int) -> None:
    stack = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    sockets = [each for process in stack for each in process.net_connections()]
    listening = {each.laddr.ip for each in sockets if each.status == psutil.CONN_LISTEN}
    assert {ip.removeprefix("::ffff:") for ip in listening} == {"127.0.0.1"}


def assert_the_ui_works(port: int) -> None:
    """For a person at it: the page, reads, live subscriptions and a launch."""
    own = {"origin": f"http://127.0.0.1:{port}", "sec-fetch-site": "same-origin"}
    with httpx.Client(base_url=own["origin"], trust_env=False, timeout=60, headers=own) as ui:
        assert 'id="__next"' in ui.get("/runs").text
        runs = ui.post("/graphql", json=READING).json()["data"]["runsOrError"]["results"]
        assert BRIEF["customer_name"] in str(runs)
        launched = ui.post("/graphql", json=launching("by-hand")).json()
        assert launched["data"]["launchRun"]["__typename"] == "LaunchRunSuccess"
    with subscribed(port, own["origin"]) as live:
        live.send(json.dumps({"type": "connection_init"}))
        assert json.loads(live.recv(timeout=30)) == {"type": "connection_ack"}


def subscribed(port: int, origin: str) -> ClientConnection:
    """The UI's WebSocket, as a page of this origin opens it."""
    return connect(
        f"ws://127.0.0.1:{port}/graphql",
        origin=Origin(origin),
        subprotocols=[Subprotocol("graphql-ws")],
        proxy=None,
    )


def answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=2):
            return True
    except OSError:
        return False
