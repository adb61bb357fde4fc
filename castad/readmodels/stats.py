"""The statistics: as JSON and as a page for people."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from castad.readmodels.views import seconds_text, wait_reason_text
from castad.stack.local_daemon import DaemonHealth
from pipeline_defs.catalog import Catalog
from resources.ledger.queries.health import Stuck, StuckList
from resources.ledger.queries.money import OrphanList
from resources.ledger.queries.statistics import StageHour, Statistics
from resources.ledger.queries.workload import Backlog, WorkloadScope
from resources.ledger.schema.tables import OPEN_STATUSES, Status
from resources.process.configure_logging import format_utc
from resources.views.order_body import usd
from resources.views.text import LedgerText, Timestamp

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


_EXAMPLE: dict[str, Any] = {
    "at": "2026-01-02T03:04:05.678Z",
    "requests": {"pending": 1, "processing": 2, "completed": 40},
    "in_progress": 2,
    "stages": [
        {
            "stage": "song",
            **{"pending": 0, "dispatched": 0, "processing": 2, "failed": 0, "dead": 0, "due": 0},
            "oldest_due_seconds": None,
            "last_hour": {
                **{"completed": 9, "failed": 1, "failure_rate": 0.1},
                **{"mean_seconds": 151.2, "p50_seconds": 148.0, "p95_seconds": 190.4},
            },
        }
    ],
    "waiting": {"permit:suno": 84, "slot:video": 3},
    "oldest_due_seconds": 0.0,
    "oldest_running_seconds": 75.3,
    "failures_last_hour": {"provider_failed": 1},
    "stuck": {"after_seconds": 900.0, "count": 0, "requests": []},
    "dead_letters": {},
    "money": {"today_usd": 0.6, "in_all_usd": 3.48},
    "workers": {"alive": 2, "slots": 400, "free": 398},
    "dispatcher": {"works": True, "why": None},
    "paused": [],
    "orphans": {"count": 0, "usd": 0.0, "submissions": []},
}


class LastHour(BaseModel):
    """Results of a stage in the last hour; seconds are from its first start to its end."""

    completed: int
    failed: int
    failure_rate: float | None
    mean_seconds: float | None
    p50_seconds: float | None
    p95_seconds: float | None


class StageStats(BaseModel):
    """The number of orders at a stage, by status."""

    stage: LedgerText | None
    pending: int
    dispatched: int
    processing: int
    failed: int
    dead: int
    due: int = Field(description="Orders that could start now and wait only for a worker's slot")
    oldest_due_seconds: float | None
    last_hour: LastHour


class StuckOrder(BaseModel):
    """An order that should make progress without a person's help and does not."""

    task_id: LedgerText
    status: Status
    stage: LedgerText | None
    since: Timestamp
    seconds: float
    why: LedgerText | None
    code: LedgerText | None


class StuckOrders(BaseModel):
    """The number of orders without progress for so long, and the oldest of them."""

    after_seconds: float
    count: int
    requests: list[StuckOrder]


class Money(BaseModel):
    """US dollars that were or may have been charged."""

    today_usd: float = Field(description="Since midnight, UTC")
    in_all_usd: float


class WorkerStats(BaseModel):
    """The living workers, and their slots in all and free."""

    alive: int
    slots: int
    free: int


class DispatcherStats(BaseModel):
    """Whether due orders are dispatched."""

    works: bool
    why: LedgerText | None = Field(description="What prevents it; null while it works")


class PausedProvider(BaseModel):
    """A provider to which nothing is sent until a given time."""

    provider: str
    until: Timestamp
    why: LedgerText


class Orphan(BaseModel):
    """A submission that was or may have been charged and no longer belongs to an order."""

    provider: LedgerText
    external_id: LedgerText | None
    task_id: LedgerText
    stage: LedgerText
    usd: float
    at: Timestamp
    why: LedgerText


class Orphans(BaseModel):
    """The number of orphans, their cost, and the newest of them."""

    count: int
    usd: float
    submissions: list[Orphan]


class StatsBody(BaseModel):
    """Statistics of all orders for an admin; else of the owner's orders, without workers and providers."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    at: Timestamp
    requests: dict[str, int] = Field(description="By status")
    in_progress: int = Field(description="Orders that are dispatched or processing")
    stages: list[StageStats]
    waiting: dict[str, int] = Field(
        description="Pending orders by what they wait for: `slot:<stage>`, `permit:<provider>`, "
        "`final_status:<provider>`, a paused provider's name, `budget`, or `order` for another one's result"
    )
    oldest_due_seconds: float | None
    oldest_running_seconds: float | None
    failures_last_hour: dict[str, int] = Field(description="By code")
    stuck: StuckOrders
    dead_letters: dict[str, int] = Field(description="By code")
    money: Money
    workers: WorkerStats | None
    dispatcher: DispatcherStats | None
    paused: list[PausedProvider] | None
    orphans: Orphans | None


def stats_body(
    stats: Statistics, stages: Sequence[str], daemon_health: DaemonHealth | None = None
) -> StatsBody:
    """The statistics, with each of `stages` and any other stage that occurs.

    Without `daemon_health` they say nothing of the dispatcher.
    """
    work, pool = stats.work, stats.work.worker_pool
    return StatsBody(
        at=work.at,
        requests={str(status): count for status, count in count_by_status(stats).items()},
        in_progress=work.in_progress,
        stages=[_stage(stats, stage) for stage in stages_of(stats, stages)],
        waiting=dict(work.waiting),
        oldest_due_seconds=_rounded(work.oldest_due),
        oldest_running_seconds=_rounded(work.oldest_running),
        failures_last_hour=dict(stats.hour.failures),
        stuck=_stuck(stats.stuck, stats),
        dead_letters=dict(work.dead_letters),
        money=Money(
            today_usd=usd(sum(work.spent_today.values())),
            in_all_usd=usd(stats.spent),
        ),
        workers=pool and WorkerStats(alive=pool.workers, slots=pool.slots, free=pool.free),
        dispatcher=daemon_health and _dispatcher(daemon_health),
        paused=pool and [PausedProvider(**vars(each)) for each in work.paused],
        orphans=work.orphans and _orphans(work.orphans),
    )


def _dispatcher(daemon_health: DaemonHealth) -> DispatcherStats:
    why = daemon_health.dispatch_trouble
    return DispatcherStats(works=why is None, why=why)


def _stage(stats: Statistics, stage: str | None) -> StageStats:
    backlog = stats.work.due.get(stage, Backlog(0, 0.0))
    counts = {str(status): stats.work.requests.get((status, stage), 0) for status in WITH_STAGE}
    return StageStats(
        stage=stage,
        **counts,
        due=backlog.count,
        oldest_due_seconds=_rounded(backlog.oldest) if backlog.count else None,
        last_hour=_hour(stats.hour.stages.get(stage, EMPTY_HOUR)),
    )


def _hour(hour: StageHour) -> LastHour:
    rate, seconds = hour.failure_rate, hour.seconds
    return LastHour(
        completed=hour.completed,
        failed=hour.failed,
        failure_rate=None if rate is None else round(rate, 4),
        mean_seconds=seconds and _rounded(seconds.mean),
        p50_seconds=seconds and _rounded(seconds.p50),
        p95_seconds=seconds and _rounded(seconds.p95),
    )


def _stuck(stuck: StuckList, stats: Statistics) -> StuckOrders:
    listed = [
        StuckOrder(**vars(each), seconds=round(age_of(each, stats), 3)) for each in stuck.oldest
    ]
    return StuckOrders(after_seconds=stats.stuck_after, count=stuck.count, requests=listed)


def _orphans(orphans: OrphanList) -> Orphans:
    listed = [Orphan(**vars(each), usd=usd(each.cost)) for each in orphans.newest]
    return Orphans(count=orphans.count, usd=usd(orphans.cost), submissions=listed)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
