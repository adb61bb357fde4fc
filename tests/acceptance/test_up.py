"""What is seen of one running `castad up`: it goes on with an order that was left, README's lines are typed and
its UI is used beside it, its worker is killed, and in the end it is told to stop.

The vendors are fakes: an order waits in a stage for as long as a test needs it to, and no film is made.
"""

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest
from dagster import DagsterRunStatus
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from castad.stack.local_daemon import open_instance
from resources.ledger.db.database import open_database
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import list_requests
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.orders import cancel_request
from resources.process.settings import Settings, settings
from tests.acceptance.desk import Desk, Typed, lay_out, with_sqlite3
from tests.acceptance.readme import BLOCKS, SQL_SHELL, typed_lines
from tests.acceptance.stack import Stack, held_in
from tests.acceptance.ui import Ui, run_of
from tests.castad_up import Up, up_with
from tests.command_line import Done
from tests.eventually import eventually
from tests.fakes.faults import Fault
from tests.fakes.github import FakeGitHub
from tests.fakes.server import PLENTY
from tests.hostile import ELSEWHERE, READING, answers_to, hostile_graphql, launching
from tests.integration.vendor_house import FAST, ONE_EACH, Environment, Vendors, open_vendors
from tests.left_behind import left_running, stored_wrongs, wrong_ticks
from tests.waiting_make import TASK_ID, make_that_waits_for_its_video
from tests.webhook_receiver import SECRET, Receiver

pytestmark = [pytest.mark.processes, pytest.mark.timeout(240)]

CLOCK = {
    **FAST,
    "CASTAD_ALLOW_HOSTS": "127.0.0.1",
    # A busy machine loses none by accident.
    "CASTAD_LEASE_SECONDS": "20",
    "CASTAD_BEAT_SECONDS": "0.5",
    # One that waits for a whole test is not to keep this machine busy.
    "CASTAD_WATCH_SECONDS": "0.2",
    "CASTAD_POLL_SECONDS": "0.1",
    "CASTAD_POLL_LONGEST": "0.1",
    "CASTAD_WEBHOOK_SECRET": SECRET,
}
PART_LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [a-z]+ +\| (?!\d{4}-)")
HOSTILE = "hostile"
BY_HAND = "by-hand"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("a clone")
    lay_out(folder)
    return folder


@pytest.fixture(scope="module")
def vendors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vendors]:
    with open_vendors(tmp_path_factory.mktemp("vendors"), {}) as opened:
        for fake in opened.all:
            fake.set(credits=PLENTY)
        yield opened


@pytest.fixture(scope="module")
def github(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeGitHub]:
    """The repository that README analyses."""
    with FakeGitHub(tmp_path_factory.mktemp("github")) as fake:
        repository = fake.add("psf", "requests")
        repository.push({"tests/test_get.py": b"def test_get():\n    assert True\n"}, "v2.32.3")
        yield fake


# An order that was left


@dataclass(frozen=True)
class Interrupted:
    """A `castad make` that was stopped by Ctrl-C while it waited for its video, and how it left its order."""

    environment: Environment
    returncode: int
    said: tuple[str, str]
    left: list[str]
    wrongs: list[str]
    request: Request
    attempts: list[str | None]


@pytest.fixture(scope="module")
def interrupted(clone: Path, vendors: Vendors, github: FakeGitHub) -> Interrupted:
    home = clone / ".castad"
    elsewhere = {**vendors.environment(), "GITHUB_API_URL": github.url}
    environment = {**CLOCK, "CASTAD_HOME": str(home), **elsewhere}
    with make_that_waits_for_its_video(clone, environment, vendors) as make:
        make.send_signal(signal.SIGINT)
        said = make.communicate(timeout=30)
        left, wrongs = left_running(home), stored_wrongs()
        with open_instance(settings()) as instance:
            stack = Stack(home, open_database(settings().ledger_url), instance)
            request, attempts = stack.request(TASK_ID), stack.attempts_of(TASK_ID)
    return Interrupted(environment, make.returncode, said, left, wrongs, request, attempts)


def test_interrupted_make_says_how_to_go_on_and_leaves_nothing(interrupted):
    out, err = interrupted.said
    assert (interrupted.returncode, out) == (130, "")
    assert err.endswith("stopped; the order is kept, `castad watch x` continues it\n")
    assert (interrupted.left, interrupted.wrongs) == ([], [])


def test_worker_that_is_told_to_stop_gives_its_request_back_uncounted(interrupted):
    request = interrupted.request
    assert request.status is Status.PENDING
    assert (interrupted.attempts, request.deaths, request.retry_count) == (["released"], 0, 0)


# castad is up


@pytest.fixture(scope="module")
def up(
    interrupted: Interrupted, vendors: Vendors, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Up]:
    with up_with(vendors, tmp_path_factory.mktemp("up"), interrupted.environment) as up:
        yield up


@pytest.fixture(scope="module")
def stack(up: Up, clone: Path) -> Iterator[Stack]:
    with open_instance(Settings()) as instance:
        yield Stack(clone / ".castad", up.db, instance)


@pytest.fixture(scope="module")
def new_desk(clone: Path, up: Up, stack: Stack) -> Desk:
    environment = {**os.environ, **up.environment, "PATH": with_sqlite3(clone)}
    return Desk(clone, up, stack, environment)


@dataclass(frozen=True)
class GoneOn:
    """What `castad watch` told of the order that was left, and what the vendors had charged by then."""

    watched: Done
    charges: dict[str, int]


@pytest.fixture(scope="module")
def gone_on(new_desk: Desk, vendors: Vendors) -> GoneOn:
    vendors.creatomate.set(delay=0)
    watched = new_desk.castad("watch", TASK_ID, "--json")
    return GoneOn(watched, vendors.charges())


@pytest.fixture(scope="module")
def desk(new_desk: Desk, gone_on: GoneOn) -> Desk:
    """Nothing was ordered here but what had been left."""
    return new_desk


def test_up_goes_on_with_an_order_that_was_left(gone_on):
    assert gone_on.watched.returncode == 0, gone_on.watched.stderr
    told = json.loads(gone_on.watched.stdout)
    assert told["status"] == "completed"
    assert Path(told["path"]).is_file()
    assert [stage["attempts"] for stage in told["stages"].values()] == [1, 1, 2]


def test_order_that_was_left_is_bought_once(gone_on):
    assert gone_on.charges == ONE_EACH


def test_second_up_is_refused_in_a_sentence(desk):
    port = desk.up.ui.rpartition(":")[2]
    refused = desk.castad("up", "--port", port)
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"castad: port {port} cannot be used")


def test_up_listens_on_loopback_only(up):
    up_itself = psutil.Process(up.process.pid)
    listening = set()
    for process in (up_itself, *up_itself.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # a run's process may end meanwhile
            listening |= {
                socket.laddr.ip
                for socket in process.net_connections()
                if socket.status == psutil.CONN_LISTEN
            }
    assert {ip.removeprefix("::ffff:") for ip in listening} == {"127.0.0.1"}


def test_order_that_cannot_be_used_ends_watch_with_code_and_reason(desk):
    insert = "INSERT INTO requests (task_id, payload) VALUES ('unusable', :payload)"
    desk.stack.by_sql(insert, payload=json.dumps({"customer_name": "A"}))
    watched = desk.castad("watch", "unusable")
    assert (watched.returncode, watched.stdout) == (1, "")
    last = watched.stderr.splitlines()[-1]
    assert last.startswith("castad: unusable is dead: region: expected a value, got none")
    assert last.endswith("[invalid_payload]")


def test_up_tells_the_end_of_an_order_to_its_callback_url(desk):
    insert = "INSERT INTO requests (task_id, payload, callback_url) VALUES ('tells', '{}', :url)"
    with Receiver() as receiver:
        desk.stack.by_sql(insert, url=receiver.url())
        assert eventually(lambda: ("tells", "request.dead") in receiver.told)
    receiver.calls[0].verify()


# Its UI


@pytest.fixture(scope="module")
def ui(desk: Desk) -> Iterator[Ui]:
    own = {"origin": desk.up.ui, "sec-fetch-site": "same-origin"}
    with httpx.Client(
        base_url=desk.up.ui, headers=own, trust_env=False, verify=False, timeout=60
    ) as client:
        yield Ui(client)


@pytest.mark.parametrize("operation", [launching(HOSTILE), READING], ids=["launch", "read"])
def test_ui_gives_other_origins_nothing(desk, operation):
    with httpx.Client(base_url=desk.up.ui, trust_env=False, verify=False, timeout=60) as anybody:
        assert answers_to(anybody, hostile_graphql(operation)) == {}


@pytest.mark.parametrize("origin", [ELSEWHERE, "null", "http://127.0.0.1:1"])
def test_ui_refuses_subscriptions_of_other_origins(desk, origin):
    with pytest.raises(InvalidStatus) as refused, subscribed(desk.up.ui, origin):
        pass
    assert refused.value.response.status_code == 403


def test_ui_shows_its_page_and_reads(ui):
    assert 'id="__next"' in ui.client.get("/runs").text
    runs = ui.client.post("/graphql", json=READING).json()["data"]["runsOrError"]["results"]
    assert "task_id: x\n" in [run["runConfigYaml"] for run in runs]


def test_ui_launches_an_order(desk, ui):
    launched = ui.client.post("/graphql", json=launching(BY_HAND)).json()
    assert launched["data"]["launchRun"]["__typename"] == "LaunchRunSuccess"
    asked = ("status", BY_HAND, "--json")
    assert eventually(lambda: '"completed"' in desk.castad(*asked).stdout)


def test_ui_opens_live_subscriptions(desk):
    with subscribed(desk.up.ui, desk.up.ui) as live:
        live.send(json.dumps({"type": "connection_init"}))
        assert json.loads(live.recv(timeout=30)) == {"type": "connection_ack"}


def subscribed(ui: str, origin: str) -> ClientConnection:
    """The UI's WebSocket, as a page of this origin opens it."""
    return connect(
        f"{ui.replace('http', 'ws', 1)}/graphql",
        origin=Origin(origin),
        subprotocols=[Subprotocol("graphql-ws")],
        proxy=None,
    )


def test_execution_from_failure_goes_on_though_the_run_before_was_deleted(desk, stack, ui, vendors):
    vendors.openai.script(Fault("status", "submit", code=400))
    [typed] = desk.type(["castad make --customer-name A --region B --task-id refused"])
    assert typed.status == 1, typed.said
    first = str(desk.stack.request("refused").run_id)
    # The order has failed a moment before its run has.
    assert eventually(lambda: ui.status_of(first) == "FAILURE")
    vendors.openai.script(Fault("status", "submit", code=400))
    second = run_of(ui.execute_again(first))
    assert eventually(lambda: ui.status_of(second) == "FAILURE")
    ui.delete(first)
    again = run_of(ui.execute_again(second))
    assert eventually(lambda: ui.status_of(again) == "SUCCESS")
    assert stack.request("refused").status is Status.COMPLETED


# README's own lines, all of them


@pytest.fixture(scope="module")
def typed(desk: Desk) -> list[Typed]:
    lines: list[Typed] = []
    for language, block in BLOCKS:
        if language == "sh":
            lines += desk.type(typed_lines(block))
        else:
            interpreter = [sys.executable, "-"]
            command = interpreter if language == "python" else shlex.split(SQL_SHELL[0])
            lines.append(desk.give(command, block))
    return lines


@pytest.mark.timeout(600)
def test_lines_of_readme_work_as_they_are_typed(typed):
    assert {language for language, _ in BLOCKS} == {"sh", "python", "sql"}
    assert [line for line in typed if not line.is_as_promised] == []


@pytest.mark.usefixtures("typed")
def test_video_is_fetched_as_readme_says(desk):
    assert (desk.folder / "video.mp4").read_bytes()[4:8] == b"ftyp"


@pytest.mark.usefixtures("typed")
def test_order_by_plain_sql_becomes_a_video_with_what_sql_gave_it(stack):
    stack.until_status("sql-1", Status.COMPLETED)
    order = stack.request("sql-1")
    assert (order.source, order.max_retries, order.priority) == ("sql", 5, 10)
    assert [view.stage for view in build_overview(stack.db, "sql-1").stages] == list(ONE_EACH)


@pytest.mark.usefixtures("typed")
def test_job_execute_in_a_bare_shell_makes_the_example(stack):
    executed = [row for row in list_requests(stack.db) if row.source == "dagster"]
    [order] = [row for row in executed if row.task_id != BY_HAND]
    assert order.status is Status.COMPLETED


# What happens to a worker and to its orders


@pytest.fixture(scope="module")
def bought_for_the_killed(desk: Desk, vendors: Vendors) -> dict[str, int]:
    """One death took the runs of two orders, each in another stage; what both have cost in the end, by stage."""
    stack = desk.stack
    stack.until("all ended", lambda: all(row.is_terminal for row in list_requests(stack.db)))
    before = vendors.charges()
    with held_in(vendors, "video"):
        stack.order("killed-video")
        stack.until_waiting_in("killed-video", "video")
        with held_in(vendors, "song"):
            stack.order("killed-song")
            stack.until_waiting_in("killed-song", "song")
            os.kill(stack.worker_pid("killed-song"), signal.SIGKILL)
    for task_id in ("killed-song", "killed-video"):
        stack.until_status(task_id, Status.COMPLETED)
    return {stage: count - before[stage] for stage, count in vendors.charges().items()}


@pytest.mark.parametrize("stage", ["song", "video"])
@pytest.mark.usefixtures("bought_for_the_killed")
def test_killed_run_is_made_good_without_repeating_stages_that_were_done(stack, stage):
    stack.assert_made_good_after_a_death(f"killed-{stage}", stage)


def test_killed_runs_buy_nothing_again(bought_for_the_killed):
    assert bought_for_the_killed == {"lyric": 2, "song": 2, "video": 2}


def test_order_of_a_stopped_worker_is_finished_by_the_next_uncounted(desk, vendors):
    stack = desk.stack
    with held_in(vendors, "song"):
        stack.order("deployed")
        stack.until_waiting_in("deployed", "song")
        os.kill(stack.worker_pid("deployed"), signal.SIGTERM)
        stack.until("given back", lambda: "released" in stack.attempts_of("deployed"))
    stack.until_status("deployed", Status.COMPLETED)
    order = stack.request("deployed")
    assert (stack.attempts_of("deployed"), order.deaths, order.retry_count) == (
        ["released", None],
        0,
        0,
    )


@pytest.mark.parametrize("stage", ["song", "video"])
def test_canceled_request_ends_canceled_in_dagster_too(desk, vendors, stage):
    stack, task_id = desk.stack, f"canceled-{stage}"
    with held_in(vendors, stage):
        stack.order(task_id)
        stack.until_waiting_in(task_id, stage)
        cancel_request(stack.db, task_id)
        stack.until_status(task_id, Status.CANCELED)
        stack.until_runs_are(task_id, DagsterRunStatus.CANCELED)


def test_operators_sql_stops_a_running_request_and_brings_it_back(desk, vendors):
    stack = desk.stack
    with held_in(vendors, "video"):
        stack.order("edited")
        stack.until_waiting_in("edited", "video")
        stack.by_sql("UPDATE requests SET status = 'dead' WHERE task_id = 'edited'")
        stack.until_runs_are("edited", DagsterRunStatus.CANCELED)
    assert stack.request("edited").status is Status.DEAD
    stack.by_sql("UPDATE requests SET status = 'pending' WHERE task_id = 'edited'")
    stack.until_status("edited", Status.COMPLETED)


# The end: what follows is told to stop, so nothing that needs a running castad stands below


@pytest.fixture(scope="module")
def unreachable_picture(desk: Desk) -> str:
    """The order of a picture that nobody serves; it has ended for good."""
    stack, task_id = desk.stack, "no-picture"
    stack.order(task_id, images=[f"{desk.up.api}/none.png"])
    stack.until_status(task_id, Status.DEAD)
    failed = DagsterRunStatus.FAILURE
    stack.until(f"{task_id} {failed}", lambda: failed in stack.run_statuses(task_id))
    return task_id


@dataclass(frozen=True)
class Ended:
    """What a `castad up` that was told to stop has said and left."""

    returncode: int
    said: str
    left: list[str]
    wrong_ticks: list[str]
    ordered: list[str]

    @property
    def parts_said(self) -> list[str]:
        return [line for line in self.said.splitlines() if " | " in line]


@pytest.fixture(scope="module")
def ended(desk: Desk, unreachable_picture: str) -> Ended:
    stack, up = desk.stack, desk.up
    up.process.terminate()
    returncode = up.process.wait(60)
    ordered = [row.task_id for row in list_requests(stack.db)]
    wrong = wrong_ticks(stack.instance)
    return Ended(returncode, up.log.read_text(), left_running(stack.home), wrong, ordered)


def test_up_that_is_told_to_stop_leaves_no_trace(ended):
    assert (ended.returncode, ended.left, ended.wrong_ticks) == (0, [], [])


def test_up_says_where_it_answers(ended, up):
    assert f"castad is up: {up.ui}" in ended.said


def test_console_that_is_no_terminal_shows_no_link_that_logs_in(ended, up):
    assert f"the page: {up.api} " in ended.said
    assert "/login/" not in ended.said


def test_console_has_one_time_of_one_form_a_line_and_no_trace(ended):
    assert [line for line in ended.parts_said if not PART_LINE.match(line)] == []
    assert "Stack Trace" not in ended.said
    assert "Traceback" not in ended.said


def test_console_names_the_order_in_what_it_tells_of_runs(ended):
    told = [line for line in ended.parts_said if " castad.run " in line]
    assert [line for line in told if "task_id=" not in line] == []


def test_console_warns_once_of_each_failure_and_names_its_order(ended):
    loud = [line for line in ended.parts_said if " warning " in line or " error " in line]
    why = ["job is refused: ", "job is refused: ", "images[0]: "]
    assert [reason in line for reason, line in zip(why, loud, strict=True)] == [True] * 3
    names = [line.rpartition(" ")[2] for line in loud]
    assert names == ["task_id=refused", "task_id=refused", "task_id=no-picture"]


def test_pages_of_other_origins_have_ordered_nothing(ended):
    assert TASK_ID in ended.ordered
    assert HOSTILE not in ended.ordered
