import os
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

from resources.process.file_locks import Slots
from tests.tables import read_beside

DEADLINE = 20
HOLDER = read_beside(__file__)["HOLDER"]


def holder(folder: Path) -> "subprocess.Popen[bytes]":
    """Another process that holds the one slot of the folder until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def ended(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.communicate()


def test_slots_are_so_many_and_no_more(tmp_path):
    slots, stopped = Slots(tmp_path, 2), Event()
    stopped.set()
    with (
        slots.hold_slot(Event()) as first,
        slots.hold_slot(Event()) as second,
        slots.hold_slot(stopped) as third,
    ):
        assert (first, second, third) == (True, True, False)


def test_slot_is_free_again_at_the_end_of_the_block(tmp_path):
    slots, stopped = Slots(tmp_path, 1), Event()
    stopped.set()
    with slots.hold_slot(Event()):
        pass
    with slots.hold_slot(stopped) as taken:
        assert taken


def test_slot_held_by_another_process_is_taken(tmp_path):
    stopped = Event()
    stopped.set()
    process = holder(tmp_path)
    with Slots(tmp_path, 1).hold_slot(stopped) as taken:
        assert not taken
    ended(process)


def test_slot_of_a_process_that_died_is_free(tmp_path):
    ended(holder(tmp_path))
    stopped = Event()
    stopped.set()
    with Slots(tmp_path, 1).hold_slot(stopped) as taken:
        assert taken


def test_who_waits_gets_the_slot_when_it_is_free(tmp_path):
    process, got = holder(tmp_path), Event()

    def wait() -> None:
        with Slots(tmp_path, 1, look_again=0.01).hold_slot(Event()):
            got.set()

    waiting = Thread(target=wait)
    waiting.start()
    ended(process)
    assert got.wait(DEADLINE)
    waiting.join()
