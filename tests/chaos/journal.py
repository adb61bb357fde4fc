"""The harness' own log: what was ordered, what was canceled, what was broken. Kept in a file as it happens."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any

from tests.chaos.history import Cancel, Deletion, Disturbance, Placed, Spoiling, now

_Entry = Placed | Cancel | Spoiling | Deletion | Disturbance


class Journal:
    """Safe to share between threads."""

    def __init__(self, file: Path) -> None:
        self.placed: list[Placed] = []
        self.cancels: list[Cancel] = []
        self.spoilings: list[Spoiling] = []
        self.deletions: list[Deletion] = []
        self.disturbances: list[Disturbance] = []
        self._file = file
        self._lock = Lock()

    def answered(self, task_id: str, payload: Mapping[str, Any], outcome: str) -> None:
        """An order was answered."""
        with self._lock:
            self.placed.append(Placed(now(), task_id, payload, outcome))
            self._write("placed", self.placed[-1])

    def canceled(self, task_id: str, outcome: str) -> None:
        """A wish to cancel was answered."""
        with self._lock:
            self.cancels.append(Cancel(now(), task_id, outcome))
            self._write("cancel", self.cancels[-1])

    def spoiled(self, spoiling: Spoiling) -> None:
        """An operator has tried to spoil an order."""
        with self._lock:
            self.spoilings.append(spoiling)
            self._write("spoiling", spoiling)

    def deleted(self, deletion: Deletion) -> None:
        """An operator has tried to delete an order."""
        with self._lock:
            self.deletions.append(deletion)
            self._write("deletion", deletion)

    def broke(self, kind: str, since: datetime, detail: str = "") -> Disturbance:
        """Something was broken since then, and is whole again."""
        with self._lock:
            self.disturbances.append(Disturbance(kind, since, now(), detail))
            self._write("disturbance", self.disturbances[-1])
            return self.disturbances[-1]

    def _write(self, what: str, entry: _Entry) -> None:
        with self._file.open("a") as file:
            file.write(json.dumps({"what": what, **asdict(entry)}, default=str) + "\n")
