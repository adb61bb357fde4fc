"""What the commands say of a broker that is down or does not let them in, and of who works for it."""

import json
import socketserver
import threading
from collections.abc import Iterator

import pytest

from castad.engine.app import BrokerDownError, ping_broker
from castad.stack.processes import find_free_port
from resources.ledger.transitions.rescue import register_worker
from resources.process.settings import Settings
from tests.brokers import RedisServer

WORST_KEPT = "worst-kept-password"


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with RedisServer() as running:
        yield running


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, server: RedisServer) -> None:
    monkeypatch.setenv("CASTAD_BROKER_URL", server.url.replace(server.password, WORST_KEPT))


class SickRedis(socketserver.StreamRequestHandler):
    """Answers whatever it is asked that its disk is full."""

    def handle(self) -> None:
        while self.rfile.readline():
            self.wfile.write(b"-MISCONF unable to persist to disk\r\n")


def checks(castad) -> dict[str, dict]:
    return {
        check["check"]: check for check in json.loads(castad("doctor", "--json").stdout)["checks"]
    }


@pytest.mark.usefixtures("refused")
@pytest.mark.parametrize("command", ["worker", "up"])
def test_command_that_the_broker_refuses_ends_with_one_sentence(castad, command):
    done = castad(command)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("castad: CASTAD_BROKER_URL: redis://127.0.0.1:")
    assert done.stderr.endswith("[broker_refuses]\n")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.usefixtures("refused")
def test_doctor_tells_of_a_broker_that_refuses_without_its_password(castad):
    done = castad("doctor")
    assert done.returncode == 1
    assert "refuses the connection" in " ".join(done.stdout.split())
    assert WORST_KEPT not in done.stdout + done.stderr


def test_doctor_tells_of_a_broker_that_is_down(castad, monkeypatch):
    monkeypatch.setenv("CASTAD_BROKER_URL", f"redis://127.0.0.1:{find_free_port()}/0")
    broker = checks(castad)["broker"]
    assert (broker["fine"], broker["broken"]) == (False, True)
    assert "does not answer" in broker["message"]


def test_doctor_misses_workers_where_nobody_starts_them(castad, monkeypatch, server):
    assert checks(castad)["workers"]["fine"]
    monkeypatch.setenv("CASTAD_BROKER_URL", server.url)
    told = checks(castad)
    assert told["broker"]["fine"]
    assert (told["workers"]["fine"], told["workers"]["broken"]) == (False, False)


def test_doctor_counts_the_slots_of_living_workers(castad, ledger):
    register_worker(ledger, "one", "1", slots=3, poison_deaths=3)
    register_worker(ledger, "two", "1", slots=4, poison_deaths=3)
    assert checks(castad)["workers"]["message"] == "slots 7, free 7"


def test_worker_waits_for_a_broker_in_passing_trouble():
    with socketserver.TCPServer(("127.0.0.1", 0), SickRedis) as sick:
        threading.Thread(target=sick.serve_forever, daemon=True).start()
        url = f"redis://127.0.0.1:{sick.server_address[1]}/0"
        with pytest.raises(BrokerDownError, match="MISCONF"):
            ping_broker(Settings(broker_url=url))
        sick.shutdown()
