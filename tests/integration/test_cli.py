"""`castad make` end to end: a real daemon, a real worker, a real run, a real kill."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from resources.ledger.db.database import open_database
from resources.ledger.queries.status import get_request
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from tests.canary import CORE, KEYS, Evidence, asked, leaks
from tests.command_line import castad
from tests.eventually import eventually
from tests.fakes.faults import Fault
from tests.integration.vendor_house import Environment, Vendors, open_vendors, set_environment
from tests.left_behind import left_running, stored_wrongs
from tests.waiting_make import castad_make, make_that_waits_for_its_video

pytestmark = [pytest.mark.processes, pytest.mark.timeout(240)]

AT_ONCE = {"CASTAD_POLL_LONGEST": "0.1", "CASTAD_RETRY_SONG": "0.1"}


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    assert left_running(settings().home) == []


def test_make_brings_up_what_it_needs_prints_the_mp4_and_leaves_nothing(tmp_path):
    command = castad_make(tmp_path, "--genre", "polka")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert left_running(settings().home) == []
    video = Path(done.stdout.splitlines()[-1])
    assert video.is_absolute()
    assert video.read_bytes()[4:8] == b"ftyp"
    for line in (
        "starting a local daemon",
        "lyric: done in ",
        "song: done in ",
        "note: genre: 'polka'",
    ):
        assert line in done.stderr
    assert "\x1b" not in done.stderr + done.stdout
    again = castad(*command[3:])
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert_history_is_whole()
    assert stored_wrongs() == []


def assert_history_is_whole() -> None:
    entries = json.loads(castad("history", "x", "--json").stdout)["history"]
    seqs = [entry["seq"] for entry in entries if entry["kind"] == "request"]
    assert seqs == list(range(1, get_request(open_database(settings().ledger_url), "x").seq + 1))
    told = [entry["what"] for entry in entries if entry["kind"] != "request"]
    for what in (
        "started",
        "lyric started",
        "song_video/video materialized",
        "video succeeded",
        "succeeded",
    ):
        assert told.count(what) == 1
    assert [entry["at"] for entry in entries] == sorted(entry["at"] for entry in entries)


@dataclass(frozen=True)
class Killed:
    """A `castad make` that was killed while it waited for its video, and the state that it left.

    Its song had failed once, with the key in the vendor's words.
    """

    environment: Environment
    vendors: Vendors
    evidence: Evidence


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killed]:
    folder = tmp_path_factory.mktemp("killed")
    key_in_words = {"status": "GENERATE_AUDIO_FAILED", "error_message": KEYS["suno"]}
    with open_vendors(folder, KEYS) as vendors:
        vendors.suno.script(Fault("final_status", "submit", **key_in_words))
        home = folder / "home"
        environment = {**AT_ONCE, "CASTAD_HOME": str(home), **vendors.environment()}
        with make_that_waits_for_its_video(folder, environment, vendors) as make:
            make.kill()
            said = make.communicate(timeout=30)
        assert eventually(lambda: not left_running(home))
        yield Killed(environment, vendors, Evidence(home, None, [*said]))


@pytest.fixture
def killed(killed_once: Killed, monkeypatch: pytest.MonkeyPatch) -> Killed:
    """The settings lead to its state."""
    set_environment(monkeypatch, killed_once.environment)
    return killed_once


@pytest.mark.usefixtures("killed")
def test_killed_make_that_leaves_nothing_running_leaves_its_order_too():
    left = get_request(open_database(settings().ledger_url), "x")
    # A daemon that outlives the worker by a moment may have handed it out again.
    assert left.status in (Status.PENDING, Status.DISPATCHED), left.error_message


def test_no_secret_is_left_by_a_real_command_and_its_daemon(killed):
    assert killed.vendors.charges()["song"] == 2
    asked(killed.vendors, "x", killed.evidence)
    contents = [file.read_bytes() for file in killed.evidence.files()]
    said = [text.encode() for text in killed.evidence.said]
    assert leaks(CORE, *killed.evidence.values(), *contents, *said) == []
