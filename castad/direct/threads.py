"""A bounded number of threads that no exit of the process waits for."""

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

Task = Callable[[], None]


class DaemonThreads:
    """Executes tasks in order, at most so many at once. Threads start when they are first needed."""

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._lock = threading.Lock()

    def submit(self, task: Task) -> None:
        """The task is executed as soon as a thread is free; it raises nothing."""
        with self._lock:
            if self._idle:
                self._idle -= 1
            elif len(self._threads) < self._most:
                self._start()
        self._tasks.put(task)

    def close(self, seconds: float) -> None:
        """No task begins any more; those at work have ended, or so many seconds have passed."""
        while not self._tasks.empty():
            self._tasks.get_nowait()
        for _ in self._threads:
            self._tasks.put(None)
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _start(self) -> None:
        name = f"{self._name}-{len(self._threads)}"
        thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()
            with self._lock:
                self._idle += 1
