"""What a run of the benchmark has to show, as it is kept in JSON. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.engine.figures import ROWS, Figure, Row
from bench.engine.statistics import Goal, Verdict, compute_times_better


@dataclass
class Outcome:
    """One system: its figures, every sample behind them, and how busy the machine was at begin and end."""

    name: str
    title: str
    figures: dict[str, Figure] = field(default_factory=dict)
    samples: dict[str, Sequence[float]] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)
    seconds: float = 0.0
    load: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Judged:
    """A cell of the table that has a goal."""

    row: Row
    outcome: Outcome
    goal: Goal
    verdict: Verdict

    @property
    def figure(self) -> Figure | None:
        """What was measured, if anything."""
        return self.outcome.figures.get(self.row.key)


@dataclass(frozen=True)
class Result:
    """A whole run."""

    measured: str
    minutes: float
    machine: Mapping[str, str]
    outcomes: Sequence[Outcome]

    def judge(self) -> list[Judged]:
        """Judge every goal of the systems that ran; a figure that was not measured has missed."""
        return [
            Judged(row, outcome, goal, goal.judge(_get_value(outcome, row.key)))
            for row in ROWS
            for outcome in self.outcomes
            if (goal := row.goals.get(outcome.name)) is not None
        ]

    def as_json(self) -> dict[str, Any]:
        """Return all results as JSON values."""
        goals = [
            {
                "row": one.row.key,
                "system": one.outcome.name,
                "value": one.figure.value if one.figure else None,
                "floor": one.goal.floor,
                "aim": one.goal.aim,
                "verdict": one.verdict.value,
            }
            for one in self.judge()
        ]
        return {**asdict(self), "goals": goals}


@dataclass(frozen=True)
class Comparison:
    """How many times better ours is; at least so many where the other never got there."""

    times: float
    at_least: bool


def compare(row: Row, ours: Outcome, other: Outcome) -> Comparison | None:
    """Compare our figure with the other's in this row; return None if either is missing."""
    mine, theirs = _get_value(ours, row.key), other.figures.get(row.key)
    if not mine or theirs is None:
        return None
    bound = theirs.beyond if theirs.value is None else theirs.value
    if not bound:
        return None
    return Comparison(compute_times_better(mine, bound, more=row.more), theirs.value is None)


def _get_value(outcome: Outcome, key: str) -> float | None:
    figure = outcome.figures.get(key)
    return figure.value if figure else None
