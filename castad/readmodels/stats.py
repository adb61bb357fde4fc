"""The statistics, as JSON and as a page for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from castad.readmodels.views import describe_wait, format_seconds
from castad.stack.local_daemon import DaemonHealth
from pipeline_defs.catalog import Catalog
from resources.ledger.queries.statistics import StageHour, Statistics
from resources.ledger.queries.workload import Backlog, WorkloadScope
from resources.ledger.schema.tables import OPEN_STATUSES, Status
from resources.process.configure_logging import format_utc
from resources.views.order_body import to_dollars
from resources.views.text import LedgerText, Timestamp


def make_workload_scope(
    pipelines: Catalog, lease_seconds: float, owner: str | None = None
) -> WorkloadScope:
    """Make the scope of all requests of these pipelines, or of those of one owner."""
    queues = tuple((pipeline.name, pipeline.queue) for pipeline in pipelines)
    return WorkloadScope(
        pipelines.first_stages, lease_seconds, owner, queues, pipelines.stage_names
    )


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
    """The number of orders without progress for `after_seconds`, and the oldest of them."""

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


_WITH_STAGE = (*OPEN_STATUSES, Status.DEAD)
"""The statuses that are counted by stage."""


def build_stats_body(
    stats: Statistics, stages: Sequence[str], daemon_health: DaemonHealth | None = None
) -> StatsBody:
    """Build the statistics with each of `stages`, and then any others that SQL or an older release left.

    Without `daemon_health`, `dispatcher` is None.
    """
    work, hour, pool, orphans = stats.work, stats.hour, stats.work.worker_pool, stats.work.orphans
    counted = dict.fromkeys(map(str, Status), 0)
    for (status, _), count in work.requests.items():
        counted[str(status)] += count
    seen = {stage for status, stage in work.requests if status in _WITH_STAGE}
    others = {*seen, *work.due, *hour.stages}.difference(stages)
    trouble = None if daemon_health is None else daemon_health.dispatch_trouble
    return StatsBody(
        at=work.at,
        requests=counted,
        in_progress=work.in_progress,
        stages=[_build_stage_stats(stats, each) for each in (*stages, *sorted(others, key=str))],
        waiting=dict(work.waiting),
        oldest_due_seconds=_round_seconds(work.oldest_due),
        oldest_running_seconds=_round_seconds(work.oldest_running),
        failures_last_hour=dict(hour.failures),
        stuck=StuckOrders(
            after_seconds=stats.stuck_after,
            count=stats.stuck.count,
            requests=[
                StuckOrder(
                    **vars(each), seconds=round(max(0.0, (work.at - each.since).total_seconds()), 3)
                )
                for each in stats.stuck.oldest
            ],
        ),
        dead_letters=dict(work.dead_letters),
        money=Money(
            today_usd=to_dollars(sum(work.spent_today.values())),
            in_all_usd=to_dollars(stats.spent),
        ),
        workers=pool and WorkerStats(alive=pool.workers, slots=pool.slots, free=pool.free),
        dispatcher=daemon_health and DispatcherStats(works=trouble is None, why=trouble),
        paused=pool and [PausedProvider(**vars(each)) for each in work.paused],
        orphans=orphans
        and Orphans(
            count=orphans.count,
            usd=to_dollars(orphans.cost),
            submissions=[
                Orphan(**vars(each), usd=to_dollars(each.cost)) for each in orphans.newest
            ],
        ),
    )


def _build_stage_stats(stats: Statistics, stage: str | None) -> StageStats:
    backlog = stats.work.due.get(stage, Backlog(0, 0.0))
    counts = {str(status): stats.work.requests.get((status, stage), 0) for status in _WITH_STAGE}
    hour = stats.hour.stages.get(stage, StageHour(0, 0, None))
    rate, seconds = hour.failure_rate, hour.seconds
    return StageStats(
        stage=stage,
        **counts,
        due=backlog.count,
        oldest_due_seconds=_round_seconds(backlog.oldest) if backlog.count else None,
        last_hour=LastHour(
            completed=hour.completed,
            failed=hour.failed,
            failure_rate=None if rate is None else round(rate, 4),
            mean_seconds=seconds and _round_seconds(seconds.mean),
            p50_seconds=seconds and _round_seconds(seconds.p50),
            p95_seconds=seconds and _round_seconds(seconds.p95),
        ),
    )


def _round_seconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


_BAR_WIDTH = 28
_STYLES: Mapping[str, str] = {
    Status.COMPLETED: "green",
    Status.DEAD: "red",
    Status.FAILED: "yellow",
}


def build_statistics_view(
    stats: Statistics, stages: Sequence[str], daemon_health: DaemonHealth | None = None
) -> RenderableType:
    """Build the statistics as a page for people, with bars for figures that they compare."""
    body = build_stats_body(stats, stages, daemon_health)
    parts: list[RenderableType] = [_make_heading("requests"), _build_status_table(body.requests)]
    parts += [_make_heading("stages"), _build_stage_table(body.stages)]
    parts += [_make_heading("seconds per stage, completed in the last hour")]
    parts += [_build_seconds_table(body.stages)]
    for title, counts in (
        ("failures in the last hour, by code", body.failures_last_hour),
        ("dead letters, by code", body.dead_letters),
    ):
        if counts:
            parts += [_make_heading(title), _build_counts_table(counts)]
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


def _build_status_table(requests: Mapping[str, int]) -> Table:
    table, most = _make_grid(), max(requests.values())
    for status, count in requests.items():
        bar = _build_bar(count, most, _STYLES.get(status, "cyan"))
        table.add_row(f"  {status}", _make_number(str(count)), bar)
    return table


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


def _build_counts_table(counts: Mapping[str, int]) -> Table:
    table, most = _make_grid(), max(counts.values())
    for code, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        table.add_row(Text(f"  {code}"), _make_number(str(count)), _build_bar(count, most, "red"))
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
