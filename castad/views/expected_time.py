"""How long an order usually takes, before it is submitted."""

from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.ledger.db.database import Database
from resources.ledger.queries.money import compute_usual_seconds
from resources.process.settings import Settings


def estimate_seconds(db: Database, pipeline: Pipeline, settings: Settings) -> float:
    """Estimate the seconds that all stages take, by the ledger's history, or else by their providers.

    Stages without a provider count as no time.
    """
    found = 0.0
    for stage in pipeline.stages:
        provider = get_catalog().make_stage_provider(pipeline, stage.name, settings)
        if provider is not None:
            known = compute_usual_seconds(db, pipeline.name, stage.name, provider.name)
            found += provider.usual_seconds if known is None else known
    return found
