"""Commands that sum up and clean up: stats, report, retention."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from castad.cli.context import AsJson, open_ledger
from castad.stack.local_daemon import open_instance, read_daemon_health
from castad.stack.output import print_json, print_line, print_result, print_status
from castad.views.scope import make_workload_scope
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError, StateUnavailableError
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.hours import HourlyReport, find_report, read_statistics
from resources.ledger.queries.status import read_clock
from resources.ledger.retention_rules import Part
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from resources.views.report import (
    ReportBody,
    Words,
    build_report,
    describe_time,
    describe_unusual,
    format_csv,
    format_title,
    list_heads,
    load_words,
    render_report,
)
from resources.views.statistics import DispatcherStats, build_stats_body
from sensors.hour_report import make_report, parse_hour, read_report

if TYPE_CHECKING:
    from sensors.retention_job import Cycle
from collections.abc import Sequence

from rich.progress_bar import ProgressBar

from castad.cli.order_view import describe_wait, format_seconds
from resources.process.configure_logging import format_utc
from resources.views.statistics import StageStats, StatsBody, StuckOrders

_MAX_NAMED = 100
_LOCK_SECONDS = 30.0
app = typer.Typer(add_completion=False)


@app.command(epilog="castad stats --stuck-after 300 --json")
def stats(
    stuck_after: Annotated[
        int,
        typer.Option(
            min=0, max=31_536_000, help="An order without progress for so many seconds is stuck"
        ),
    ] = 900,
    as_json: AsJson = False,
) -> None:
    """Show statistics: orders by status, failed and stuck ones, durations of stages, money spent."""
    scope = make_workload_scope(get_catalog(), settings().lease_seconds)
    found = read_statistics(open_ledger(), scope, stuck_after)
    with open_instance(settings()) as instance:
        dispatcher = DispatcherStats.from_trouble(read_daemon_health(instance).dispatch_trouble)
    body = build_stats_body(found, [*get_catalog().stage_names.values()], dispatcher)
    if as_json:
        print_json(body.model_dump(mode="json"))
    else:
        print_result(build_statistics_view(body))


@app.command(
    # -1 is an hour, not an option.
    context_settings={"ignore_unknown_options": True},
    epilog="castad report -1 --html report.html\n\ncastad report 2026-11-23T14 --csv",
)
def report(
    hour: Annotated[
        str,
        typer.Argument(
            metavar="HOUR",
            help="An hour in UTC such as 2026-11-23T14; -1 is the last, now the running one",
        ),
    ] = "-1",
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report as an HTML page too")
    ] = None,
    korean: Annotated[bool, typer.Option("--korean", help="Headings in Korean")] = False,
    as_json: AsJson = False,
) -> None:
    """Report on an hour: by stage what ended, failed and cost, how long it took, and what is unusual."""
    if as_csv and as_json:
        raise InvalidInputError("--csv", "expected either --csv or --json")
    db, words = open_ledger(), load_words("ko" if korean else "en")
    found = build_report(_find_or_make_report(db, parse_hour(hour, read_clock(db))))
    if html is not None:
        try:
            html.write_text(render_report(found, "ko" if korean else "en"), "utf-8")
        except OSError as error:
            expected = f"expected a file that can be written: {error.strerror}"
            raise InvalidInputError("--html", expected) from None
        print_status(f"written to {html}")
    if as_csv:
        print_line(format_csv(found).removesuffix("\n"))
    elif as_json:
        print_json(found.model_dump(mode="json"))
    else:
        print_result(build_report_table(found, words))


def build_report_table(report: ReportBody, words: Words) -> RenderableType:
    """Build the table of the figures by stage, and below it the failures by code and what is unusual."""
    stage_head, *heads, codes_head = list_heads(words)
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(stage_head, no_wrap=True)
    for head in heads:
        table.add_column(head, justify="right", overflow="fold")
    failures = []
    for name, *figures, codes in (stage.format_row() for stage in report.stages):
        table.add_row(*map(Text, (name, *figures)), style="red" if codes else "")
        failures += [Text(f"{name}: {codes}")] if codes else []
    unusual = [Text(line, "yellow") for line in describe_unusual(report, words)]
    title = Text(format_title(report, words), style="bold")
    note = [] if report.finished else [Text(describe_time(report, words), "yellow")]
    below = [Text(), Text(codes_head, style="bold"), *failures] if failures else []
    return Group(title, *note, Text(), table, *below, *([Text(), *unusual] if unusual else []))


def _find_or_make_report(db: Database, hour: datetime) -> HourlyReport:
    """Return the report; make it first if it is missing and all orders that ended in the hour are still here."""
    known = [*get_catalog().stage_names]
    found = read_report(db, hour, known)
    if found is None:
        # Here and not above, because it loads Dagster.
        from sensors.retention_job import build_keep_times

        times = build_keep_times(settings())
        days = min(times.shortest(end, Part.REQUEST) for end in (Status.COMPLETED, Status.DEAD))
        if hour < read_clock(db) - timedelta(days=days):
            expected = f"expected one that has a report, or one of the last {days:g} days"
            raise InvalidInputError("hour", f"{expected}: older orders are removed")
        make_report(db, hour, known)
        found = find_report(db, hour)
    if found is None:
        raise InvalidInputError("hour", "expected one in which there were stages to report on")
    return found


@app.command(epilog="castad retention --dry-run\n\ncastad retention --shrink --json")
def retention(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what would be removed")
    ] = False,
    gently: Annotated[
        bool, typer.Option("--gently", help="Rest between batches, as the hourly schedule does")
    ] = False,
    shrink: Annotated[
        bool,
        typer.Option(
            "--shrink",
            help="Afterwards give the room of removed rows back to the disk: locks every table for minutes",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove what has ended long ago, as the hourly schedule does, until nothing is left (CASTAD_KEEP_…)."""
    if shrink and dry_run:
        raise InvalidInputError("--shrink", "expected no --dry-run beside it: it removes nothing")
    run_retention(dry_run=dry_run, gently=gently, shrink=shrink, as_json=as_json)


def run_retention(
    *, dry_run: bool, gently: bool = False, shrink: bool = False, as_json: bool
) -> None:
    """Remove what is old, or only count it, and print the counts."""
    from sensors.retention_job import retain, summarize_cycle

    with open_instance(settings()) as instance:
        cycle = retain(instance, is_dry=dry_run, is_gentle=gently)
    sizes = _shrink() if shrink else {}
    counts = summarize_cycle(cycle)
    if as_json:
        print_json({"dry_run": dry_run, **counts, **sizes, "in_doubt": cycle.in_doubt[:_MAX_NAMED]})
        return
    _print_counts(cycle, counts)
    if sizes:
        before, after = (size / 1_000_000 for size in sizes.values())
        print_line(f"database: {before:,.1f} MB before, {after:,.1f} MB now")


def _print_counts(cycle: "Cycle", counts: Mapping[str, int]) -> None:
    are = "would be" if cycle.is_dry else "are"
    print_line(f"dead letters {are} tried once more: {counts['redriven']:,}")
    done = "would be removed" if cycle.is_dry else "removed"
    for name, count in counts.items():
        if name not in ("unfinished", "redriven", "kept_in_doubt"):
            print_line(f"{name.replace('_', ' ')} {done}: {count:,}")
    if cycle.in_doubt:
        named = ", ".join(cycle.in_doubt[:_MAX_NAMED])
        print_line(
            f"requests kept, whose submission has no final status: {len(cycle.in_doubt):,} ({named}); "
            "`castad history ID` shows it, `castad resolve ID` settles it, "
            "or `castad retry ID` where the vendor's job is known"
        )


def _shrink() -> dict[str, int]:
    """Compact the database; return its bytes before and after. Raises StateUnavailableError."""
    from castad.dagster_storage.home import make_dagster_home

    config = settings()
    files = make_dagster_home(config).glob("**/*.db")
    try:
        before, after = shrink_database(open_database(config.ledger_url), files)
    except (sqlite3.Error, SQLAlchemyError) as error:
        name = type(error).__name__
        message = f"database: expected no other process to use it for a while ({name}); run again"
        raise StateUnavailableError(message) from error
    return {"bytes_before": before, "bytes_after": after}


def shrink_database(db: Database, files: Iterable[Path]) -> tuple[int, int]:
    """Compact the database; return its size in bytes before and after.

    On SQLite the other `files` are compacted and counted too. Raises sqlite3.OperationalError if another
    process holds a lock for 30 s, and SQLAlchemyError.
    """
    if not db.is_sqlite:
        # The pool's connections have statement timeouts, and VACUUM runs in no transaction.
        engine = create_engine(db.url, isolation_level="AUTOCOMMIT")
        size = text("SELECT pg_database_size(current_database())")
        try:
            with engine.connect() as connection:
                before = int(connection.execute(size).scalar_one())
                connection.execute(text("VACUUM (FULL, ANALYZE)"))
                return before, int(connection.execute(size).scalar_one())
        finally:
            engine.dispose()
    found = [Path(str(db.url.database)), *files]
    before = sum(_measure_size(file) for file in found)
    for file in found:
        # VACUUM runs outside of a transaction, also of the driver's.
        with closing(sqlite3.connect(file, _LOCK_SECONDS, isolation_level=None)) as sqlite:
            sqlite.execute("VACUUM")
            sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return before, sum(_measure_size(file) for file in found)


def _measure_size(file: Path) -> int:
    parts = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


_BAR_WIDTH = 28
_STYLES: Mapping[str, str] = {
    Status.COMPLETED: "green",
    Status.DEAD: "red",
    Status.FAILED: "yellow",
}


def build_statistics_view(body: StatsBody) -> RenderableType:
    """Build the statistics for people."""
    parts: list[RenderableType] = [
        _make_heading("requests"),
        _build_counts_table(body.requests, "cyan"),
    ]
    parts += [_make_heading("stages"), _build_stage_table(body.stages)]
    parts += [_make_heading("seconds per stage, completed in the last hour")]
    parts += [_build_seconds_table(body.stages)]
    for title, counts in (
        ("failures in the last hour, by code", body.failures_last_hour),
        ("dead letters, by code", body.dead_letters),
    ):
        if counts:
            by_size = dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
            parts += [_make_heading(title), _build_counts_table(by_size, "red")]
    parts += [_make_heading("now"), _build_facts_table(body)]
    stuck_after = format_seconds(body.stuck.after_seconds)
    parts += [
        _make_heading(f"stuck for {stuck_after} or longer"),
        _build_stuck_view(body.stuck),
    ]
    return Group(*parts)


def _make_heading(title: str) -> Text:
    return Text(title, style="bold")


def _build_bar(value: float, most: float, style: str) -> ProgressBar:
    return ProgressBar(
        total=most or 1,
        completed=value,
        width=_BAR_WIDTH,
        complete_style=style,
        finished_style=style,
    )


def _make_grid() -> Table:
    return Table.grid(padding=(0, 2))


def _make_number(text: str) -> Text:
    return Text(text, justify="right")


def _build_stage_table(stages: Sequence[StageStats]) -> Table:
    table = _make_grid()
    titles = ("pending", "due", "processing", "retry later", "dead", "done in 1 h", "failed in 1 h")
    table.add_row("", *(Text(title, style="dim", justify="right") for title in titles))
    for each in stages:
        hour, rate = each.last_hour, each.last_hour.failure_rate
        now = (each.pending, each.due, each.processing, each.failed, each.dead)
        table.add_row(
            _make_name(each.stage),
            *(_make_number(str(number)) for number in (*now, hour.completed, hour.failed)),
            _make_number("" if rate is None else f"{rate:.0%} failed"),
            _build_bar(rate or 0.0, 1.0, "red"),
        )
    return table


def _build_seconds_table(stages: Sequence[StageStats]) -> Table:
    table = _make_grid()
    most = max((each.last_hour.mean_seconds or 0.0 for each in stages), default=0.0)
    for each in stages:
        hour = each.last_hour
        if hour.mean_seconds is None:
            table.add_row(_make_name(each.stage), Text("none", style="dim"))
            continue
        half, most_of_all = format_seconds(hour.p50_seconds), format_seconds(hour.p95_seconds)
        table.add_row(
            _make_name(each.stage),
            _make_number(f"mean {format_seconds(hour.mean_seconds)}"),
            _build_bar(hour.mean_seconds, most, "cyan"),
            Text(f"half within {half}, 95 % within {most_of_all}", style="dim"),
        )
    return table


def _make_name(stage: str | None) -> Text:
    return Text(f"  {stage or '(no stage)'}")


def _build_counts_table(counts: Mapping[str, int], style: str) -> Table:
    table, most = _make_grid(), max(counts.values())
    for name, count in counts.items():
        bar = _build_bar(count, most, _STYLES.get(name, style))
        table.add_row(Text(f"  {name}"), _make_number(str(count)), bar)
    return table


def _build_facts_table(body: StatsBody) -> Table:
    table, money = _make_grid(), body.money
    facts = {
        "in progress": str(body.in_progress),
        "longest due": format_seconds(body.oldest_due_seconds) or "nothing is due",
        "longest running": format_seconds(body.oldest_running_seconds) or "nothing runs",
        "spent today (UTC)": f"{money.today_usd:.4f} USD",
        "spent in all": f"{money.in_all_usd:.4f} USD",
    }
    if body.workers is not None:
        workers = body.workers
        facts["workers alive"] = f"{workers.alive}, slots {workers.slots}, free {workers.free}"
    if body.orphans is not None and body.orphans.count:
        orphans = f"{body.orphans.count}, {body.orphans.usd:.4f} USD"
        facts["orphans (charged without a result)"] = f"{orphans}; castad doctor lists them"
    for waits_for, count in sorted(body.waiting.items()):
        facts[f"waiting for {describe_wait(waits_for)}"] = str(count)
    for pause in body.paused or ():
        facts[f"{pause.provider} is paused"] = f"until {format_utc(pause.until)}; {pause.why}"
    for fact, value in facts.items():
        table.add_row(Text(f"  {fact}"), Text(value, overflow="fold"))
    if body.dispatcher is not None:
        why = body.dispatcher.why
        works = Text("works") if why is None else Text(why, style="red", overflow="fold")
        table.add_row(Text("  dispatcher"), works)
    return table


def _build_stuck_view(stuck: StuckOrders) -> RenderableType:
    if not stuck.count:
        return Text("  nothing", style="dim")
    table = _make_grid()
    for order in stuck.requests:
        code = f" [{order.code}]" if order.code else ""
        table.add_row(
            Text(f"  {order.task_id}", style="bold"),
            str(order.status),
            Text(order.stage or ""),
            _make_number(format_seconds(order.seconds)),
            Text(f"{order.why}{code}", overflow="fold"),
        )
    unlisted = stuck.count - len(stuck.requests)
    more = [Text(f"  and {unlisted} more", style="dim")] if unlisted else []
    return Group(table, *more)
