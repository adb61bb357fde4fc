"""How much memory the processes of one state folder take together, looked at while they work. Linux only."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

PROC = Path("/proc")
LOOK_SECONDS = 1.0
SHARE = re.compile(r"^Pss:\s+(\d+) kB", re.M)


class Memory:
    """The most that was seen, in megabytes; pages that processes share count once."""

    def __init__(self, home: Path) -> None:
        self.most = 0.0
        self._mark = f"CASTAD_HOME={home}".encode()

    def look(self) -> None:
        """Sum the memory that the processes take now, and keep the maximum."""
        parents, marked = dict(_list_parents()), set[int]()
        for pid in parents:
            with suppress(OSError):
                if self._mark in (PROC / str(pid) / "environ").read_bytes().split(b"\0"):
                    marked.add(pid)
        ours = [pid for pid in parents if marked & set(_list_ancestors(pid, parents))]
        self.most = max(self.most, sum(map(_read_megabytes, ours)))


@contextmanager
def watch_memory(home: Path) -> Iterator[Memory]:
    """Watch the memory of the processes with this CASTAD_HOME and of their descendants."""
    memory, done = Memory(home), Event()

    def look() -> None:
        while not done.wait(LOOK_SECONDS):
            memory.look()

    thread = Thread(target=look, daemon=True)
    thread.start()
    try:
        yield memory
    finally:
        done.set()
        thread.join()


def _list_parents() -> Iterator[tuple[int, int]]:
    """Yield every process and its parent, without this process."""
    for folder in PROC.glob("[0-9]*"):
        with suppress(OSError):
            after_name = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(folder.name) != os.getpid():
                yield int(folder.name), int(after_name[1])


def _list_ancestors(pid: int, parents: dict[int, int]) -> Iterator[int]:
    """Yield the process, its parent, and so on."""
    while pid in parents:
        yield pid
        pid = parents[pid]


def _read_megabytes(pid: int) -> float:
    with suppress(OSError):
        found = SHARE.search((PROC / str(pid) / "smaps_rollup").read_text())
        return int(found[1]) / 1000 if found else 0.0
    return 0.0
