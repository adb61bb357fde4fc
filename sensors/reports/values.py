"""A report's figures as text. Pure."""

from collections.abc import Mapping

from resources.ledger.queries.hourly_reports import StageFigures, Unusual

_SECONDS = ("p50", "p95", "longest")


def value_text(figure: str, value: float | None) -> str:
    """The value of a figure with its unit; nothing where the hour has none."""
    if value is None:
        return ""
    if figure in _SECONDS:
        return f"{value:,.1f} s"
    if figure == "failure_rate":
        return f"{value:.1%}"
    if figure == "cost":
        return f"{value / 1_000_000:,.4f} USD"
    return f"{value:,.0f}"


def unusual_text(unusual: Unusual, template: str) -> str:
    """The template with value, usual, margin and days."""
    figures = {name: getattr(unusual, name) for name in ("value", "usual", "margin")}
    texts = {name: value_text(unusual.figure, value) for name, value in figures.items()}
    return template.format(days=unusual.days, **texts)


def codes_text(codes: Mapping[str, int]) -> str:
    """The error codes, the most frequent first."""
    ordered = sorted(codes.items(), key=lambda code: (-code[1], code[0]))
    return ", ".join(f"{code} {count:,}" for code, count in ordered)


def stage_name(figures: StageFigures) -> str:
    """`song_video/lyric`; the pipeline alone for what failed before the first stage."""
    return "/".join(name for name in (figures.pipeline, figures.stage) if name)
