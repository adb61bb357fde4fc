"""Ticks hear of a stop however the stack ends."""

import signal
import subprocess
import sys
import threading

import pytest

from resources.process.setting_types import STOP_LOCK_VARIABLE
from sensors.dispatch_waiter import StopLock, call_on_release

HOLD = "import sys, time; from pathlib import Path; from sensors.dispatch_waiter import StopLock; \
lock = StopLock(Path(sys.argv[1])); print(lock.path, flush=True); time.sleep(600)"


@pytest.fixture
def stop() -> threading.Event:
    return threading.Event()


def test_released_lock_makes_the_call_and_leaves_no_file(tmp_path, monkeypatch, stop):
    lock = StopLock(tmp_path)
    monkeypatch.setenv(STOP_LOCK_VARIABLE, lock.path)
    call_on_release(stop.set)
    assert not stop.is_set()
    lock.release()
    lock.release()
    assert stop.wait(30)
    assert list(tmp_path.iterdir()) == []


def test_killed_holder_makes_the_call(tmp_path, monkeypatch, stop):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        monkeypatch.setenv(STOP_LOCK_VARIABLE, holder.stdout.readline().strip())
        call_on_release(stop.set)
        assert not stop.is_set()
        holder.send_signal(signal.SIGKILL)
    assert stop.wait(30)


def test_lock_that_is_gone_makes_the_call(tmp_path, monkeypatch, stop):
    monkeypatch.setenv(STOP_LOCK_VARIABLE, str(tmp_path / "gone.lock"))
    call_on_release(stop.set)
    assert stop.wait(30)
