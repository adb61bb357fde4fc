"""`make bench`: the same empty work for castad and for others; prints medians, goals and ratios.

Exit code 0: every floor was reached; 1: one was missed, or a system failed.
"""

import json
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from bench.engine.chart import draw
from bench.engine.counts import COUNTS, Counts
from bench.engine.machine import describe
from bench.engine.outcome import Judged, Outcome, Result
from bench.engine.programme import Programme, Tell
from bench.engine.report import (
    build_figures_table,
    build_goals_table,
    build_ratios_table,
    format_page,
)
from bench.engine.servers import run_postgres
from bench.engine.statistics import Verdict
from resources.process.settings import PROJECT_ROOT

_DOCS = PROJECT_ROOT / "docs"
_TRIALS = PROJECT_ROOT / ".castad" / "bench"
_WIDTH = 170


def bench(
    only: Annotated[str, typer.Option(help=f"Some of {','.join(COUNTS)}")] = "",
    quick: Annotated[bool, typer.Option("--quick", help="Small counts, to see it work")] = False,
) -> None:
    """Measure all systems and write docs/performance.md; a selection or a quick run writes to .castad/bench."""
    chosen = _choose_counts([name for name in only.split(",") if name], quick)
    complete = not only and not quick
    console = Console(highlight=False, width=None if Console().is_terminal else _WIDTH)
    # A terminal that closes and a `kill` end it as Ctrl-C does, with everything put away.
    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.default_int_handler)
    result = _measure(chosen, console)
    target = _DOCS if complete else _TRIALS
    _write(result, target)
    # Small counts tell that everything works, and nothing about how well.
    judged = [] if quick else result.judge()
    _show(result, judged, console)
    console.print(str(target / "performance.md"))
    failed = any(one.troubles for one in result.outcomes)
    missed = any(one.verdict is Verdict.MISSED for one in judged)
    raise typer.Exit(1 if failed or missed else 0)


def _choose_counts(only: Sequence[str], quick: bool) -> dict[str, Counts]:
    unknown = sorted(set(only) - set(COUNTS))
    if unknown:
        raise typer.BadParameter(f"{', '.join(unknown)}: expected of {', '.join(COUNTS)}")
    wanted = {name: counts for name, counts in COUNTS.items() if not only or name in only}
    return {name: counts.shrink() if quick else counts for name, counts in wanted.items()}


def _measure(chosen: dict[str, Counts], console: Console) -> Result:
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="castad-bench-"))
    outcomes: list[Outcome] = []
    try:
        with run_postgres() as postgres, console.status("starting") as status:
            tell = _make_tell(console, status.update, began)
            for name, counts in chosen.items():
                outcomes.append(Programme(name, counts, folder / name, postgres, tell).run())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Result(
        measured=f"{datetime.now(UTC):%Y-%m-%d}",
        minutes=(time.monotonic() - began) / 60,
        machine=describe(),
        outcomes=outcomes,
    )


def _make_tell(console: Console, update: Callable[[str], None], began: float) -> Tell:
    """Return a function that shows the current step on the moving line and prints it on one that stays."""

    def tell(what: str) -> None:
        minutes, seconds = divmod(int(time.monotonic() - began), 60)
        console.print(f"[dim]{minutes:02}:{seconds:02}[/]  {escape(what)}")
        update(escape(what))

    return tell


def _write(result: Result, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "performance.json").write_text(json.dumps(result.as_json(), indent=1) + "\n")
    (folder / "performance.md").write_text(format_page(result))
    draw(result, folder / "performance.png")


def _show(result: Result, judged: Sequence[Judged], console: Console) -> None:
    tables = [
        build_figures_table(result),
        build_ratios_table(result),
        build_goals_table(judged) if judged else None,
    ]
    for table in tables:
        if table is not None:
            console.print(table)
    for outcome in result.outcomes:
        for trouble in outcome.troubles:
            console.print(f"[red]{outcome.title}:[/] {escape(trouble)}")


if __name__ == "__main__":
    typer.run(bench)
