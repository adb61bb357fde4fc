"""Collect the limits of runs, stages and vendor calls from the settings, the pipelines and the vendors."""

from pipeline_defs.catalog import Catalog
from resources.ledger.limits import Limit, Limits
from resources.ledger.queries.workload import WorkloadScope
from resources.process.settings import Settings
from resources.providers.vendor import make_provider


def collect_limits(config: Settings, pipelines: Catalog) -> Limits:
    """Collect the slots of every pipeline and stage and the rate of every vendor in use.

    Without a broker the launcher starts a worker on demand.
    """
    stages = [
        (pipeline.name, stage)
        for pipeline in pipelines
        for stage in pipelines.stages(pipeline, config)
    ]
    rates = {
        stage.maker: make_provider(stage.maker, stage.kind, config).rate
        for _, stage in stages
        if stage.maker
    }
    slots = {
        **{f"pipeline:{each.name}": pipelines.slots(each, config) for each in pipelines},
        **{f"stage:{pipeline}.{stage.name}": stage.slots for pipeline, stage in stages},
    }
    return Limits(
        on_demand=0 if config.broker_url else config.runs_at_once,
        lease_seconds=config.lease_seconds,
        limits=(
            *(Limit(name, count) for name, count in slots.items() if count is not None),
            *(Limit(f"vendor:{v}", rate.calls, rate.seconds) for v, rate in rates.items() if rate),
        ),
        queues=tuple((pipeline.name, pipeline.queue) for pipeline in pipelines),
        first_stages=tuple(pipelines.first_stages.items()),
    )


def workload_scope(
    pipelines: Catalog, lease_seconds: float, owner: str | None = None
) -> WorkloadScope:
    """Make the scope of all requests of these pipelines, or of one owner's; the queues need no settings."""
    queues = tuple((pipeline.name, pipeline.queue) for pipeline in pipelines)
    return WorkloadScope(
        pipelines.first_stages, lease_seconds, owner, queues, pipelines.stage_names
    )
