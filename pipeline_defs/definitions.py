"""The composition root: the definitions of this code location."""

from dagster import AssetKey, AssetSpec, Definitions, definitions, in_process_executor

from pipeline_defs.build import make_job
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import BoughtStage
from resources.process.configure_logging import configure_castad_logging
from resources.process.settings import settings
from sensors.check_sources import source_check_job, source_check_schedule
from sensors.event_mirror import REQUESTS_ASSET, outbox_sensor, requests_asset
from sensors.report_job import REPORT_ASSET, report_job, report_schedule
from sensors.requests import requests_sensor
from sensors.rescue import rescue_sensor
from sensors.retention_job import RETENTION_ASSET, retention_job, retention_schedule


@definitions
def defs() -> Definitions:
    """Build Dagster's definitions: the jobs and assets of all pipelines, the sensors and the schedules.

    Raises InvalidInputError for an invalid pipeline folder or an unusable setting.
    """
    configure_castad_logging()
    products = []
    for pipeline in get_catalog():
        for stage in pipeline.stages:
            needs = [AssetKey([pipeline.name, need]) for need in pipeline.get_needed_stages(stage)]
            makers = stage.makers if isinstance(stage, BoughtStage) else ("python",)
            products.append(
                AssetSpec(
                    [pipeline.name, stage.name],
                    deps=needs or [REQUESTS_ASSET],
                    # Dagster takes three at most.
                    kinds=set(makers[:3]),
                    group_name=pipeline.name,
                    description=stage.title,
                )
            )
    report = AssetSpec(
        REPORT_ASSET,
        deps=[REQUESTS_ASSET],
        kinds={"pandas"},
        description="The figures of each closed hour; partition = hour",
    )
    retention = AssetSpec(
        RETENTION_ASSET,
        deps=[REQUESTS_ASSET],
        description="What each hour's retention removed, counted",
    )
    jobs = [make_job(pipeline) for pipeline in get_catalog()]
    get_catalog().resolve_stage_settings(settings())
    return Definitions(
        assets=[requests_asset, report, retention, *products],
        jobs=[*jobs, source_check_job, report_job, retention_job],
        schedules=[source_check_schedule, report_schedule, retention_schedule],
        sensors=[requests_sensor(get_catalog(), jobs), rescue_sensor, outbox_sensor],
        # A worker executes all runs in its threads, including those of assets.
        executor=in_process_executor,
    )
