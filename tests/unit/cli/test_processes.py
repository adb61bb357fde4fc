import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from castad.stack.processes import StopRequested, catch_stop_signals, start_group, stop_groups

# It tells its child's id once it can no longer be stopped by asking.
STUBBORN = "trap '' TERM; sleep 600 & echo $! > \"$NOTE\"; while :; do sleep 0.05; done"


def first_line(pipe: Path) -> int:
    """What is written into the pipe; opening it waits for the writer, and the suite's timeout bounds that."""
    return int(pipe.read_text())


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_group_that_will_not_stop_is_killed_with_its_children(tmp_path):
    note = tmp_path / "note"
    os.mkfifo(note)
    group = start_group(STUBBORN, {**os.environ, "NOTE": str(note)}, subprocess.DEVNULL)
    child = first_line(note)
    stop_groups([group], grace=0.2)
    assert group.poll() == -signal.SIGKILL
    assert is_gone(child)


def test_stopping_what_has_ended_is_no_error():
    group = start_group("exit 3", dict(os.environ), subprocess.DEVNULL)
    assert group.wait() == 3
    stop_groups([group], grace=1)


def test_a_child_hears_sigint_even_where_this_process_ignores_it():
    told = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with catch_stop_signals():
            command = [sys.executable, "-c", told]
            child = start_group(command, dict(os.environ), subprocess.PIPE)
            assert child.communicate()[0] == b"True\n"
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_heard_at_the_next_pause_and_not_before(signum):
    # Whoever runs the suite under `nohup` has hushed one of them.
    before = signal.signal(signum, signal.default_int_handler)
    try:
        with catch_stop_signals() as stop:
            stop.check()
            os.kill(os.getpid(), signum)
            with pytest.raises(StopRequested) as stopped:
                stop.pause(30)
    finally:
        signal.signal(signum, before)
    assert stopped.value.signum == signum


def test_a_hangup_that_nohup_ignores_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with catch_stop_signals() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            stop.check()
    finally:
        signal.signal(signal.SIGHUP, before)
