"""Metadata of an analysis for Dagster's asset catalog."""

from collections.abc import Mapping
from typing import Any

from pipeline_defs.analysis.products import Counted
from resources.files.artifacts import ArtifactStore


def build_counted_metadata(counted: Counted, store: ArtifactStore) -> Mapping[str, Any]:
    """Return the figures."""
    return {
        "files": counted.file_count,
        "lines of code": counted.code_lines,
        "tests": counted.test_count,
        "languages": {name: f"{percent:g} %" for name, percent in counted.languages.items()},
    }
