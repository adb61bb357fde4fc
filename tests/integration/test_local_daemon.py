"""The daemon and the worker that a command starts for itself."""

import os
import signal
import sys

import psutil

from castad.stack.local_daemon import LocalDaemon, LocalDaemonError
from resources.process.settings import settings
from tests.eventually import eventually


def children(module: str) -> set[int]:
    """This process' children that run `python -m` with this module, but for those that have ended."""
    return {
        child.pid
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE
        and child.cmdline()[:3] == [sys.executable, "-m", module]
    }


def test_process_that_is_killed_has_a_successor() -> None:
    daemon = LocalDaemon(settings())
    try:
        daemon.ensure_running()
        first = {module: children(module) for module in ("dagster._daemon", "castad")}
        assert [len(pids) for pids in first.values()] == [1, 1]
        for pids in first.values():
            os.kill(*pids, signal.SIGKILL)
        assert eventually(lambda: not any(children(module) & first[module] for module in first))
        daemon.ensure_running()
        assert [len(children(module)) for module in first] == [1, 1]
    finally:
        daemon.stop()
    assert [children(module) for module in first] == [set(), set()]


def test_daemon_that_is_killed_again_and_again_is_an_error() -> None:
    daemon = LocalDaemon(settings())
    killed: set[int] = set()

    def is_given_up() -> bool:
        for pid in children("dagster._daemon") - killed:
            killed.add(pid)
            os.kill(pid, signal.SIGKILL)
        try:
            daemon.ensure_running()
        except LocalDaemonError as error:
            return "is killed again and again" in error.message
        return False

    try:
        assert eventually(is_given_up)
    finally:
        daemon.stop()
    assert len(killed) == 5
