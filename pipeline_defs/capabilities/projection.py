"""Projections: a table of the ledger with a row for each order of a pipeline."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline_defs.pipeline import Brief, Capability, Fault, Pipeline, Products, Stage
from resources.ledger.request import ProjectionChange


@dataclass(frozen=True)
class Projection(Capability):
    """A ledger table with one row for each order, and the path at which the API shows it.

    `table` has the columns `id` (the task_id), `request_id`, `status`, `started_at`, `finished_at`, `summary`
    (JSON) and `name_key`. `values` returns all but the first five from the order and the products so far.
    Workers write a row in the transaction in which the stage `since`, or a later one, begins; a trigger closes it.
    `asked` returns the values known from the order alone, with `name_key`; None if the order names no subject.
    `names` are the two columns that name an order's subject; `name_key` joins both by "/", in small letters.
    `version` is the column for the subject's version.
    """

    table: str
    since: str
    values: Callable[[Brief, Products], Mapping[str, Any]]
    path: str
    names: tuple[str, str]
    version: str
    asked: Callable[[Brief], Mapping[str, Any] | None]

    def find_faults(self, pipeline: Pipeline, example: Brief) -> Iterator[Fault]:
        """Yield `since` if the pipeline has no such stage."""
        if self.since not in pipeline.stage_names:
            expected = f"expected one of {', '.join(pipeline.stage_names)}"
            yield "since", f"{expected}, got {self.since}"


def make_projection_change(
    pipeline: Pipeline, stage: Stage, brief: Brief, products: Products
) -> ProjectionChange | None:
    """Return the projection's row for the beginning of this stage; None without one, or before `since`."""
    projection, names = pipeline.find_extra(Projection), pipeline.stage_names
    if projection is None or names.index(stage.name) < names.index(projection.since):
        return None
    return ProjectionChange(projection.table, projection.values(brief, products))
