"""Where no broker is set a worker is started by need: one, for as long as somebody may launch runs."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from castad.engine.on_demand import is_on_demand, wait_until_idle, worker_lock
from resources.process.settings import Settings
from tests.conftest import MakeSettings

HOLD = "import sys; sys.stdin.read()"


@pytest.fixture
def config(make_settings: MakeSettings) -> Settings:
    return make_settings()


@contextmanager
def child_holding(descriptor: int) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-c", HOLD]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=(descriptor,))
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def test_slot_is_given_to_one(config):
    with ExitStack() as held:
        slots = [held.enter_context(worker_lock(config)) for _ in range(3)]
        assert [lock_fd is not None for lock_fd in slots] == [True, False, False]


def test_slot_stays_taken_while_the_child_that_inherited_it_lives(config):
    with ExitStack() as held:
        with worker_lock(config) as lock_fd:
            assert lock_fd is not None
            held.enter_context(child_holding(lock_fd))
        with worker_lock(config) as again:
            assert again is None


def test_slot_is_free_again_when_the_child_was_killed(config):
    with worker_lock(config) as lock_fd:
        assert lock_fd is not None
        with child_holding(lock_fd):
            os.set_inheritable(lock_fd, False)
    with worker_lock(config) as again:
        assert again is not None


def test_worker_leaves_when_nobody_keeps_it(config):
    assert wait_until_idle(config, threading.Event())


@pytest.mark.parametrize("url", ["redis://127.0.0.1/0", "amqp://127.0.0.1"])
def test_broker_of_its_own_means_workers_of_its_own(make_settings, url):
    assert not is_on_demand(make_settings(broker_url=url))
