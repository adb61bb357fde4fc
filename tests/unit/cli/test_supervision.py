"""A part that dies is started again, unless it dies too often."""

import os
import signal

import pytest

from castad.stack.processes import StopRequested, catch_stop_signals, may_restart
from castad.stack.up import Supervisor

COUNT_AND = "echo . >> {file}; {then}"


def test_first_deaths_are_made_good():
    assert may_restart([10.0, 20.0, 30.0, 40.0], now=40.0)


def test_part_that_keeps_dying_is_given_up():
    assert not may_restart([10.0, 11.0, 12.0, 13.0, 14.0], now=14.0)


def test_deaths_of_long_ago_are_forgotten():
    assert may_restart([0.0, 1.0, 2.0, 3.0, 100.0], now=100.0)


def test_part_that_dies_at_once_ends_the_stack_after_a_few_tries(tmp_path):
    file = tmp_path / "starts"
    stack = Supervisor(dict(os.environ), width=4)
    with catch_stop_signals() as stop:
        stack.start("part", COUNT_AND.format(file=file, then="exit 3"), grace=1)
        assert stack.supervise(stop) == 1
    assert len(file.read_text().split()) == 5


def test_part_that_was_killed_runs_again(tmp_path):
    file = tmp_path / "starts"
    waits = "exec tail -f /dev/null"
    second = f"[ $(wc -l < {file}) = 2 ] && kill -TERM {os.getpid()}; {waits}"
    stack = Supervisor(dict(os.environ), width=4)
    with catch_stop_signals() as stop:
        first = f"[ $(wc -l < {file}) = 1 ] && kill -KILL $$; {second}"
        stack.start("part", COUNT_AND.format(file=file, then=first), grace=1)
        with pytest.raises(StopRequested) as stopped:
            stack.supervise(stop)
        stack.stop()
    assert (len(file.read_text().split()), stopped.value.signum) == (2, signal.SIGTERM)
