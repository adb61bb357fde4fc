"""An order looks the same at every face, in each state and for each pipeline."""

import json
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import pytest

from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.delivery.webhooks import build_webhook_body
from resources.ledger.ledger_errors import HeldError
from resources.ledger.queries.overview import build_overview
from resources.ledger.rules import FailureAction, classify_failure
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.stages import begin_stage, complete_stage
from resources.ledger.transitions.webhooks import claim_delivery
from resources.views.order_body import OwnerStatusBody
from sensors.event_mirror import read_result
from tests.api_house import House, stream
from tests.command_line import castad
from tests.ledger_steps import Lease, Steps
from tests.one_order import submit_order
from tests.page_visitor import log_in

ONLY_OF_THE_COMMAND = ("path", "files")
CHANGE_WITH_TIME = ("seconds", "expected_wait_seconds", "next_retry_in_seconds", "orders_ahead")
ENDED = (Status.COMPLETED, Status.DEAD, Status.CANCELED)


def order(steps: Steps, pipeline: Pipeline, hold: str | None = None) -> None:
    submit_order(
        steps.db,
        "r",
        pipeline.example,
        pipeline=pipeline.name,
        source="test",
        same_order=lambda stored, given: stored == given,
        owner="shop",
        callback_url="https://shop.example/castad",
        hold=hold,
    )


def claim(steps: Steps, pipeline: Pipeline, hold: str | None = None) -> Lease:
    order(steps, pipeline, hold)
    steps.dispatch()
    return steps.take(dispatched_as=steps.row().attempt)


def fail(steps: Steps, pipeline: Pipeline, action: FailureAction) -> None:
    lease, stage = claim(steps, pipeline), pipeline.stage_names[0]
    entry = begin_stage(steps.db, lease, stage, pipeline.stage_names, None)
    if action is FailureAction.LOOK_UP:
        steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.UNKNOWN)
    steps.fail(lease, action, stage)


def cancel(steps: Steps, pipeline: Pipeline) -> None:
    order(steps, pipeline)
    steps.cancel()


def make(steps: Steps, pipeline: Pipeline, lease: Lease, stage: str) -> None:
    complete_stage(
        steps.db,
        lease,
        begin_stage(steps.db, lease, stage, pipeline.stage_names, None),
        result={"of": stage},
        cost=7,
        token=None,
        files=(),
        pipeline_stages=pipeline.stage_names,
        settled=None,
    )


def complete(steps: Steps, pipeline: Pipeline) -> None:
    lease = claim(steps, pipeline)
    for stage in pipeline.stage_names:
        make(steps, pipeline, lease, stage)


def hold(steps: Steps, pipeline: Pipeline) -> None:
    if not pipeline.holdable_stages:
        order(steps, pipeline)
        return
    first, second = pipeline.stage_names[:2]
    lease = claim(steps, pipeline, hold=first)
    make(steps, pipeline, lease, first)
    with pytest.raises(HeldError) as held:
        begin_stage(steps.db, lease, second, pipeline.stage_names, None)
    steps.fail_as(lease, classify_failure(held.value, second), second)


STATES: Mapping[str, Callable[[Steps, Pipeline], object]] = {
    "pending": order,
    "processing": claim,
    "held": hold,
    "failed": lambda steps, pipeline: fail(steps, pipeline, FailureAction.RETRY),
    "in_doubt": lambda steps, pipeline: fail(steps, pipeline, FailureAction.LOOK_UP),
    "dead": lambda steps, pipeline: fail(steps, pipeline, FailureAction.DEAD_LETTER),
    "canceled": cancel,
    "completed": complete,
}


def without(body: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in names}


@pytest.fixture(params=STATES)
def status(request: pytest.FixtureRequest, house: House, pipeline: str) -> dict[str, Any]:
    """The API's status of an order in this state."""
    found = get_catalog().get_pipeline(pipeline)
    STATES[request.param](house.steps, found)
    body: dict[str, Any] = house.admin().get("/v1/pipeline/status/r").json()
    return body


@pytest.mark.parametrize("pipeline", [each.name for each in get_catalog()])
def test_order_looks_the_same_at_every_face(house, status):
    told = json.loads(castad("status", "r", "--json").stdout)
    assert without(told, *ONLY_OF_THE_COMMAND, *CHANGE_WITH_TIME) == without(
        status, *CHANGE_WITH_TIME
    )

    page = log_in(house, "shop", "order", "read").get("/works/r").text
    assert escape(status["summary"] or "r", quote=False) in page.replace("&#34;", '"').replace(
        "&#39;", "'"
    )

    with stream(house.admin(), "/v1/pipeline/events/r") as frames:
        assert without(next(frames).data, *CHANGE_WITH_TIME) == without(status, *CHANGE_WITH_TIME)
        if status["overall_status"] in ENDED:
            end = next(each.data for each in frames if each.event == "end")
            assert end["status"] == status["overall_status"]
            assert (end["error"], end["result"]) == (status["error"], status["result"])

    if status["overall_status"] in ENDED:
        webhook = claim_delivery(house.db, 60)
        assert webhook is not None
        overview = build_overview(house.db, "r")
        data = json.loads(build_webhook_body(webhook, overview, read_result(overview)))["data"]
        shared = [name for name in OwnerStatusBody.model_fields if name not in CHANGE_WITH_TIME]
        assert {name: data[name] for name in shared} == {name: status[name] for name in shared}
