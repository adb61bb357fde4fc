"""A bounded number of threads that owners share fairly, and that no exit of the process waits for."""

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

ItemT = TypeVar("ItemT")


class FairThreads(Generic[ItemT]):
    """Works off items, at most so many at once; of one owner never more than are left for the others.

    Owners take turns, and the items of one are worked off in order. Threads start when they are first needed.
    """

    def __init__(self, most: int, name: str, work: Callable[[ItemT], None]) -> None:
        self._most = most
        self._name = name
        self._work = work
        self._waiting: OrderedDict[str | None, deque[ItemT]] = OrderedDict()
        self._running: Counter[str | None] = Counter()
        self._begun: SimpleQueue[tuple[str | None, ItemT] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def submit(self, owner: str | None, item: ItemT) -> None:
        """Have the item worked off as soon as it is the owner's turn; the work raises nothing."""
        with self._lock:
            self._waiting.setdefault(owner, deque()).append(item)
            self._begin()

    def drop_waiting(self) -> list[ItemT]:
        """Return the items that were not begun; they never will be."""
        with self._lock:
            dropped = [item for items in self._waiting.values() for item in items]
            self._waiting.clear()
        return dropped

    def close(self, seconds: float) -> None:
        """Drop what waits, and wait for what is at work, for so many seconds at most."""
        self.drop_waiting()
        for _ in self._threads:
            self._begun.put(None)
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _begin(self) -> None:
        """Begin what may begin: the owners in turn, while one has fewer at work than there are free."""
        is_changed = True
        while is_changed:
            is_changed = False
            for owner in list(self._waiting):
                if self._running[owner] < self._most - self._running.total():
                    if not self._has_free_thread():
                        return
                    self._begin_next(owner)
                    is_changed = True

    def _has_free_thread(self) -> bool:
        """Return whether there is a thread for one more item; start it if need be.

        Raises RuntimeError where the machine starts none and there is none; else those that are there go on.
        """
        if self._running.total() < len(self._threads):
            return True
        name = f"{self._name}-{len(self._threads)}"
        thread = threading.Thread(target=self._serve, name=name, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            if not self._threads:
                raise
            return False
        self._threads.append(thread)
        return True

    def _begin_next(self, owner: str | None) -> None:
        items = self._waiting[owner]
        self._running[owner] += 1
        self._begun.put((owner, items.popleft()))
        self._waiting.move_to_end(owner)
        if not items:
            del self._waiting[owner]

    def _serve(self) -> None:
        while (begun := self._begun.get()) is not None:
            owner, item = begun
            self._work(item)
            with self._lock:
                self._running[owner] -= 1
                if not self._running[owner]:
                    del self._running[owner]
                self._begin()
