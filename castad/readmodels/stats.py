"""The statistics as a page for people. Pure: no input or output."""

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from castad.readmodels.views import seconds_text, wait_reason_text
from castad.stack.local_daemon import DaemonHealth
from pipeline_defs.catalog import Catalog
from resources.ledger.queries.health import Stuck
from resources.ledger.queries.statistics import StageHour, Statistics
from resources.ledger.queries.workload import Backlog, WorkloadScope
from resources.ledger.schema.tables import OPEN_STATUSES, Status
from resources.process.configure_logging import format_utc
from resources.views.order_body import usd

_BAR_WIDTH = 28
WITH_STAGE = (*OPEN_STATUSES, Status.DEAD)
"""The statuses that are counted by stage."""
EMPTY_HOUR = StageHour(0, 0, None)
_STYLES = {Status.COMPLETED: "green", Status.DEAD: "red", Status.FAILED: "yellow"}


def workload_scope(
    pipelines: Catalog, lease_seconds: float, owner: str | None = None
) -> WorkloadScope:
    """Make the scope of all requests of these pipelines, or of one owner's; the queues need no settings."""
    queues = tuple((pipeline.name, pipeline.queue) for pipeline in pipelines)
    return WorkloadScope(
        pipelines.first_stages, lease_seconds, owner, queues, pipelines.stage_names
    )


def count_by_status(stats: Statistics) -> dict[Status, int]:
    """The number of requests of each status."""
    counted = dict.fromkeys(Status, 0)
    for (status, _), count in stats.work.requests.items():
        counted[status] += count
    return counted


def stages_of(stats: Statistics, known: Iterable[str]) -> list[str | None]:
    """The known stages in order, then any other that an operator's SQL or an older release left."""
    seen = {stage for status, stage in stats.work.requests if status in WITH_STAGE}
    others = {*seen, *stats.work.due, *stats.hour.stages}.difference(known)
    return [*known, *sorted(others, key=str)]


def age_of(stuck: Stuck, stats: Statistics) -> float:
    """For how many seconds the request has been stuck."""
    return max(0.0, (stats.work.at - stuck.since).total_seconds())


def statistics_view(
    stats: Statistics, stages: Sequence[str], daemon_health: DaemonHealth | None = None
) -> RenderableType:
    """The statistics as a page for people: figures that they compare are drawn as bars too."""
    parts: list[RenderableType] = [_heading("requests"), _status_table(stats)]
    parts += [_heading("stages"), _stage_table(stats, stages_of(stats, stages))]
    parts += [_heading("seconds per stage, completed in the last hour")]
    parts += [_seconds_table(stats, stages_of(stats, stages))]
    for title, counts in (
        ("failures in the last hour, by code", stats.hour.failures),
        ("dead letters, by code", stats.work.dead_letters),
    ):
        if counts:
            parts += [_heading(title), _counts_table(counts)]
    parts += [_heading("now"), _facts_table(stats, daemon_health)]
    parts += [
        _heading(f"stuck for {seconds_text(stats.stuck_after)} or longer"),
        _stuck_view(stats),
    ]
    return Group(*parts)


def _heading(title: str) -> Text:
    return Text(title, style="bold")


def _bar(value: float, most: float, style: str) -> ProgressBar:
    return ProgressBar(
        total=most or 1,
        completed=value,
        width=_BAR_WIDTH,
        complete_style=style,
        finished_style=style,
    )


def _grid() -> Table:
    return Table.grid(padding=(0, 2))


def _number(text: str) -> Text:
    return Text(text, justify="right")


def _status_table(stats: Statistics) -> Table:
    table, counted = _grid(), count_by_status(stats)
    most = max(counted.values())
    for status, count in counted.items():
        bar = _bar(count, most, _STYLES.get(status, "cyan"))
        table.add_row(f"  {status}", _number(str(count)), bar)
    return table


def _stage_table(stats: Statistics, stages: Sequence[str | None]) -> Table:
    table = _grid()
    titles = ("pending", "due", "processing", "retry later", "dead", "done in 1 h", "failed in 1 h")
    table.add_row("", *(Text(title, style="dim", justify="right") for title in titles))
    for stage in stages:
        hour = stats.hour.stages.get(stage, EMPTY_HOUR)
        requests = [stats.work.requests.get((status, stage), 0) for status in WITH_STAGE]
        pending, _, *rest = requests
        due = stats.work.due.get(stage, Backlog(0, 0.0)).count
        numbers = [_number(str(n)) for n in (pending, due, *rest, hour.completed, hour.failed)]
        rate = hour.failure_rate
        percent = _number("" if rate is None else f"{rate:.0%} failed")
        table.add_row(_name(stage), *numbers, percent, _bar(rate or 0.0, 1.0, "red"))
    return table


def _seconds_table(stats: Statistics, stages: Sequence[str | None]) -> Table:
    table = _grid()
    spans = {stage: hour.seconds for stage, hour in stats.hour.stages.items() if hour.seconds}
    most = max((span.mean for span in spans.values()), default=0.0)
    for stage in stages:
        span = spans.get(stage)
        if span is None:
            table.add_row(_name(stage), Text("none", style="dim"))
            continue
        rest = f"half within {seconds_text(span.p50)}, 95 % within {seconds_text(span.p95)}"
        bar, mean = _bar(span.mean, most, "cyan"), _number(f"mean {seconds_text(span.mean)}")
        table.add_row(_name(stage), mean, bar, Text(rest, style="dim"))
    return table


def _name(stage: str | None) -> Text:
    return Text(f"  {stage or '(no stage)'}")


def _counts_table(counts: Mapping[str, int]) -> Table:
    table, most = _grid(), max(counts.values())
    for code, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        table.add_row(Text(f"  {code}"), _number(str(count)), _bar(count, most, "red"))
    return table


def _facts_table(stats: Statistics, daemon_health: DaemonHealth | None) -> Table:
    table, work = _grid(), stats.work
    facts = {
        "in progress": str(work.in_progress),
        "longest due": seconds_text(work.oldest_due) or "nothing is due",
        "longest running": seconds_text(work.oldest_running) or "nothing runs",
        "spent today (UTC)": f"{usd(sum(work.spent_today.values())):.4f} USD",
        "spent in all": f"{usd(stats.spent):.4f} USD",
    }
    if work.worker_pool is not None:
        worker_pool = work.worker_pool
        facts["workers alive"] = (
            f"{worker_pool.workers}, slots {worker_pool.slots}, free {worker_pool.free}"
        )
    if work.orphans is not None and work.orphans.count:
        orphans = f"{work.orphans.count}, {usd(work.orphans.cost):.4f} USD"
        facts["orphans (charged without a result)"] = f"{orphans}; castad doctor lists them"
    for waits_for, count in sorted(work.waiting.items()):
        facts[f"waiting for {wait_reason_text(waits_for)}"] = str(count)
    for pause in work.paused:
        facts[f"{pause.provider} is paused"] = f"until {format_utc(pause.until)}; {pause.why}"
    for fact, value in facts.items():
        table.add_row(Text(f"  {fact}"), Text(value, overflow="fold"))
    if daemon_health is not None:
        trouble = daemon_health.dispatch_trouble
        works = Text("works") if trouble is None else Text(trouble, style="red", overflow="fold")
        table.add_row(Text("  dispatcher"), works)
    return table


def _stuck_view(stats: Statistics) -> RenderableType:
    if not stats.stuck.count:
        return Text("  nothing", style="dim")
    table = _grid()
    for stuck in stats.stuck.oldest:
        code = f" [{stuck.code}]" if stuck.code else ""
        table.add_row(
            Text(f"  {stuck.task_id}", style="bold"),
            str(stuck.status),
            Text(f"{stuck.stage or ''}"),
            _number(seconds_text(age_of(stuck, stats))),
            Text(f"{stuck.why}{code}", overflow="fold"),
        )
    unlisted = stats.stuck.count - len(stats.stuck.oldest)
    more = [Text(f"  and {unlisted} more", style="dim")] if unlisted else []
    return Group(table, *more)
