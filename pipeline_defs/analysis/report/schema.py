"""The published schema of an analysis. `python -m pipeline_defs.analysis.report.schema` writes it."""

import json
from pathlib import Path

from pipeline_defs.analysis.report.analysis import Analysis

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_FILE = Path(__file__).with_name("analysis.schema.json")


def build_schema_text() -> str:
    """Build the JSON schema to publish."""
    schema = {"$schema": _DIALECT, **Analysis.model_json_schema(mode="serialization")}
    return json.dumps(schema, indent=2) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(build_schema_text(), "utf-8")
