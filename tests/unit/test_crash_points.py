import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from resources.contract.errors import InvalidInputError
from resources.process.crash_points import InjectedCrashError, trigger_crash_point
from resources.process.settings import PROJECT_ROOT, settings
from tests.tables import read_beside

PASS_TWICE = (
    "from resources.process.crash_points import trigger_crash_point\n"
    "trigger_crash_point('song.after_post')\n"
    "print('first', flush=True)\n"
    "trigger_crash_point('song.after_post')\n"
    "print('second', flush=True)\n"
)

PASS_IN_A_THREAD = read_beside(__file__)["PASS_IN_A_THREAD"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()


def plan(monkeypatch: pytest.MonkeyPatch, plan: str) -> None:
    monkeypatch.setenv("CASTAD_CRASH", plan)
    settings.cache_clear()


def pass_twice(tmp_path: Path, plan: str) -> "subprocess.CompletedProcess[str]":
    environment = {"CASTAD_HOME": str(tmp_path / "home"), "CASTAD_CRASH": plan}
    return subprocess.run(
        [sys.executable, "-c", PASS_TWICE],
        cwd=PROJECT_ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )


def test_crash_point_does_nothing_unless_one_is_named():
    trigger_crash_point("song.after_post")
    assert list(settings().home.glob("crash-*")) == []


def test_crash_point_stops_whichever_thread_passes_it(tmp_path):
    environment = {"CASTAD_HOME": str(tmp_path / "home"), "CASTAD_CRASH": "song.after_post:STOP"}
    output = tmp_path / "output"
    with output.open("wb") as stdout:
        process = subprocess.Popen(
            [sys.executable, "-c", PASS_IN_A_THREAD],
            cwd=PROJECT_ROOT,
            env=environment,
            stdout=stdout,
        )
    os.waitpid(process.pid, os.WUNTRACED)
    printed = output.read_text()
    process.send_signal(signal.SIGCONT)
    assert (printed, process.wait(), output.read_text()) == ("", 0, "passed\n")


def test_crash_plans_are_counted_each_for_itself(tmp_path):
    pass_twice(tmp_path, "song.after_post:KILL:2")
    assert pass_twice(tmp_path, "song.after_post:KILL").stdout == ""


@pytest.mark.parametrize(
    "name", ["song.after_lunch", "lunch.after_tick", "requests_sensor.after_post_"]
)
def test_crash_point_that_does_not_exist_is_refused(monkeypatch, name):
    plan(monkeypatch, f"{name}:KILL")
    with pytest.raises(
        InvalidInputError, match=r"^CASTAD_CRASH: expected one of <stage>\.before_stage"
    ):
        trigger_crash_point("song.after_post")


def test_crash_point_of_another_name_does_nothing(monkeypatch):
    plan(monkeypatch, "song.after_post:RAISE")
    trigger_crash_point("video.after_post")


def test_crash_point_raises_what_no_code_expects(monkeypatch):
    plan(monkeypatch, "song.after_post:RAISE")
    with pytest.raises(InjectedCrashError):
        trigger_crash_point("song.after_post")


def test_crash_point_kills_at_the_passage_that_was_named(tmp_path):
    ended = pass_twice(tmp_path, "song.after_post:KILL:2")
    assert (ended.returncode, ended.stdout) == (-signal.SIGKILL, "first\n")


def test_crash_point_counts_over_processes_and_fires_once(tmp_path):
    pass_twice(tmp_path, "song.after_post:KILL:2")
    assert pass_twice(tmp_path, "song.after_post:KILL:2").stdout == "first\nsecond\n"


@pytest.mark.parametrize(
    "text", ["song", "song.after_post", "song.after_post:EXPLODE", "x.y:KILL:0"]
)
def test_crash_plan_that_means_nothing_is_refused(monkeypatch, text):
    plan(monkeypatch, text)
    with pytest.raises(InvalidInputError, match=r"^CASTAD_CRASH: expected name:KILL"):
        settings()
