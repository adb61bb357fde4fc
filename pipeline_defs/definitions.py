"""The composition root: the definitions of this code location."""

from dagster import AssetSpec, Definitions, definitions

from pipeline_defs.song_video.job import SONG_VIDEO
from resources.process.configure_logging import configure_castad_logging
from sensors.outbox import REQUESTS_ASSET, outbox_sensor
from sensors.requests import requests_sensors
from sensors.rescue import rescue_sensor

PIPELINES = (SONG_VIDEO,)


@definitions
def defs() -> Definitions:
    """Every pipeline's job and assets, and the sensors."""
    configure_castad_logging()
    products = [
        AssetSpec(
            [pipeline.name, stage], group_name=pipeline.name, description=f"Every {stage} made"
        )
        for pipeline in PIPELINES
        for stage in pipeline.stages
    ]
    history = AssetSpec(
        REQUESTS_ASSET, description="Every event of every request; partition = task_id"
    )
    return Definitions(
        assets=[history, *products],
        jobs=[pipeline.job for pipeline in PIPELINES],
        sensors=[*requests_sensors(PIPELINES), rescue_sensor, outbox_sensor],
    )
