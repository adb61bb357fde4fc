"""The rows of the table, what the source published, and the figures that scans show. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.engine.figures import Figure, Row
from bench.engine.outcome import Judged, Outcome
from bench.engine.statistics import Goal, median, percentile
from bench.scan.lines import Scan
from bench.scan.side import RUN, STATELESS

DELAYS = (0.0, 0.8)
_REWARD, _OVERHEAD = Goal(0.03, 0.005), Goal(0.03, 0.01)
_ALL = Goal(100, 100, more=True)

PUBLISHED = {
    "streams_done": "95.1 % of 30, 9.3 % of 34",
    "streams_first": "16.3 s (30 clients)",
    "streams_total": "47.1 s (30 clients)",
    "streams_unrewarded": "73.2 % (30 clients)",
    "broker_each": "21 (341 for 16 streams)",
    "memory_all": "676 MB (50 clients)",
}
"""By the key of the row; eco2-team/backend, docs/blogs/async 22 and 23, on machines of their own."""


@dataclass(frozen=True)
class Timed:
    """One scan alone: as its client saw it, and what the model was asked and took meanwhile."""

    scan: Scan
    calls: int
    model_seconds: float

    @property
    def overhead(self) -> float | None:
        """The seconds without those of the model."""
        return None if self.scan.total is None else self.scan.total - self.model_seconds


def build_key(name: str, delay: float) -> str:
    """Return the key of a row that is measured once a delay."""
    return f"{name}_{delay * 1000:.0f}"


def _build_rows(delay: float) -> tuple[Row, ...]:
    when = f"model after {delay * 1000:.0f} ms" if delay else "model at once"
    reward = {STATELESS: _REWARD, RUN: _REWARD}
    overhead = {STATELESS: _OVERHEAD}
    return (
        Row(build_key("reward", delay), f"reward step, p50, {when}", "s", reward),
        Row(build_key("reward_p95", delay), f"reward step, p95, {when}", "s", {}),
        Row(build_key("overhead", delay), f"overhead of four steps, p50, {when}", "s", overhead),
        Row(build_key("overhead_p95", delay), f"overhead of four steps, p95, {when}", "s", {}),
        Row(build_key("rate", delay), f"scans a second, 8 clients, {when}", "/s", {}, more=True),
    )


ROWS = (
    *(row for delay in DELAYS for row in _build_rows(delay)),
    Row("calls", "calls of the model a scan", "", {}),
    Row("streams_done", "streams at once: completed", "%", {STATELESS: _ALL}, more=True),
    Row("streams_first", "streams at once: first event, p95", "s", {}),
    Row("streams_total", "streams at once: last event, p95", "s", {}),
    Row("streams_unrewarded", "streams at once: completed without a reward", "%", {}),
    Row("broker_before", "connections to the broker before", "", {}),
    Row("broker_while", "connections to the broker while", "", {}),
    Row("broker_each", "connections to the broker, a stream", "", {}),
    Row("database_before", "connections to the database before", "", {}),
    Row("database_while", "connections to the database while", "", {}),
    Row("memory_each", "memory of the API, a stream", "MB", {}),
    Row("memory_all", "memory of the API while", "MB", {}),
)


def compute_alone_figures(timed: Sequence[Timed], delay: float) -> Mapping[str, Figure]:
    """Compute the figures of complete scans that ran one after the other."""
    rewards = [each.scan.reward for each in timed if each.scan.reward is not None]
    overheads = [each.overhead for each in timed if each.overhead is not None]
    of = f"{len(timed)} scans"
    return {
        build_key("reward", delay): Figure(median(rewards), of),
        build_key("reward_p95", delay): Figure(percentile(rewards, 0.95), of),
        build_key("overhead", delay): Figure(median(overheads), of),
        build_key("overhead_p95", delay): Figure(percentile(overheads, 0.95), of),
        "calls": Figure(median([each.calls for each in timed]), of),
    }


def format_stage_note(timed: Sequence[Timed]) -> str:
    """Format the median of each step: `vision 5.1 ms, rule …`."""
    parts = []
    for name in timed[0].scan.steps:
        times = [
            seconds for each in timed if (seconds := each.scan.steps[name].seconds) is not None
        ]
        parts.append(f"{name} {1000 * median(times):.1f} ms" if times else f"{name} –")
    return ", ".join(parts)


def compute_stream_figures(scans: Sequence[Scan]) -> Mapping[str, Figure]:
    """Compute the figures of streams that were opened at once."""
    of = f"{len(scans)} at once"
    done = [scan for scan in scans if scan.is_complete]
    firsts = [scan.first - scan.asked for scan in scans if scan.first is not None]
    lasts = [scan.ended - scan.asked for scan in done if scan.ended is not None]
    unrewarded = sum(not scan.has_reward for scan in done)
    return {
        "streams_done": Figure(100 * len(done) / len(scans), of),
        "streams_first": _compute_p95(firsts, of),
        "streams_total": _compute_p95(lasts, of),
        "streams_unrewarded": Figure(100 * unrewarded / len(done) if done else None, of, "none"),
    }


def judge(outcomes: Sequence[Outcome]) -> list[Judged]:
    """Judge every goal of the systems that ran; a figure that was not measured has missed."""
    return [
        Judged(row, one, goal, goal.judge(figure.value if figure else None))
        for row in ROWS
        for one in outcomes
        if (goal := row.goals.get(one.name)) is not None
        for figure in [one.figures.get(row.key)]
    ]


def _compute_p95(values: Sequence[float], of: str) -> Figure:
    return Figure(percentile(values, 0.95), of) if values else Figure(None, of, "none")
