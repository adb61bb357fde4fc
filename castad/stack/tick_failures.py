"""Sensors and schedules whose last ticks failed, as Dagster's storage has them."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dagster import DagsterInstance

_CLASS_NAME = re.compile(r"^[\w.]+: ")
_LONGEST = 300


@dataclass(frozen=True)
class TickFailure:
    """A sensor or schedule whose newest ended tick failed, and how many before it without one that did not."""

    name: str
    count: int
    age: float
    error: str

    @property
    def sentence(self) -> str:
        """What happened, for people."""
        ticks = "its last tick" if self.count == 1 else f"its last {self.count} ticks"
        return f"{ticks} failed, the newest {self.age:.0f} s ago: {self.error}"


def read_tick_failures(instance: "DagsterInstance") -> list[TickFailure]:
    """Return every sensor and schedule whose newest ended tick failed, by name."""
    newest: dict[str, Any] = {}
    for tick in _newest_ticks(instance):
        known = newest.get(tick.instigator_name)
        # Each code location that has had the sensor has ticks of its own.
        if known is None or tick.timestamp > known.timestamp:
            newest[tick.instigator_name] = tick
    return [_failure_of(newest[name]) for name in sorted(newest) if _has_failed(newest[name])]


def _has_failed(tick: Any) -> bool:
    from resources.dagster.internals import TickStatus

    return tick.status is TickStatus.FAILURE


def _newest_ticks(instance: "DagsterInstance") -> Iterator[Any]:
    from resources.dagster.internals import TickStatus

    ended = [TickStatus.SUCCESS, TickStatus.SKIPPED, TickStatus.FAILURE]
    for state in instance.all_instigator_state():
        yield from instance.get_ticks(
            state.instigator_origin_id, state.selector_id, limit=1, statuses=ended
        )


def _failure_of(tick: Any) -> TickFailure:
    ended = tick.end_timestamp or tick.timestamp
    return TickFailure(
        name=tick.instigator_name,
        count=max(tick.tick_data.consecutive_failure_count, 1),
        age=max(time.time() - ended, 0.0),
        error=_sentence_of(tick),
    )


def _sentence_of(tick: Any) -> str:
    """Return the first line of what the sensor raised, without the name of a class."""
    error = tick.error and (tick.error.cause or tick.error)
    lines = error.message.strip().splitlines() if error else []
    if not lines:
        return "the log of the daemon says why"
    return _CLASS_NAME.sub("", lines[0], count=1)[:_LONGEST]
