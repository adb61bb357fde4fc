"""Statistics as text for a terminal, with bars for figures that people compare."""

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from castad.cli.order_view import describe_wait, format_seconds
from resources.ledger.schema.tables import Status
from resources.process.configure_logging import format_utc
from resources.views.statistics import StageStats, StatsBody, StuckOrders

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
