"""What Dagster's asset catalog shows of the products."""

from collections.abc import Mapping
from typing import Any

from dagster import MetadataValue

from pipeline_defs.poster.products import Layout, Printing
from resources.files.artifacts import ArtifactStore


def layout_metadata(layout: Layout, store: ArtifactStore) -> Mapping[str, Any]:
    """The poster as it is read."""
    return {"poster": MetadataValue.md(f"```\n{layout.text}```"), "width": layout.width}


def printing_metadata(printing: Printing, store: ArtifactStore) -> Mapping[str, Any]:
    """How many copies are on their way, and where the receipt is."""
    receipt = store.open(vars(printing.files[0]))
    return {"copies": printing.copies, "receipt": MetadataValue.path(receipt)}
