"""The graph of a job: each input of an op is the product of the stage that it is named after."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from dagster import Definitions, JobDefinition
from pydantic import BaseModel

from pipeline_defs.build import request_job, stage_ops
from pipeline_defs.pipeline import LocalStage, Pipeline
from resources.contract.errors import InvalidInputError
from resources.contract.protocol import Product
from tests.small_pipelines import small_pipeline


class Nothing(BaseModel):
    """An order, and every product, without a field."""


def stage(name: str, *needs: str) -> LocalStage:
    return LocalStage(name, Nothing, name, work=lambda *given: Product({}), needs=needs)


CERTIFICATE = Pipeline(
    name="certificate",
    title="A sealed certificate",
    brief=Nothing,
    stages=(stage("draft"), stage("seal"), stage("sheet", "draft", "seal")),
    example={},
    summary=lambda brief: "",
)
DRAFT, SEAL, SHEET = stage_ops(CERTIFICATE)


def refusal(graph: Callable[[], None]) -> str:
    with pytest.raises(InvalidInputError) as refused:
        request_job(CERTIFICATE)(graph)
    return refused.value.message


def test_graph_that_connects_the_ops_as_the_needs_say_is_a_job() -> None:
    def job() -> None:
        SHEET(seal=SEAL(), draft=DRAFT())

    assert request_job(CERTIFICATE)(job).name == "certificate"


def test_graph_whose_edges_are_swapped_is_refused() -> None:
    def job() -> None:
        SHEET(seal=DRAFT(), draft=SEAL())

    assert refusal(job) == (
        "pipeline_defs/certificate: job: expected the graph draft(), seal(), "
        "sheet(draft=draft, seal=seal); got draft(), seal(), sheet(draft=seal, seal=draft)"
    )


def test_op_under_the_name_of_another_is_refused() -> None:
    def job() -> None:
        first: Any = SEAL.alias("draft")
        second: Any = DRAFT.alias("seal")
        SHEET(seal=second(), draft=first())

    assert "got seal(), draft(), sheet(" in refusal(job)


def job_of(name: str, stage: str) -> JobDefinition:
    """The job of a pipeline with this one stage."""
    pipeline = small_pipeline(name)
    pipeline = replace(pipeline, stages=(replace(pipeline.stages[0], name=stage),))
    (op,) = stage_ops(pipeline)

    def graph() -> None:
        op()

    return request_job(pipeline)(graph)


@pytest.mark.parametrize("stages", [("look", "look"), ("count", "look"), ("survey", "count")])
def test_name_of_a_stage_may_be_that_of_another_stage_or_of_a_pipeline(
    stages: tuple[str, str],
) -> None:
    jobs = [job_of("survey", stages[0]), job_of("count", stages[1])]
    Definitions.validate_loadable(Definitions(jobs=jobs))
    assert tuple(job.nodes[0].name for job in jobs) == stages
