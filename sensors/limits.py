"""How many runs, stages and vendor calls the settings and the vendors allow at once."""

from collections.abc import Mapping, Sequence

from resources.contract.protocol import Rate
from resources.ledger.queries.due import AdmissionLimits, Capacity
from resources.process.settings import Settings
from resources.providers.registry import VENDORS, provider_for

StagesByPipeline = Mapping[str, Sequence[str]]
"""The stages of each pipeline, in order."""


def capacity_of(config: Settings, stages: StagesByPipeline) -> Capacity:
    """Without a broker the launcher starts a worker on demand; with one, only operators start workers."""
    on_demand = 0 if config.broker_url else config.runs_at_once
    return Capacity(on_demand, config.lease_seconds, admission_limits(config, stages))


def admission_limits(config: Settings, stages: StagesByPipeline) -> AdmissionLimits:
    """The places of every stage, and the rate of every vendor that serves a stage."""
    names = list(dict.fromkeys(stage for listed in stages.values() for stage in listed))
    rates: dict[str, Rate | None] = dict.fromkeys(VENDORS)
    rates |= {config.provider(stage): provider_for(stage, config).rate for stage in names}
    return AdmissionLimits(
        places=tuple((stage, config.places(stage)) for stage in names),
        first_stages=tuple((pipeline, listed[0]) for pipeline, listed in stages.items()),
        rates=tuple(rates.items()),
    )
