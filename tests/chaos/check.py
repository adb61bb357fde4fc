"""The check's verdict: a table of the laws, how the orders ended, what was broken, how soon it went on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from resources.ledger.limits import FINAL_STATUS_PREFIX, PERMIT_PREFIX, SLOT_PREFIX
from tests.chaos.history import History
from tests.chaos.laws import LAWS, breaches
from tests.chaos.recovery import bar, recoveries, spread

_SHOWN = 5


@dataclass(frozen=True)
class Verdict:
    """What the check found; `is_clean` where no law is broken."""

    pair: str
    seed: int
    seconds: float
    broken: Mapping[str, Sequence[str]]
    ended: Mapping[str, int]
    disturbed: Mapping[str, int]
    recovered: Mapping[str, Sequence[float]]
    counts: Mapping[str, int]

    @property
    def is_clean(self) -> bool:
        return not any(self.broken.values())

    def as_json(self) -> dict[str, Any]:
        """All of it, with the recovery times as they are reported."""
        spreads = {kind: asdict(spread(given)) for kind, given in self.recovered.items()}
        return {**asdict(self), "recovered": spreads, "clean": self.is_clean}


def judge(
    pair: str, seed: int, seconds: float, history: History, vendor_faults: Mapping[str, int]
) -> Verdict:
    """Every law is asked once."""
    disturbed = Counter(each.kind for each in history.disturbances)
    return Verdict(
        pair=pair,
        seed=seed,
        seconds=seconds,
        broken=breaches(history),
        ended=_ended(history),
        disturbed={**disturbed, **vendor_faults},
        recovered=recoveries(history),
        counts={
            "orders": len(history.requests),
            "placed again": sum(each.outcome == "known" for each in history.placed),
            "refused as another": sum(each.outcome == "refused" for each in history.placed),
            "canceled": len(history.cancels),
            "spoiled": sum(each.is_taken for each in history.spoilings),
            "deleted": sum(each.outcome == "deleted" for each in history.deletions),
            "spoilings and deletions refused": sum(
                each.outcome == "refused" for each in (*history.spoilings, *history.deletions)
            ),
            "paid orphans": len(history.orphans),
            "waits for a slot": _waits(history, SLOT_PREFIX),
            "waits for a permit": _waits(history, PERMIT_PREFIX),
            "waits for a final status without a run": _waits(history, FINAL_STATUS_PREFIX),
            "attempts": len(history.attempts),
            "events": len(history.events),
            "submissions": len(history.jobs),
            "charges": len(history.charges),
            "Dagster runs": len(history.runs),
            "files": len(history.files),
        },
    )


def _waits(history: History, kind: str) -> int:
    """How often a request was given back to wait in a line of this kind."""
    told = (event["data"].get("waits_for") for event in history.events)
    return sum(line is not None and line.startswith(kind) for line in told)


def show(console: Console, verdict: Verdict) -> None:
    """Print the verdict."""
    console.print(
        f"\n[bold]{verdict.pair}[/bold], seed {verdict.seed}, {verdict.seconds:.0f} s",
        highlight=False,
    )
    console.print(Group(*_tables(verdict)))


def _tables(verdict: Verdict) -> list[RenderableType]:
    laws = Table("law", "what has to hold", "breaches", box=None, pad_edge=False)
    for law in LAWS:
        found = verdict.broken[law.name]
        laws.add_row(law.name, law.says, str(len(found)) if found else "none", style=_colour(found))
    details = [
        Text(f"  {law}: {breach}", style="red")
        for law, found in verdict.broken.items()
        for breach in found[:_SHOWN]
    ]
    return [
        laws,
        *details,
        Text(""),
        _numbers("how it went", verdict.counts),
        Text(""),
        _numbers("how orders ended", verdict.ended),
        Text(""),
        _numbers("what was broken", verdict.disturbed),
        Text(""),
        _recovery(verdict.recovered),
    ]


def _numbers(title: str, numbers: Mapping[str, int]) -> Table:
    table = Table(title, "", box=None, pad_edge=False)
    for name, number in numbers.items():
        table.add_row(name, str(number))
    return table


def _recovery(recovered: Mapping[str, Sequence[float]]) -> Table:
    table = Table(
        "until it went on, after", "times", "p50", "p95", "max", "p95", box=None, pad_edge=False
    )
    spreads = {kind: spread(given) for kind, given in sorted(recovered.items()) if given}
    longest = max((each.most for each in spreads.values()), default=0.0)
    for kind, each in spreads.items():
        figures = (f"{value:.1f} s" for value in (each.p50, each.p95, each.most))
        table.add_row(kind, str(each.count), *figures, bar(each.p95, longest))
    return table


def _ended(history: History) -> Mapping[str, int]:
    ended = Counter(
        f"{row['status']}: {row['error_code']}" if row["error_code"] else str(row["status"])
        for row in history.requests
    )
    return dict(sorted(ended.items()))


def _colour(found: Sequence[str]) -> str:
    return "red" if found else "green"
