"""An order that this process answers: its events so far, and who waits for the next one."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from castad.direct.steps import FAILED, started

Listener = Callable[[], None]
"""Called in a worker's thread when there is another event; it returns at once."""


@dataclass(eq=False)
class DirectJob:
    """Thread-safe. Its first event says that it has started, whenever a thread is free for it.

    `pictures` are the bytes that came with the order, by their reference in the payload.
    """

    task_id: str
    owner: str | None
    payload: Mapping[str, Any]
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    created_at: float = field(default_factory=time.time)
    events: list[Mapping[str, Any]] = field(init=False)
    body: Mapping[str, Any] | None = None
    """What the client gets once the order has ended."""
    _listeners: list[Listener] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.events = [started(self.task_id)]

    def publish(self, event: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> None:
        """Add an event; with `body` it is the last one, after which there are no others."""
        with self._lock:
            if self.body is not None:
                return
            self.events.append(event)
            if body is not None:
                self.body = body
                self.pictures = {}
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """The listener is called for every event from now on, until the returned function is called."""
        with self._lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._lock:
                self._listeners.remove(listener)

        return stop

    @property
    def picture_bytes(self) -> int:
        """How much memory its pictures take."""
        return sum(map(len, self.pictures.values()))

    @property
    def has_ended(self) -> bool:
        """Whether the last event has happened."""
        return self.body is not None

    @property
    def has_failed(self) -> bool:
        """Whether it has ended without a result."""
        return self.body is not None and self.body["status"] == FAILED

    @property
    def current_step(self) -> str | None:
        """The step of the newest event."""
        return next((event["step"] for event in reversed(self.events) if "step" in event), None)

    @property
    def progress(self) -> int:
        """The newest event's progress in percent."""
        return next(
            (event["progress"] for event in reversed(self.events) if "progress" in event), 0
        )
