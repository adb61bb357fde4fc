"""Names of workers: nobody shares one, and who is gone is told from who is merely silent."""

import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from resources.contract.errors import StateUnavailableError
from resources.ledger.db.database import Database
from resources.ledger.schema.tables import Status
from resources.ledger.workers.worker import (
    Worker,
    list_unlocked_names,
    lock_worker_name,
    requeue_requests_of_dead_workers,
)
from tests.conftest import MakeSettings
from tests.integration.worker_process import WorkerProcess, worker_process
from tests.ledger_steps import Steps

OpenProcess = Callable[[], WorkerProcess]


@pytest.fixture
def other(steps: Steps, make_settings: MakeSettings) -> Iterator[OpenProcess]:
    """Opens workers of this state folder, each in a process of its own."""
    url = steps.db.url.render_as_string(hide_password=False)
    with ExitStack() as stack:
        yield lambda: stack.enter_context(worker_process(url, make_settings()))


def bury(steps: Steps, make_settings: MakeSettings) -> list[str]:
    return [
        request.task_id for request in requeue_requests_of_dead_workers(steps.db, make_settings())
    ]


# Numbers


def test_name_tells_the_machine_and_the_number(tmp_path):
    name_lock = lock_worker_name(tmp_path)
    assert name_lock.name.startswith(f"{socket.gethostname()}-")
    assert name_lock.name.endswith("-0")
    name_lock.release()


def test_second_process_of_a_state_folder_has_the_next_number(tmp_path):
    first, second = lock_worker_name(tmp_path), lock_worker_name(tmp_path)
    assert (first.name[-2:], second.name[-2:]) == ("-0", "-1")
    assert first.name[:-2] == second.name[:-2]
    first.release()
    second.release()


def test_number_that_is_free_again_is_taken_first(tmp_path):
    first, second = lock_worker_name(tmp_path), lock_worker_name(tmp_path)
    first.release()
    again = lock_worker_name(tmp_path)
    assert again.name == first.name
    again.release()
    second.release()


def test_two_state_folders_of_a_machine_share_no_name(tmp_path):
    one, other = lock_worker_name(tmp_path / "a"), lock_worker_name(tmp_path / "b")
    assert one.name != other.name
    one.release()
    other.release()


def test_copied_state_folder_has_names_of_its_own(tmp_path):
    one = lock_worker_name(tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    other = lock_worker_name(tmp_path / "b")
    assert one.name != other.name
    one.release()
    other.release()


def test_only_names_that_nobody_bears_are_free(tmp_path):
    one, other = lock_worker_name(tmp_path), lock_worker_name(tmp_path)
    other.release()
    assert list(list_unlocked_names(tmp_path)) == [other.name]
    one.release()


def test_name_that_somebody_looks_at_is_not_taken_meanwhile(tmp_path):
    lock_worker_name(tmp_path).release()
    for looked_at in list_unlocked_names(tmp_path):
        taken = lock_worker_name(tmp_path)
        assert taken.name != looked_at
        taken.release()


def test_state_folder_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "workers").write_text("in the way")
    with pytest.raises(StateUnavailableError, match=f"CASTAD_HOME: {tmp_path}"):
        lock_worker_name(tmp_path)


# Who is gone


def test_worker_that_was_killed_loses_its_request_at_once(steps, other, make_settings):
    killed = other()
    steps.working(owner=killed.owner)
    # Its child lives on, and holds nothing of it.
    killed.kill()
    assert bury(steps, make_settings) == ["r"]
    assert (steps.row().status, steps.row().deaths) == (Status.PENDING, 1)


def test_worker_that_is_merely_stopped_keeps_its_request(steps, other, make_settings):
    stopped = other()
    steps.working(owner=stopped.owner)
    stopped.send(signal.SIGSTOP)
    assert bury(steps, make_settings) == []
    assert steps.row().status is Status.PROCESSING


def test_worker_that_starts_takes_back_what_its_dead_neighbours_held(steps, other, make_settings):
    killed = [other(), other()]
    for number, worker in enumerate(killed):
        steps.working(f"r{number}", owner=worker.owner)
    for worker in killed:
        worker.kill()
    started = Worker(steps.db, make_settings())
    started.start()
    assert started.name == killed[0].name
    assert {steps.row(f"r{number}").status for number in range(2)} == {Status.PENDING}
    started.stop()


def test_dead_worker_is_buried_once(steps, other, make_settings):
    killed = other()
    steps.working(owner=killed.owner)
    killed.kill()
    bury(steps, make_settings)
    assert bury(steps, make_settings) == []


def test_worker_of_another_state_folder_is_left_to_its_lease(steps, tmp_path, make_settings):
    elsewhere = Worker(steps.db, make_settings(home=tmp_path / "elsewhere"))
    elsewhere.start()
    steps.working(owner=elsewhere.owner)
    assert bury(steps, make_settings) == []
    elsewhere.stop()


def test_worker_that_cannot_start_leaves_its_name_free(sqlite_url, make_settings):
    db = Database(sqlite_url)
    with db.writing() as tx:
        tx.exec_driver_sql("DROP TABLE workers")
    worker = Worker(db, make_settings())
    with pytest.raises(Exception, match="no such table"):
        worker.start()
    assert list(list_unlocked_names(make_settings().home)) == [worker.name]
