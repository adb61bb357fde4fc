"""The statistics as a page for people and as JSON. Pure: no input or output."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from castad.readmodels.views import seconds_text, usd, wait_reason_text
from resources.ledger.queries.last_hour import StageHour
from resources.ledger.queries.orphans import OrphanList
from resources.ledger.queries.spending import ParkedProvider
from resources.ledger.queries.statistics import Statistics
from resources.ledger.queries.stuck import Stuck
from resources.ledger.queries.workload import Backlog, WorkerPool
from resources.ledger.schema.tables import Status
from resources.process.traceback_log import utc_text

_BAR_WIDTH = 28
_WITH_STAGE = (
    Status.PENDING,
    Status.DISPATCHED,
    Status.PROCESSING,
    Status.FAILED,
    Status.DEAD,
)
_EMPTY_HOUR = StageHour(0, 0, None)
_STYLES = {Status.COMPLETED: "green", Status.DEAD: "red", Status.FAILED: "yellow"}


def statistics_json(stats: Statistics, stages: Sequence[str]) -> dict[str, Any]:
    """The statistics as JSON, with each of `stages` and any other stage that occurs."""
    work = stats.work
    return {
        "at": utc_text(work.at),
        "requests": {str(status): count for status, count in _by_status(stats).items()},
        "in_progress": work.in_progress,
        "stages": [_stage_json(stats, stage) for stage in _stages(stats, stages)],
        "waiting": dict(work.waiting),
        "queue_age_seconds": _rounded(work.queue_age),
        "oldest_running_seconds": _rounded(work.oldest_running),
        "failures_last_hour": dict(stats.hour.failures),
        "stuck": {
            "after_seconds": stats.stuck_after,
            "count": stats.stuck.count,
            "requests": [_stuck_json(stuck, stats) for stuck in stats.stuck.oldest],
        },
        "dead_letters": dict(work.dead_letters),
        "money": {
            "today_usd": usd(sum(spent.cost for spent in work.spent_today)),
            "in_all_usd": usd(stats.spent),
        },
        "workers": None if work.worker_pool is None else _worker_pool_json(work.worker_pool),
        "parked": None
        if work.worker_pool is None
        else [_parked_json(each) for each in work.parked],
        "orphans": None if work.orphans is None else _orphans_json(work.orphans),
    }


def _stage_json(stats: Statistics, stage: str | None) -> dict[str, Any]:
    requests = stats.work.requests
    queue = stats.work.due.get(stage, Backlog(0, 0.0))
    return {
        "stage": stage,
        **{str(status): requests.get((status, stage), 0) for status in _WITH_STAGE},
        "due": queue.count,
        "oldest_due_seconds": _rounded(queue.oldest) if queue.count else None,
        "last_hour": _hour_json(stats.hour.stages.get(stage, _EMPTY_HOUR)),
    }


def _hour_json(hour: StageHour) -> dict[str, Any]:
    rate, seconds = hour.failure_rate, hour.seconds
    return {
        "completed": hour.completed,
        "failed": hour.failed,
        "failure_rate": None if rate is None else round(rate, 4),
        "mean_seconds": seconds and _rounded(seconds.mean),
        "p50_seconds": seconds and _rounded(seconds.p50),
        "p95_seconds": seconds and _rounded(seconds.p95),
    }


def _stuck_json(stuck: Stuck, stats: Statistics) -> dict[str, Any]:
    return {
        "task_id": stuck.task_id,
        "status": str(stuck.status),
        "stage": stuck.stage,
        "since": utc_text(stuck.since),
        "seconds": _rounded(_age(stuck, stats)),
        "why": stuck.why,
        "code": stuck.code,
    }


def _worker_pool_json(worker_pool: WorkerPool) -> dict[str, Any]:
    return {"alive": worker_pool.workers, "places": worker_pool.places, "free": worker_pool.free}


def _parked_json(parking: ParkedProvider) -> dict[str, Any]:
    until = utc_text(parking.until)
    return {"provider": parking.provider, "until": until, "why": parking.why}


def _orphans_json(orphans: OrphanList) -> dict[str, Any]:
    listed = [
        {
            **{name: getattr(orphan, name) for name in ("provider", "external_id", "task_id")},
            **{"stage": orphan.stage, "usd": usd(orphan.cost)},
            **{"at": utc_text(orphan.at), "why": orphan.why},
        }
        for orphan in orphans.newest
    ]
    return {"count": orphans.count, "usd": usd(orphans.cost), "submissions": listed}


def _by_status(stats: Statistics) -> dict[Status, int]:
    counted = dict.fromkeys(Status, 0)
    for (status, _), count in stats.work.requests.items():
        counted[status] += count
    return counted


def _stages(stats: Statistics, known: Iterable[str]) -> list[str | None]:
    """The known stages in order, then any other that an operator's SQL or an older release left."""
    seen = {stage for status, stage in stats.work.requests if status in _WITH_STAGE}
    others = {*seen, *stats.work.due, *stats.hour.stages}.difference(known)
    return [*known, *sorted(others, key=str)]


def _age(stuck: Stuck, stats: Statistics) -> float:
    return max(0.0, (stats.work.at - stuck.since).total_seconds())


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def statistics_view(stats: Statistics, stages: Sequence[str]) -> RenderableType:
    """The statistics as a page for people: figures that they compare are drawn as bars too."""
    parts: list[RenderableType] = [_heading("requests"), _status_table(stats)]
    parts += [_heading("stages"), _stage_table(stats, _stages(stats, stages))]
    parts += [_heading("seconds per stage, completed in the last hour")]
    parts += [_seconds_table(stats, _stages(stats, stages))]
    for title, counts in (
        ("failures in the last hour, by code", stats.hour.failures),
        ("dead letters, by code", stats.work.dead_letters),
    ):
        if counts:
            parts += [_heading(title), _counts_table(counts)]
    parts += [_heading("now"), _facts_table(stats)]
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
    table, counted = _grid(), _by_status(stats)
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
        hour = stats.hour.stages.get(stage, _EMPTY_HOUR)
        requests = [stats.work.requests.get((status, stage), 0) for status in _WITH_STAGE]
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


def _facts_table(stats: Statistics) -> Table:
    table, work = _grid(), stats.work
    facts = {
        "in progress": str(work.in_progress),
        "longest due": seconds_text(work.queue_age) or "nothing is due",
        "longest running": seconds_text(work.oldest_running) or "nothing runs",
        "spent today (UTC)": f"{usd(sum(spent.cost for spent in work.spent_today)):.4f} USD",
        "spent in all": f"{usd(stats.spent):.4f} USD",
    }
    if work.worker_pool is not None:
        worker_pool = work.worker_pool
        facts["workers alive"] = (
            f"{worker_pool.workers}, places {worker_pool.places}, free {worker_pool.free}"
        )
    if work.orphans is not None and work.orphans.count:
        orphans = f"{work.orphans.count}, {usd(work.orphans.cost):.4f} USD"
        facts["orphans (charged in vain)"] = f"{orphans}; castad doctor lists them"
    for waits_for, count in sorted(work.waiting.items()):
        facts[f"waiting for {wait_reason_text(waits_for)}"] = str(count)
    for parking in work.parked:
        facts[f"{parking.provider} is parked"] = f"until {utc_text(parking.until)}; {parking.why}"
    for fact, value in facts.items():
        table.add_row(Text(f"  {fact}"), Text(value, overflow="fold"))
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
            _number(seconds_text(_age(stuck, stats))),
            Text(f"{stuck.why}{code}", overflow="fold"),
        )
    unlisted = stats.stuck.count - len(stats.stuck.oldest)
    more = [Text(f"  and {unlisted} more", style="dim")] if unlisted else []
    return Group(table, *more)
