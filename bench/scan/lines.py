"""What a client learns of one scan from the lines of its stream. Pure.

Two kinds of stream: the steps of a scan that is answered directly, and the events of an order in the ledger.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

STEPS = ("vision", "rule", "answer", "reward")
_DATA = b"data:"
_EVENT = b"event:"


@dataclass
class Step:
    """When a step began and when it was done, in seconds since 1970."""

    began: float | None = None
    done: float | None = None

    @property
    def seconds(self) -> float | None:
        """The duration in seconds; None if the begin or the end is missing."""
        if self.began is None or self.done is None:
            return None
        return self.done - self.began


@dataclass
class Scan:
    """One scan as its client saw it; `failure` says why there is no answer, "" while none is known."""

    asked: float
    first: float | None = None
    ended: float | None = None
    steps: dict[str, Step] = field(default_factory=lambda: {name: Step() for name in STEPS})
    has_reward: bool = False
    failure: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether the stream ended by itself, with the answer and after every step."""
        seen = all(step.seconds is not None for step in self.steps.values())
        return self.ended is not None and not self.failure and seen

    @property
    def reward(self) -> float | None:
        """The seconds of the reward step."""
        return self.steps["reward"].seconds

    @property
    def total(self) -> float | None:
        """The seconds from the request until the last step was done."""
        done = self.steps["reward"].done
        return None if done is None else done - self.asked


class Reading(Protocol):
    """Reads the lines of one stream into its scan."""

    scan: Scan

    def read(self, line: bytes, at: float) -> bool:
        """Store the line, which came at this moment; return whether the stream has ended with it."""
        ...


class StepLines:
    """The stream that answers a scan: `started`, two lines a step, and the result in the last."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan

    def read(self, line: bytes, at: float) -> bool:
        """Skip a line without data: it is a comment or the frame of a chunk."""
        said = parse_data(line)
        if said is None:
            return False
        if self.scan.first is None:
            self.scan.first = at
        status = said.get("status")
        if status == "failed" or said.get("error"):
            self.scan.failure = str(said.get("error") or f"{said.get('step')} failed")
            return True
        step = self.scan.steps.get(str(said.get("step")))
        if step is not None and status == "started":
            step.began = at
        elif step is not None and status == "completed":
            step.done = at
        return self._has_ended(said, at)

    def _has_ended(self, said: Mapping[str, Any], at: float) -> bool:
        if "result" not in said:
            return False
        self.scan.ended = at
        self.scan.has_reward = has_reward(said["result"])
        return True


class LedgerLines:
    """The stream of an order: its events, whose own moments count, and `end`."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        self._kind = b""

    def read(self, line: bytes, at: float) -> bool:
        """Skip a line without data; an `event:` line names the kind of the next data line.

        An event of the ledger has no `event:` line.
        """
        if line.startswith(_EVENT):
            self._kind = line[len(_EVENT) :].strip()
            return False
        said = parse_data(line)
        if said is None:
            return False
        kind, self._kind = self._kind, b""
        if self.scan.first is None:
            self.scan.first = at
        if kind == b"end":
            self._end(said, at)
            return True
        if not kind:
            self._note(said)
        return False

    def _note(self, event: Mapping[str, Any]) -> None:
        step = self.scan.steps.get(str(event.get("stage")))
        if step is None:
            return
        if event.get("type") == "stage_started":
            step.began = _parse_moment(event)
        elif event.get("type") == "stage_completed":
            step.done = _parse_moment(event)

    def _end(self, said: Mapping[str, Any], at: float) -> None:
        self.scan.ended = at
        self.scan.has_reward = has_reward(said.get("result"))
        if said.get("status") != "completed":
            self.scan.failure = f"{said.get('status')}: {said.get('error')}"


def parse_data(line: bytes) -> dict[str, Any] | None:
    """Parse the object of a `data:` line; return None for any other line."""
    if not line.startswith(_DATA):
        return None
    try:
        said = json.loads(line[len(_DATA) :])
    except ValueError:
        return None
    return said if isinstance(said, dict) else None


def has_reward(result: Any) -> bool:
    """Return whether the result has a character, directly or in one of its parts."""
    if not isinstance(result, Mapping):
        return False
    if "reward" in result:
        won = result["reward"]
        return has_reward(won) if isinstance(won, Mapping) and "reward" in won else bool(won)
    return any(has_reward(part) for part in result.values())


def _parse_moment(event: Mapping[str, Any]) -> float:
    return datetime.fromisoformat(str(event["at"])).timestamp()
