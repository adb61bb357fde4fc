"""ComfyUI's queue as it is: in memory, one prompt at a time, and a history that forgets its oldest."""

import heapq
import itertools
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(order=True)
class Prompt:
    """A prompt in the queue; the lowest number is run first. No two are compared by more than their number."""

    number: float
    sort_order: int
    id: str = field(compare=False)
    graph: Mapping[str, Any] = field(compare=False)
    outputs: tuple[str, ...] = field(compare=False)
    client_id: str | None = field(compare=False)
    fault: str | None = field(compare=False, default=None)

    def entry(self) -> list[Any]:
        """As `/queue` and `/history` show it."""
        return [self.number, self.id, self.graph, {"client_id": self.client_id}, [*self.outputs]]


class Interrupted(Exception):
    """The running prompt was interrupted."""


class Lost(BaseException):
    """The server has ended under the running prompt."""


class NodeFailed(Exception):
    """A node has raised; what ComfyUI says of it."""

    def __init__(self, node: str, kind: str, exception_type: str, message: str) -> None:
        super().__init__(message)
        self.about = {
            "node_id": node,
            "node_type": kind,
            "exception_type": exception_type,
            "exception_message": message,
            "traceback": [],
        }


Execute = Callable[[Prompt, Callable[[], None]], Mapping[str, Any]]
"""Runs a prompt and gives its outputs by node; calls its second argument now and then, which may raise."""
Tell = Callable[[str | None, str, Mapping[str, Any]], None]
"""Sends an event to a client, to all where it is None."""


class PromptQueue:
    """Runs prompts in a thread of its own, from `start` to `end`."""

    def __init__(self, execute: Execute, tell: Tell) -> None:
        self._execute = execute
        self._tell = tell
        self.history_cap = 10_000
        self.pending: list[Prompt] = []
        self.running: Prompt | None = None
        self.history: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._life = 0
        self._interrupt = threading.Event()

    def start(self) -> None:
        """From now on prompts are run."""
        thread = threading.Thread(target=self._work, args=(self._life,), daemon=True)
        thread.start()

    def lose(self) -> None:
        """As the end of the process would: the queue, the history and the running prompt are gone."""
        with self._changed:
            self._life += 1
            self.pending, self.running = [], None
            self.history.clear()
            self._changed.notify_all()

    def put(
        self,
        prompt_id: str,
        graph: Mapping[str, Any],
        outputs: tuple[str, ...],
        client_id: str | None,
        fault: str | None,
    ) -> int:
        """The prompt is in the queue, also where the same id is already; returns its number."""
        with self._changed:
            number = next(self._numbers)
            prompt = Prompt(number, number, prompt_id, graph, outputs, client_id, fault)
            heapq.heappush(self.pending, prompt)
            self._changed.notify_all()
            return number

    def seen(self) -> tuple[list[Prompt], list[Prompt]]:
        """What runs and what waits, as of one moment."""
        with self._changed:
            return ([self.running] if self.running else []), sorted(self.pending)

    def recorded(self, prompt_id: str) -> dict[str, Any] | None:
        """The prompt in the history."""
        with self._changed:
            return self.history.get(prompt_id)

    def delete(self, ids: list[str]) -> None:
        """None of these waits any more."""
        with self._changed:
            self.pending = [each for each in self.pending if each.id not in ids]
            heapq.heapify(self.pending)

    def interrupt(self, prompt_id: str | None) -> None:
        """The running prompt is interrupted: whichever it is where none is named."""
        with self._changed:
            if self.running and prompt_id in (None, self.running.id):
                self._interrupt.set()

    def _work(self, life: int) -> None:
        while True:
            with self._changed:
                while life == self._life and not self.pending:
                    self._changed.wait()
                if life != self._life:
                    return
                prompt = self.running = heapq.heappop(self.pending)
                self._interrupt.clear()
            try:
                self._run(prompt, life)
            except Lost:
                return

    def _run(self, prompt: Prompt, life: int) -> None:
        about = {"prompt_id": prompt.id}
        self._tell(prompt.client_id, "execution_start", about)
        outputs: Mapping[str, Any] = {}
        try:
            outputs = self._execute(prompt, lambda: self._check(life))
            last, details = "execution_success", about
        except Interrupted:
            last, details = "execution_interrupted", {**about, "node_id": "1", "executed": []}
        except NodeFailed as failed:
            last, details = "execution_error", {**about, **failed.about}
        event = {**details, "timestamp": int(time.time() * 1000)}
        status = {
            "status_str": "success" if last == "execution_success" else "error",
            "completed": last == "execution_success",
            "messages": [["execution_start", about], [last, event]],
        }
        with self._changed:
            self._check(life)
            self.running = None
            self.history.pop(prompt.id, None)
            self.history[prompt.id] = {
                "prompt": prompt.entry(),
                "outputs": json.loads(json.dumps(outputs)),
                "status": status,
                "meta": {},
            }
            while len(self.history) > self.history_cap:
                self.history.popitem(last=False)
        everybody = last == "execution_interrupted"
        self._tell(None if everybody else prompt.client_id, last, event)
        self._tell(prompt.client_id, "executing", {"node": None, "prompt_id": prompt.id})

    def _check(self, life: int) -> None:
        if life != self._life:
            raise Lost
        if self._interrupt.is_set():
            self._interrupt.clear()
            raise Interrupted
