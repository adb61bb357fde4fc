"""The graph of a job: each input of an op is the product of the stage that it is named after."""

from dataclasses import replace

import pytest
from dagster import Definitions, JobDefinition
from pydantic import BaseModel

from pipeline_defs.build import make_job
from pipeline_defs.pipeline import LocalStage
from resources.contract.protocol import Product
from tests.small_pipelines import small_pipeline


class Nothing(BaseModel):
    """An order, and every product, without a field."""


def stage(name: str, *needs: str) -> LocalStage:
    return LocalStage(name, Nothing, name, work=lambda *given: Product({}), needs=needs)


CERTIFICATE = small_pipeline(
    "certificate", stages=(stage("draft"), stage("seal"), stage("sheet", "draft", "seal"))
)


def test_each_input_of_an_op_is_the_product_of_the_stage_of_its_name():
    graph = make_job(CERTIFICATE).dependency_structure
    inputs = {
        stage: {
            given.input_name: [output.node.name for output in outputs]
            for given, outputs in graph.input_to_upstream_outputs_for_node(stage).items()
        }
        for stage in CERTIFICATE.stage_names
    }
    assert inputs == {"draft": {}, "seal": {}, "sheet": {"draft": ["draft"], "seal": ["seal"]}}


def job_of(name: str, stage: str) -> JobDefinition:
    """The job of a pipeline with this one stage."""
    pipeline = small_pipeline(name)
    return make_job(replace(pipeline, stages=(replace(pipeline.stages[0], name=stage),)))


@pytest.mark.parametrize("stages", [("look", "look"), ("count", "look"), ("survey", "count")])
def test_name_of_a_stage_may_be_that_of_another_stage_or_of_a_pipeline(stages):
    jobs = [job_of("survey", stages[0]), job_of("count", stages[1])]
    Definitions.validate_loadable(Definitions(jobs=jobs))
    assert tuple(job.nodes[0].name for job in jobs) == stages
