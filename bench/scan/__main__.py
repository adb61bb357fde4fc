"""`make bench-scan`: scans by the source design, by castad's direct answer, and as an order of castad.

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

from bench.engine.machine import describe
from bench.engine.outcome import Outcome
from bench.engine.statistics import Verdict
from bench.scan.castad_side import CastadSide
from bench.scan.fake import FakeModel
from bench.scan.figures import judge
from bench.scan.measures import Measurement
from bench.scan.report import Report, Size, build_tables, draw_bars, format_page
from bench.scan.side import RUN, SOURCE, TITLES, Side
from bench.scan.source import SourceDesign, name_broker
from resources.process.settings import PROJECT_ROOT

_PAGE = PROJECT_ROOT / "docs" / "scan-figures.md"
_WIDTH = 150


def bench_scan(
    scans: Annotated[int, typer.Option(min=1, help="Scans one after the other, a pass")] = 40,
    streams: Annotated[int, typer.Option(min=1, help="Streams at once")] = 500,
    slots: Annotated[int, typer.Option(min=1, help="Threads of the source's workers")] = 8,
    only: Annotated[str, typer.Option(help=f"Some of {','.join(TITLES)}")] = "",
    keep: Annotated[bool, typer.Option("--keep", help="Write docs/scan-figures.md")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only")] = False,
) -> None:
    """Measure all three systems on this machine, one after the other."""
    names = _choose_names(only)
    # Progress is not the result.
    console = _make_console(stderr=True)
    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.default_int_handler)
    report = _measure(names, Size(scans, streams, slots), console)
    if as_json:
        typer.echo(json.dumps(report.as_json(), ensure_ascii=False, indent=1))
    else:
        _show(report)
    if keep:
        console.print(_keep(report))
    raise typer.Exit(_print_failures(report.outcomes, console))


def _choose_names(only: str) -> list[str]:
    wanted = [name for name in only.split(",") if name]
    unknown = sorted(set(wanted) - set(TITLES))
    if unknown:
        raise typer.BadParameter(f"{', '.join(unknown)}: expected of {', '.join(TITLES)}")
    return [name for name in TITLES if not wanted or name in wanted]


def _measure(names: Sequence[str], size: Size, console: Console) -> Report:
    began, outcomes = time.monotonic(), list[Outcome]()
    machine, broker = describe(), name_broker()
    folder = Path(tempfile.mkdtemp(prefix="castad-bench-"))
    try:
        with console.status("starting") as status:
            tell = _make_tell(console, status.update, began)
            for name in names:
                outcomes.append(_measure_side(name, folder / name, size, tell))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Report(
        measured=f"{datetime.now(UTC):%Y-%m-%d}",
        minutes=(time.monotonic() - began) / 60,
        machine=machine,
        broker=broker,
        size=size,
        outcomes=outcomes,
    )


def _measure_side(name: str, folder: Path, size: Size, tell: Callable[[str], None]) -> Outcome:
    """Measure the system with its own model, so that it does not wait for another one's calls."""
    folder.mkdir()
    model = FakeModel(folder)
    try:
        model.start()
        side = _build_side(name, folder, model.url, size.slots)
        return Measurement(name, side, model, tell).run(size.scans, size.streams)
    finally:
        model.stop()


def _build_side(name: str, folder: Path, model_url: str, slots: int) -> Side:
    if name == SOURCE:
        return SourceDesign(folder, model_url, slots)
    return CastadSide(folder, model_url, makes_orders=name == RUN)


def _make_tell(
    console: Console, update: Callable[[str], None], began: float
) -> Callable[[str], None]:
    def tell(what: str) -> None:
        minutes, seconds = divmod(int(time.monotonic() - began), 60)
        console.print(f"[dim]{minutes:02}:{seconds:02}[/]  {escape(what)}")
        update(escape(what))

    return tell


def _keep(report: Report) -> str:
    """Write the page and return its path; keep the last page if a system is missing or failed."""
    measured = [one.name for one in report.outcomes if not one.troubles]
    if measured != list(TITLES):
        return f"{_PAGE} was not written: it needs all of {', '.join(TITLES)}, got {measured}"
    _PAGE.write_text(format_page(report))
    return str(_PAGE)


def _make_console(*, stderr: bool) -> Console:
    """Return a console with colours on a terminal only; a file gets long lines."""
    width = None if Console(stderr=stderr).is_terminal else _WIDTH
    return Console(stderr=stderr, highlight=False, width=width)


def _show(report: Report) -> None:
    console = _make_console(stderr=False)
    for part in (*build_tables(report), *draw_bars(report.outcomes)):
        console.print(part)


def _print_failures(outcomes: Sequence[Outcome], console: Console) -> int:
    """Print each failure and each missed floor; return 1 if there are any."""
    missed = [one for one in judge(outcomes) if one.verdict is Verdict.MISSED]
    for one in missed:
        console.print(f"[red]missed the floor:[/] {one.row.title}: {one.outcome.title}")
    troubles = [(one.title, trouble) for one in outcomes for trouble in one.troubles]
    for title, trouble in troubles:
        console.print(f"[red]{title}:[/] {escape(trouble)}")
    return int(bool(missed or troubles))


if __name__ == "__main__":
    typer.run(bench_scan)
