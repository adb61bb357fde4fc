"""Format the figures of an hour as text, and choose the hours to report on."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from markupsafe import Markup

from resources.contract.errors import InvalidInputError
from resources.files.markup import ChartRow, build_chart, build_data_uri, escape_invisible
from resources.ledger.queries.statistics import StageFigures, Unusual
from resources.views.event_text import as_markdown

_SECONDS = ("p50", "p95", "longest")
HOUR = timedelta(hours=1)
_MADE_UP = 24
_AGAIN = 2
_BASELINE_DAYS = 7
_MOST_BACK = 100_000
_EXPECTED = (
    "expected an hour in UTC that is over, such as 2030-01-31T09, or -1 for the last one, "
    "-2 for the one before"
)
COMPLETED_COLOUR, FAILED_COLOUR = "#2da44e", "#cf222e"
_HEADS = ("stage", "ended", "failed", "retries", "p50", "p95", "longest", "cost", "codes")
_TOGETHER = "\N{NO-BREAK SPACE}"
_UNUSUAL = "{value}, usually {usual} ± {margin} ({days} days)"


def format_value(figure: str, value: float | None) -> str:
    """Format the value of a figure such as `p50` with its unit; "" for None."""
    if value is None:
        return ""
    if figure in _SECONDS:
        return f"{value:,.1f} s"
    if figure == "failure_rate":
        return f"{value:.1%}"
    if figure == "cost":
        return f"{value / 1_000_000:,.4f} USD"
    return f"{value:,.0f}"


def format_unusual(unusual: Unusual, template: str) -> str:
    """Fill the template's fields `value`, `usual`, `margin` and `days` with the unusual figure's values."""
    figures = {name: getattr(unusual, name) for name in ("value", "usual", "margin")}
    texts = {name: format_value(unusual.figure, value) for name, value in figures.items()}
    return template.format(days=unusual.days, **texts)


def format_codes(codes: Mapping[str, int]) -> str:
    """Format the error codes with their counts, the most frequent first."""
    ordered = sorted(codes.items(), key=lambda code: (-code[1], code[0]))
    return ", ".join(f"{code} {count:,}" for code, count in ordered)


def stage_name(figures: StageFigures) -> str:
    """Format the name of the figures' stage as `song_video/lyric`; only the pipeline if no stage had begun."""
    return "/".join(name for name in (figures.pipeline, figures.stage) if name)


def format_hour(hour: datetime) -> str:
    """Format the hour in UTC as 2030-01-31T09."""
    return hour.astimezone(UTC).strftime("%Y-%m-%dT%H")


def find_last_closed(now: datetime) -> datetime:
    """Return the begin of the last hour that is over at `now`, in UTC."""
    return now.astimezone(UTC).replace(minute=0, second=0, microsecond=0) - HOUR


def parse_hour(given: str, now: datetime) -> datetime:
    """Parse an hour such as 2030-01-31T09, or -1 for the last closed one, into its begin in UTC.

    Raises InvalidInputError for other text, or for an hour that is not over at `now`.
    """
    last = find_last_closed(now)
    found = _parse_back(given, last) if given.startswith("-") else _parse_named(given)
    if found is None or found > last:
        raise InvalidInputError("hour", f"{_EXPECTED}, got {ascii(given)[:40]}")
    return found


def _parse_back(given: str, last: datetime) -> datetime | None:
    """Parse -1 as the hour `last`, -2 as the hour before it, and so on; None if the text is no such number."""
    if not re.fullmatch("-[0-9]{1,6}", given) or not 1 <= -int(given) <= _MOST_BACK:
        return None
    return last + HOUR * (int(given) + 1)


def _parse_named(given: str) -> datetime | None:
    """Parse an hour such as 2030-01-31T09 in UTC; None if the text is no hour since 1970."""
    if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}", given):
        return None
    try:
        found = datetime.strptime(given, "%Y-%m-%dT%H").replace(tzinfo=UTC)
    except ValueError:
        return None
    return found if found.year >= 1970 else None


def list_hours_to_report(now: datetime, reported: Collection[datetime]) -> list[datetime]:
    """List the last three closed hours and the unreported ones of the last 24, the oldest first.

    A stage that completes late changes the cost of an hour that has been reported on.
    """
    last = find_last_closed(now)
    recent = [last - HOUR * back for back in reversed(range(_MADE_UP))]
    again = last - HOUR * _AGAIN
    return [hour for hour in recent if hour >= again or hour not in reported]


def list_baseline_hours(hour: datetime) -> list[datetime]:
    """List the same hour of each of the seven days before, the latest first."""
    return [hour - timedelta(days=day) for day in range(1, _BASELINE_DAYS + 1)]


def format_report(stages: Sequence[StageFigures]) -> str:
    """Format the figures of an hour as Markdown: a chart, a table and the unusual figures."""
    lines = [
        f"![chart]({build_data_uri(draw_chart(stages))})",
        "",
        _format_line(_HEADS),
        _format_line(["---", *["---:"] * (len(_HEADS) - 2), "---"]),
        *(_format_line(_format_cells(figures)) for figures in stages),
    ]
    unusual = [
        f"- **{_escape(stage_name(figures))}**, {each.figure}: {format_unusual(each, _UNUSUAL)}"
        for figures in stages
        for each in figures.unusual
    ]
    return "\n".join([*lines, *(["", "Unusual:", "", *unusual] if unusual else [])])


def draw_chart(stages: Sequence[StageFigures]) -> Markup:
    """Draw the completed and failed executions of each stage as an SVG bar chart."""
    rows = [
        ChartRow(
            stage_name(figures),
            [(figures.completed, COMPLETED_COLOUR), (figures.failed, FAILED_COLOUR)],
            f"{figures.count:,}" + (f", {figures.failed:,} failed" if figures.failed else ""),
        )
        for figures in stages
    ]
    return build_chart(rows, "completed and failed executions by stage")


def _format_cells(figures: StageFigures) -> list[str]:
    """Format the figures of a stage as the cells of a table row."""
    seconds = [format_value(name, getattr(figures, name)) for name in ("p50", "p95", "longest")]
    rate = f" ({figures.failure_rate:.1%})" if figures.failed and figures.failure_rate else ""
    cost = format_value("cost", figures.cost) if figures.cost else ""
    counts = (f"{figures.count:,}", f"{figures.failed:,}{rate}", f"{figures.retries:,}")
    numbers = [text.replace(" ", _TOGETHER) for text in (*counts, *seconds, cost)]
    return [_escape(stage_name(figures)), *numbers, _escape(format_codes(figures.codes))]


def _format_line(cells: Sequence[str]) -> str:
    """Format the cells as a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def _escape(text: str) -> str:
    """Escape the text for a Markdown table, without invisible characters."""
    return as_markdown(escape_invisible(text))
