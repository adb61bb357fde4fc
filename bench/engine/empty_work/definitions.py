"""A pipeline whose stages are empty: castad's own stages, ledger and sensors around a provider that sleeps."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from dagster import Definitions
from pydantic import BaseModel

import resources.providers
from bench.engine.timeline import STAGES
from pipeline_defs.build import make_job
from pipeline_defs.catalog import Catalog
from pipeline_defs.pipeline import BoughtStage, Pipeline
from resources.contract.protocol import StageInput
from sensors.event_mirror import outbox_sensor
from sensors.requests import requests_sensor
from sensors.rescue import rescue_sensor

resources.providers.__path__.append(str(Path(__file__).parent / "providers"))


class Nap(BaseModel):
    """How long each stage's provider sleeps."""

    seconds: int = 0


class Words(BaseModel):
    """What each stage makes."""

    text: str


def _build_input(nap: Nap, task_id: str, products: Mapping[str, Any], *, stage: str) -> StageInput:
    return {"seconds": nap.seconds, "task_id": task_id, "stage": stage}


def _build_stage(name: str) -> BoughtStage:
    job_input = partial(_build_input, stage=name)
    return BoughtStage(name, Words, "Sleep", job_input=job_input, makers=("sleeper",), kind="nap")


EMPTY = Pipeline(
    name="empty",
    title="Lyric, song, video",
    order_model=Nap,
    stages=tuple(map(_build_stage, STAGES)),
    example={},
    summary=lambda nap: f"{nap.seconds} s",
)
PIPELINES = Catalog({EMPTY.name: EMPTY})
empty = make_job(EMPTY, PIPELINES)

defs = Definitions(
    jobs=[empty], sensors=[requests_sensor(PIPELINES, [empty]), rescue_sensor, outbox_sensor]
)
