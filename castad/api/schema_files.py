"""Write what docs publish of the code: the schemas of orders and results, and the page of settings.

`python -m castad.api.schema_files` writes docs/schemas and docs/settings.md; `--check` names the stale ones.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from castad.api.order_schema import build_order_model
from castad.api.settings_page import build_settings_page
from pipeline_defs.catalog import Catalog, get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.process.settings import PROJECT_ROOT

FOLDER = PROJECT_ROOT / "docs" / "schemas"
SETTINGS_PAGE = PROJECT_ROOT / "docs" / "settings.md"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def build_schema_files(pipelines: Catalog) -> Mapping[str, str]:
    """Build each file's text by its name: `<pipeline>.order.json` and `<pipeline>.result.json`."""
    found = {}
    for pipeline in pipelines:
        is_default = pipeline is pipelines.default
        order = build_order_model(pipeline, is_default=is_default).model_json_schema()
        found[f"{pipeline.name}.order.json"] = _render_schema(pipeline, "order", order)
        found[f"{pipeline.name}.result.json"] = _render_schema(
            pipeline, "result", build_result_schema(pipeline)
        )
    return found


def build_result_schema(pipeline: Pipeline) -> dict[str, Any]:
    """Build the schema of the pipeline's result; any JSON if it declares none."""
    if pipeline.result_model is None:
        return {"description": "Any JSON"}
    return pipeline.result_model.model_json_schema(mode="serialization")


def _render_schema(pipeline: Pipeline, what: str, schema: Mapping[str, Any]) -> str:
    named = {"$schema": _DIALECT, "$id": f"{pipeline.name}.{what}.json"}
    return json.dumps({**named, **schema}, ensure_ascii=False, indent=2) + "\n"


def find_stale_files(folder: Path, wanted: Mapping[str, str]) -> list[str]:
    """Find the files that are missing, differ, or belong to no pipeline."""
    there = {file.name: file.read_text("utf-8") for file in folder.glob("*.json")}
    return sorted(name for name in {*there, *wanted} if there.get(name) != wanted.get(name))


def main(arguments: list[str]) -> int:
    """Write the files, or with `--check` name the stale ones; return 1 if it finds any."""
    pipelines = get_catalog()
    wanted, page = build_schema_files(pipelines), build_settings_page(pipelines)
    if arguments == ["--check"]:
        stale = find_stale_files(FOLDER, wanted)
        if not SETTINGS_PAGE.is_file() or SETTINGS_PAGE.read_text("utf-8") != page:
            stale.append(SETTINGS_PAGE.name)
        if stale:
            sys.stderr.write(f"docs: {', '.join(stale)} differ from the code; run `make schemas`\n")
        return 1 if stale else 0
    SETTINGS_PAGE.write_text(page, "utf-8")
    FOLDER.mkdir(exist_ok=True)
    for name in find_stale_files(FOLDER, wanted):
        file = FOLDER / name
        if name in wanted:
            file.write_text(wanted[name], "utf-8")
        else:
            file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
