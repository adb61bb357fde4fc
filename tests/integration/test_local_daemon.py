"""The daemon and the worker that a command starts for itself."""

import os
import signal
import sys

import psutil
import pytest

from castad.stack.local_daemon import (
    LocalDaemon,
    LocalDaemonError,
    open_instance,
    read_daemon_health,
)
from resources.process.settings import PROJECT_ROOT, settings
from tests.children import find_children
from tests.eventually import eventually

pytestmark = pytest.mark.processes


def children(command: str) -> set[int]:
    """This process' children that run this command of castad."""
    command_line = [sys.executable, "-m", "castad", command]
    return {child.pid for child in find_children(lambda words: words[:4] == command_line)}


def test_process_that_is_killed_has_a_successor():
    daemon = LocalDaemon(settings())
    try:
        daemon.ensure_running()
        first = {command: children(command) for command in ("daemon", "worker")}
        assert [len(pids) for pids in first.values()] == [1, 1]
        for pids in first.values():
            os.kill(*pids, signal.SIGKILL)
        assert eventually(lambda: not any(children(command) & first[command] for command in first))
        daemon.ensure_running()
        assert [len(children(command)) for command in first] == [1, 1]
    finally:
        daemon.stop()
    assert [children(command) for command in first] == [set(), set()]


def test_processes_work_in_the_projects_folder_and_not_where_a_command_was_typed(
    tmp_path, monkeypatch
):
    # Python and Dagster import what lies in the working folder.
    monkeypatch.chdir(tmp_path)
    daemon = LocalDaemon(settings())
    try:
        daemon.ensure_running()
        started = children("daemon") | children("worker")
        assert [psutil.Process(pid).cwd() for pid in started] == [str(PROJECT_ROOT)] * 2
    finally:
        daemon.stop()


def test_daemon_that_was_stopped_is_seen_as_stopped_at_once():
    with open_instance(settings()) as instance:
        daemon = LocalDaemon(settings())
        try:
            daemon.ensure_running()
            assert eventually(lambda: read_daemon_health(instance).is_running)
        finally:
            daemon.stop()
        assert not read_daemon_health(instance).is_running


@pytest.mark.slow
def test_daemon_that_is_killed_again_and_again_is_an_error():
    daemon = LocalDaemon(settings())
    killed: set[int] = set()

    def is_given_up() -> bool:
        for pid in children("daemon") - killed:
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
