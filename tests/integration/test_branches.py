"""Runs of a small pipeline whose stages do not need each other."""

from collections.abc import Sequence
from typing import Any

import pytest
from dagster import DagsterInstance, DagsterRunStatus
from dagster._core.execution.execute_in_process_result import ExecuteInProcessResult
from pydantic import BaseModel

from pipeline_defs.build import make_job
from pipeline_defs.capabilities import MainFile, UniqueKey
from pipeline_defs.catalog import Catalog
from pipeline_defs.pipeline import LocalStage, Pipeline
from resources.contract.errors import PermanentError
from resources.contract.protocol import Product, Work
from resources.ledger.queries.status import get_request
from resources.ledger.schema.tables import Status
from tests.ledger_steps import Steps
from tests.small_pipelines import small_pipeline


class Nothing(BaseModel):
    """A product without a field."""


def refuse(brief: Any, products: Any, work: Work) -> Product:
    raise PermanentError("it cannot be made", code="not_made")


def make(brief: Any, products: Any, work: Work) -> Product:
    return Product({})


def certificate(work: Any, names: Sequence[str] = ("draft", "seal"), **chosen: Any) -> Pipeline:
    """Stages of these names, each made by this function."""
    stages = tuple(LocalStage(name, Nothing, name, work=work, needs=()) for name in names)
    return small_pipeline("certificate", stages=stages, **chosen)


def run(instance: DagsterInstance, pipeline: Pipeline, **order: str) -> ExecuteInProcessResult:
    """The run of the order `r`, which it registers where the order has fields."""
    job = make_job(pipeline, Catalog({pipeline.name: pipeline}))
    return job.execute_in_process(
        run_config={"task_id": "r", **order}, instance=instance, raise_on_error=False
    )


@pytest.mark.usefixtures("ledger")
def test_run_whose_stage_has_failed_ends_as_failed_with_the_reason_in_every_step(instance):
    result = run(instance, certificate(refuse), subject="Ann")
    found = instance.get_run_by_id(result.run_id)
    failures = [event.step_failure_data for event in result.get_step_failure_events()]
    reasons = [str(failure.user_failure_data) for failure in failures]
    assert found is not None
    assert found.status is DagsterRunStatus.FAILURE
    assert ["it cannot be made" in reason for reason in reasons] == [True, True]


@pytest.mark.usefixtures("ledger")
@pytest.mark.parametrize("names", [("draft", "seal", "stamp"), ("stamp", "seal", "draft")])
def test_stages_that_do_not_need_each_other_begin_in_the_order_of_the_pipeline(instance, names):
    result = run(instance, certificate(make, names), subject="Ann")
    begun = [event.step_key for event in result.all_events if event.is_step_start]
    assert tuple(begun) == names


def test_order_whose_stages_make_no_main_file_is_dead_and_says_so(instance, ledger):
    run(instance, certificate(make, extras=(MainFile("image/png"),)), subject="Ann")
    request = get_request(ledger, "r")
    assert (request.status, request.error_code) == (Status.DEAD, "product_unfit")
    assert (request.error_message or "").startswith(
        "pipeline_defs/certificate: MainFile.media_type: "
    )


def test_run_by_hand_of_a_row_that_came_by_sql_holds_its_key(instance, ledger):
    row = "('r', 'certificate', '{\"subject\": \"Ann\"}')"
    Steps(ledger).sql(f"INSERT INTO requests (task_id, pipeline, payload) VALUES {row}")
    run(instance, certificate(make, extras=(UniqueKey(lambda brief: brief.subject),)))
    assert get_request(ledger, "r").unique_key == "Ann"


@pytest.mark.parametrize("names", [("draft", "seal", "stamp"), ("stamp", "seal", "draft")])
def test_run_that_reuses_every_stage_completes_its_request(instance, ledger, names):
    pipeline = certificate(make, names)
    run(instance, pipeline, subject="Ann")
    Steps(ledger).edit("status = 'pending'")
    assert run(instance, pipeline).success
    assert get_request(ledger, "r").status is Status.COMPLETED
