"""Stages of the same name in two pipelines have slots, waiters and rates of their own."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from castad.api.metrics import Metrics
from castad.stack.local_daemon import DaemonHealth
from castad.views.scope import make_workload_scope
from pipeline_defs.catalog import Catalog
from resources.ledger.ledger_errors import NoSlotError
from resources.ledger.limits import Limits
from resources.ledger.queries.dispatch import read_dispatch_snapshot
from resources.ledger.queries.hours import read_last_hour
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.workload import read_workload
from resources.ledger.rules import FailureAction, classify_failure
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.dispatch import dispatch_due_requests
from resources.ledger.transitions.orders import NewRequest, submit_orders
from resources.ledger.transitions.stages import StageEntry
from resources.process.settings import Settings
from tests.conftest import MakeSettings
from tests.ledger_steps import AT_ONCE, LEASE_SECONDS, Steps
from tests.small_pipelines import small_pipeline
from tests.song_video import SONG_VIDEO

BOTH = Catalog({name: small_pipeline(name) for name in ("survey", "count")})
EVERYTHING = make_workload_scope(BOTH, LEASE_SECONDS)

Room = Callable[..., Limits]


@pytest.fixture
def room(make_settings: MakeSettings) -> Room:
    """The capacity with so many slots of the stage `look` of each pipeline that is named."""

    def make(**slots: int) -> Limits:
        variables = {f"CASTAD_SLOTS_{name.upper()}_LOOK": str(n) for name, n in slots.items()}
        config = make_settings(stage_variables=tuple(sorted(variables.items())))
        return replace(BOTH.collect_limits(config), on_demand=1000, lease_seconds=LEASE_SECONDS)

    return make


def order(steps: Steps, *task_ids: str) -> None:
    """Each is an order of the pipeline in its name: `survey.1`, `count.1`."""
    orders = [NewRequest(each, {}, each.split(".")[0], "test", dict.__eq__) for each in task_ids]
    submit_orders(steps.db, orders)


def begins(steps: Steps, task_id: str, slots: int = 1) -> Lease:
    """Its run has one of so many slots of the stage."""
    order(steps, task_id)
    lease = steps.take(task_id)
    steps.begin(lease, "look", slots)
    return lease


def waits(steps: Steps, task_id: str, slots: int = 1) -> None:
    """Its run has found no slot, and the order waits for one."""
    with pytest.raises(NoSlotError) as refused:
        begins(steps, task_id, slots)
    lease = Lease(steps.row(task_id).id, task_id, 1, steps.row(task_id).fence, "worker:1")
    steps.fail_as(lease, classify_failure(refused.value, "look"), "look", AT_ONCE)


def dispatched(steps: Steps, capacity: Limits) -> list[str]:
    return [each.task_id for each in dispatch_due_requests(steps.db, capacity)]


def test_each_pipeline_has_the_slots_that_its_own_variable_says(steps, room):
    order(steps, *(f"{name}.{n}" for n in range(4) for name in ("survey", "count")))
    found = Counter(each.split(".")[0] for each in dispatched(steps, room(survey=3, count=1)))
    assert found == {"survey": 3, "count": 1}


def test_stage_without_a_limit_keeps_the_limit_of_its_namesake(steps, room):
    order(steps, "survey.1", "survey.2", "count.1", "count.2")
    assert set(dispatched(steps, room(survey=1))) == {"survey.1", "count.1", "count.2"}


def test_run_finds_its_slot_free_while_the_namesakes_is_taken(steps):
    begins(steps, "count.1")
    assert begins(steps, "survey.1")


def test_run_finds_its_slot_free_while_orders_wait_for_the_namesakes(steps):
    begins(steps, "count.1")
    waits(steps, "count.2")
    assert begins(steps, "survey.1")


def test_order_waits_while_only_the_namesake_has_a_free_slot(steps, room):
    begins(steps, "survey.1")
    waits(steps, "survey.2")
    snapshot = read_dispatch_snapshot(steps.db, room(survey=1, count=5), 10)
    assert (snapshot.ready, dispatched(steps, room(survey=1, count=5))) == (0, [])


def test_order_is_served_while_an_older_one_waits_for_the_namesakes_slot(steps, room):
    begins(steps, "survey.1")
    waits(steps, "survey.2")
    lease = begins(steps, "count.1")
    waits(steps, "count.2")
    steps.release(lease)
    steps.cancel("count.1")
    assert dispatched(steps, room(survey=1, count=1)) == ["count.2"]


def test_each_who_waits_takes_one_slot_of_its_own_stage(steps, room):
    for name in ("survey", "count"):
        begins(steps, f"{name}.1")
        waits(steps, f"{name}.2")
        waits(steps, f"{name}.3")
    waiting = {"survey.2", "survey.3", "count.2", "count.3"}
    assert set(dispatched(steps, room(survey=3, count=3))) == waiting


def test_orders_that_wait_for_the_namesakes_slot_are_not_ahead(steps):
    begins(steps, "survey.1")
    begins(steps, "count.1")
    waits(steps, "survey.2")
    waits(steps, "count.2")
    assert build_overview(steps.db, "count.2").before == 0


def test_order_at_a_vendor_is_not_held_up_by_the_namesakes_full_stage(steps, room):
    begins(steps, "survey.1")
    order(steps, "count.1")
    waiting = "stage = 'look', waits_for = 'permit:suno', asked_at = CURRENT_TIMESTAMP"
    steps.edit(waiting, "count.1")
    assert dispatched(steps, room(survey=1, count=1)) == ["count.1"]


def test_order_that_waits_for_a_stage_that_only_the_namesake_has_goes_on(steps, room):
    begins(steps, "survey.1")
    order(steps, "gone.1")
    steps.edit("stage = 'look', waits_for = 'slot:look', asked_at = CURRENT_TIMESTAMP", "gone.1")
    assert dispatched(steps, room(survey=1)) == ["gone.1"]


def test_vendor_keeps_its_rate_where_another_makes_the_namesake(make_settings, monkeypatch):
    monkeypatch.setenv("SUNO_API_KEY", "key")
    jingle = replace(SONG_VIDEO, name="jingle", stages=SONG_VIDEO.stages[1:2])
    pipelines = Catalog({each.name: each for each in (SONG_VIDEO, jingle)})
    config = make_settings(stage_variables=(("JINGLE_SONG_PROVIDER", "studio"),))
    limits = pipelines.collect_limits(config)
    assert "vendor:suno" in [each.name for each in limits.limits]


# Statistics and metrics


@pytest.fixture
def counted(steps: Steps) -> Metrics:
    """The metrics of a ledger in which the stage of each pipeline has had an end of another kind."""
    metrics = Metrics(steps.db, Settings(home=Path("/nowhere")), BOTH, lambda: DaemonHealth(0, 0))
    completes = begins(steps, "count.1")
    steps.complete(completes, StageEntry("look", 1, None))
    steps.fail(begins(steps, "survey.1"), FailureAction.DEAD_LETTER, "look")
    return metrics


def test_requests_are_counted_by_pipeline_at_stages_of_one_name(steps):
    order(steps, "survey.1", "count.1", "count.2")
    work = read_workload(steps.db, EVERYTHING)
    expected = {"survey_look": 1, "count_look": 2}
    assert {stage: backlog.count for stage, backlog in work.due.items()} == expected
    assert work.requests[Status.PENDING, "count_look"] == 2


def test_dead_letters_are_counted_by_pipeline_at_stages_of_one_name(steps, counted):
    assert read_workload(steps.db, EVERYTHING).requests[Status.DEAD, "survey_look"] == 1


def test_waits_are_counted_by_pipeline_at_stages_of_one_name(steps):
    for name in ("survey", "count"):
        begins(steps, f"{name}.1")
        waits(steps, f"{name}.2")
    waiting = read_workload(steps.db, EVERYTHING).waiting
    assert waiting == {"slot:survey_look": 1, "slot:count_look": 1}


def test_last_hour_is_by_pipeline_at_stages_of_one_name(steps, counted):
    hour = read_last_hour(steps.db, EVERYTHING).stages
    ends = {stage: (each.completed, each.failed) for stage, each in hour.items()}
    assert ends == {"survey_look": (0, 1), "count_look": (1, 0)}


def test_money_of_today_is_by_pipeline_at_stages_of_one_name(steps):
    lease = begins(steps, "survey.1")
    steps.save_intent(lease, StageEntry("look", 1, None))
    assert [stage for _, stage in read_workload(steps.db, EVERYTHING).spent_today] == [
        "survey_look"
    ]


@pytest.mark.parametrize(
    "sample",
    [
        'castad_stage_seconds_count{stage="count_look"} 1.0',
        'castad_failures_total{code="for_none",stage="survey_look"} 1.0',
    ],
)
def test_metrics_are_by_pipeline_at_stages_of_one_name(counted, sample):
    assert sample in counted.render()[0].decode().splitlines()
