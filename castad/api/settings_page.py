"""Build docs/settings.md: each environment variable, its default and its meaning, from the models that read it."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic_settings import BaseSettings

from pipeline_defs.catalog import Catalog, get_slots_variable, get_stage_variables
from pipeline_defs.pipeline import BoughtStage, Pipeline
from resources.process.settings import PROJECT_ROOT, Settings, get_variable_name
from resources.providers.vendor import VENDORS, load_vendor

_HEAD = """# Settings

No setting is required: without any, castad works offline and on SQLite. castad reads settings from
the environment and from `.env` ([.env.example](../.env.example) is one to copy); the environment
takes precedence. It refuses a variable `CASTAD_…` that it does not know. Times are in seconds
unless said otherwise. `make schemas` writes this page.
"""
_STAGES = """
## Pipelines and stages

The wait before a retry doubles with each retry. Slots limit how many orders of a pipeline, or how
many of a stage, are at work at once over all workers; unset: no limit. A stage is made by a vendor
or by this machine; unset: by the first whose key is set.
"""
_NOT_READ = "stage_variables"


def build_settings_page(pipelines: Catalog) -> str:
    """Return the page's Markdown: castad's own settings, those of each vendor, and those of stages."""
    parts = [_HEAD, "\n## castad\n\n", _build_table(_list_fields(Settings))]
    for name in VENDORS:
        model = load_vendor(name).settings
        if model is not None:
            parts += [f"\n## {name}\n\n", _build_table(_list_fields(model))]
    parts += [_STAGES]
    for pipeline in pipelines:
        rows = list(_list_stage_rows(pipelines, pipeline))
        parts += [f"\n### {pipeline.name}\n\n", _build_table(rows)]
    return "".join(parts)


def _build_table(rows: Iterable[Sequence[str]]) -> str:
    lines = ["| variable | default | |", "|---|---|---|"]
    for name, default, meaning in rows:
        # A bar would end the cell.
        escaped = meaning.replace("|", r"\|")
        lines.append(f"| `{name}` | {default} | {escaped} |")
    return "\n".join(lines) + "\n"


def _list_fields(model: type[BaseSettings]) -> list[tuple[str, str, str]]:
    """List the variable, default and meaning of each field."""
    return [
        (get_variable_name(model, name), _format_default(field.default), field.description or "")
        for name, field in model.model_fields.items()
        if name != _NOT_READ
    ]


def _format_default(default: Any) -> str:
    """Format a default as its variable would be written; "" for a setting that is unset."""
    if isinstance(default, Path):
        return f"`{default.relative_to(PROJECT_ROOT)}`"
    if isinstance(default, tuple):
        default = ",".join(f"{each:g}" for each in default)
    if default is None or default == "" or isinstance(default, SecretStr):
        return ""
    if isinstance(default, bool):
        return f"`{int(default)}`"
    return f"`{default:g}`" if isinstance(default, float) else f"`{default}`"


def _list_stage_rows(pipelines: Catalog, pipeline: Pipeline) -> Iterable[tuple[str, str, str]]:
    """List the variable, default and meaning of a pipeline's limit and of each of its stages' settings."""
    yield get_slots_variable(pipeline), "", "its orders that are at work at once"
    for stage in pipeline.stages:
        retry, slots, maker = get_stage_variables(pipelines.stage_names[pipeline.name, stage.name])
        yield retry, f"`{stage.retry_seconds:g}`", f"wait before the first retry of `{stage.name}`"
        limit = "" if stage.slots is None else f"`{stage.slots}`"
        yield slots, limit, f"how many of `{stage.name}` run at once"
        if isinstance(stage, BoughtStage):
            yield (
                maker,
                "",
                f"who makes `{stage.name}`: {' or '.join(f'`{m}`' for m in stage.makers)}",
            )
