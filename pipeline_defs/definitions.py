"""The composition root: the definitions of this code location."""

from dagster import AssetSpec, Definitions, JobDefinition, definitions

from pipeline_defs.catalog import catalog
from pipeline_defs.checks import INVALID_PIPELINE
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.process.configure_logging import configure_castad_logging
from resources.process.load_folder import load
from resources.process.settings import settings
from sensors.outbox import REQUESTS_ASSET, outbox_sensor
from sensors.recurring import recurring_job, recurring_schedule
from sensors.reports.job import REPORT_ASSET, report_job, report_schedule
from sensors.requests import requests_sensor
from sensors.rescue import rescue_sensor
from sensors.retention.job import RETENTION_ASSET, retention_job, retention_schedule


@definitions
def defs() -> Definitions:
    """Every pipeline's job and assets, the sensors and the schedules."""
    configure_castad_logging()
    products = [
        AssetSpec([pipeline.name, stage.name], group_name=pipeline.name, description=stage.title)
        for pipeline in catalog()
        for stage in pipeline.stages
    ]
    history = AssetSpec(
        REQUESTS_ASSET, description="Every event of every request; partition = task_id"
    )
    report = AssetSpec(
        REPORT_ASSET, description="The figures of each closed hour; partition = hour"
    )
    retention = AssetSpec(
        RETENTION_ASSET, description="What each hour's retention removed, counted"
    )
    jobs = [job_of(pipeline) for pipeline in catalog()]
    catalog().resolve(settings())
    return Definitions(
        assets=[history, report, retention, *products],
        jobs=[*jobs, recurring_job, report_job, retention_job],
        schedules=[recurring_schedule, report_schedule, retention_schedule],
        sensors=[requests_sensor(catalog(), jobs), rescue_sensor, outbox_sensor],
    )


def job_of(pipeline: Pipeline) -> JobDefinition:
    """The job of a pipeline's folder; raises InvalidInputError naming the folder that has none."""
    place = f"pipeline_defs/{pipeline.name}"
    found = load(place, f"pipeline_defs.{pipeline.name}.job", "job", INVALID_PIPELINE)
    if not isinstance(found, JobDefinition):
        raise InvalidInputError(place, "expected `job` in job.py", code=INVALID_PIPELINE)
    return found
