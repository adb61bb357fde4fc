"""What is measured: the rows of the table, and what each has to reach (design, section 8). Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.engine.statistics import Goal


@dataclass(frozen=True)
class Figure:
    """One measured value, `of` how much; `note` says more.

    The value is None where it was not reached; `beyond` is how much it must be more than, where that is known.
    """

    value: float | None
    of: str = ""
    note: str = ""
    beyond: float | None = None


@dataclass(frozen=True)
class Found:
    """What a measure found: figures by the key of their row, and the samples behind them."""

    figures: Mapping[str, Figure]
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """A row of the table. `goals` by the name of the system; `unit` is that of the values."""

    key: str
    title: str
    unit: str
    goals: Mapping[str, Goal]
    more: bool = False


POSTGRES = "castad-postgres"
SQLITE = "castad-sqlite"


def _map_goals(postgres: Goal, sqlite: Goal) -> Mapping[str, Goal]:
    return {POSTGRES: postgres, SQLITE: sqlite}


_ONCE = Goal(1, 1)
_BACK = Goal(8, 4)
_FLAT = Goal(1.5, 1.2)
_FIRST_OP = Goal(0.15, 0.08)

ROWS = (
    Row("first_op", "row inserted → first op, p50", "s", _map_goals(_FIRST_OP, Goal(0.8, 0.4))),
    Row("first_op_p95", "row inserted → first op, p95", "s", {POSTGRES: Goal(0.5, 0.3)}),
    Row(
        "overhead",
        "overhead of three stages, p50",
        "s",
        _map_goals(Goal(0.25, 0.13), Goal(1.2, 0.8)),
    ),
    Row("handover", "stage → next stage, p50", "s", _map_goals(Goal(0.03, 0.012), Goal(0.1, 0.05))),
    Row(
        "burst",
        "requests a second in a burst",
        "/s",
        _map_goals(Goal(15, 60, more=True), Goal(3, 6, more=True)),
        more=True,
    ),
    Row("memory", "memory per waiting request", "MB", _map_goals(Goal(0.5, 0.3), Goal(1, 1))),
    Row("killed", "killed -9, restarted after 1 s → running again", "s", _map_goals(_BACK, _BACK)),
    Row("gone", "worker's machine gone → running elsewhere", "s", {POSTGRES: Goal(40, 40)}),
    Row("calls", "calls of a paid stage after these", "", _map_goals(_ONCE, _ONCE)),
    Row("old_first_op", "→ first op at 100,000 finished, p50", "s", {POSTGRES: _FIRST_OP}),
    Row("look_growth", "look-up at 100,000 finished : at 1,000", "×", _map_goals(_FLAT, _FLAT)),
    Row("cpu", "CPU per request of the burst", "s", {}),
)
