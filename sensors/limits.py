"""Collect the limits of runs, stages and vendor calls from the settings, the pipelines and the vendors."""

from pipeline_defs.catalog import Catalog
from resources.contract.protocol import Rate
from resources.ledger.admission import PipelineLimit, PipelineStage
from resources.ledger.queries.limits import AdmissionLimits, Capacity
from resources.ledger.queries.workload import WorkloadScope
from resources.process.settings import Settings
from resources.providers.vendor import VENDORS, make_provider


def capacity_of(config: Settings, pipelines: Catalog) -> Capacity:
    """Collect the slots for runs: without a broker the launcher starts a worker on demand."""
    on_demand = 0 if config.broker_url else config.runs_at_once
    return Capacity(on_demand, config.lease_seconds, admission_limits(config, pipelines))


def admission_limits(config: Settings, pipelines: Catalog) -> AdmissionLimits:
    """Collect the slots of every stage, the rate of every vendor in use, and the queue of every pipeline."""
    stages = {
        PipelineStage(pipeline.name, stage.name): stage
        for pipeline in pipelines
        for stage in pipelines.stages(pipeline, config)
    }
    rates: dict[str, Rate | None] = dict.fromkeys(VENDORS)
    for stage in stages.values():
        if stage.maker:
            rates[stage.maker] = make_provider(stage.maker, stage.kind, config).rate
    return AdmissionLimits(
        slots=tuple((key, stage.slots) for key, stage in stages.items()),
        first_stages=tuple(pipelines.first_stages.items()),
        rates=tuple(rates.items()),
        pipelines=tuple(
            PipelineLimit(pipeline.name, pipeline.queue, pipelines.slots(pipeline, config))
            for pipeline in pipelines
        ),
    )


def workload_scope(
    pipelines: Catalog, lease_seconds: float, owner: str | None = None
) -> WorkloadScope:
    """Make the scope of all requests of these pipelines, or of one owner's; the queues need no settings."""
    queues = tuple(PipelineLimit(pipeline.name, pipeline.queue) for pipeline in pipelines)
    return WorkloadScope(
        pipelines.first_stages, lease_seconds, owner, queues, pipelines.stage_names
    )
