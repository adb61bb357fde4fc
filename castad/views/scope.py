"""What the counts of orders have to know of the pipelines."""

from pipeline_defs.catalog import Catalog
from resources.ledger.queries.workload import WorkloadScope


def make_workload_scope(
    pipelines: Catalog, lease_seconds: float, owner: str | None = None
) -> WorkloadScope:
    """Make the scope of all requests of these pipelines, or of those of one owner."""
    queues = tuple((pipeline.name, pipeline.queue) for pipeline in pipelines)
    return WorkloadScope(
        pipelines.first_stages, lease_seconds, owner, queues, pipelines.stage_names
    )
