"""A pipeline whose stages are empty: castad's own stages, ledger and sensors around a provider that sleeps."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from dagster import (
    Definitions,
    InitResourceContext,
    OpExecutionContext,
    Out,
    ResourceParam,
    in_process_executor,
    job,
    op,
    resource,
)
from pydantic import BaseModel

from bench.engine.empty_work.sleeping import SleepingProvider
from bench.engine.timeline import STAGES
from pipeline_defs.config import LOGGERS, flat_config
from pipeline_defs.pipeline import Pipeline
from pipeline_defs.stage import SHARED_RESOURCES, op_retry_policy, run_stage
from resources.contract.protocol import Provider, StageInput
from resources.dagster.request_resource import RequestResource
from resources.dagster.request_runs import PIPELINE_TAG
from resources.dagster.stage_tools import StageTools
from resources.files.artifacts import artifact_store
from resources.ledger.workers.attempt import Attempt
from resources.process.settings import settings
from sensors.outbox import outbox_sensor
from sensors.requests import requests_sensors
from sensors.rescue import rescue_sensor

NAME = "empty"


class Nap(BaseModel):
    """How long each stage's provider sleeps."""

    seconds: int = 0


class Words(BaseModel):
    """What each stage makes."""

    text: str


class SleepingTools(StageTools):
    """Every stage is made by the provider that sleeps."""

    def provider(self, stage: str) -> Provider:
        """The one provider."""
        return SleepingProvider()


@resource
def sleeping_tools(context: InitResourceContext) -> StageTools:
    """The tools of an empty run."""
    return SleepingTools(settings(), artifact_store(settings()))


class EmptyRequest(RequestResource):
    """The request of an empty run."""

    pipeline: str = NAME


def _accept(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return Nap.model_validate(dict(payload)).model_dump()


def _make(context: OpExecutionContext, attempt: Attempt, tools: StageTools) -> Words:
    def order() -> StageInput:
        stage, task_id = context.op.name, attempt.task_id
        return {**_accept(attempt.order), "task_id": task_id, "stage": stage}

    return run_stage(context, attempt, tools, order, Words, stages=STAGES, describe=_describe)


def _describe(words: Words) -> Mapping[str, Any]:
    return {"text": words.text}


_stage_op = partial(op, retry_policy=op_retry_policy(), out=Out(Words, io_manager_key="stages"))


@_stage_op()
def lyric(
    context: OpExecutionContext, request: ResourceParam[Attempt], tools: ResourceParam[StageTools]
) -> Words:
    """Sleep."""
    return _make(context, request, tools)


@_stage_op()
def song(
    context: OpExecutionContext,
    request: ResourceParam[Attempt],
    tools: ResourceParam[StageTools],
    lyric: Words,
) -> Words:
    """Sleep."""
    return _make(context, request, tools)


@_stage_op()
def video(
    context: OpExecutionContext,
    request: ResourceParam[Attempt],
    tools: ResourceParam[StageTools],
    song: Words,
) -> Words:
    """Sleep."""
    return _make(context, request, tools)


@job(
    name=NAME,
    config=flat_config(Nap, _accept, NAME),
    executor_def=in_process_executor,
    logger_defs=LOGGERS,
    resource_defs={
        **SHARED_RESOURCES,
        "request": EmptyRequest.at_launch(),
        "tools": sleeping_tools,
    },
    tags={"dagster/max_retries": "0", PIPELINE_TAG: NAME},
)
def empty() -> None:
    """Lyric, song, video."""
    video(song(lyric()))


EMPTY = Pipeline(NAME, STAGES, empty, _accept)
defs = Definitions(jobs=[empty], sensors=[*requests_sensors([EMPTY]), rescue_sensor, outbox_sensor])
