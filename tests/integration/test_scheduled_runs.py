"""A time of a schedule has one run, however many daemons look at the schedule."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from dagster import DagsterInstance, DagsterRun, DagsterRunStatus, Definitions, job

DAEMONS = 6
NOON = "2026-01-01T12:00:00+00:00"
ONE = "2026-01-01T13:00:00+00:00"


@job
def hourly() -> None:
    """A job without an op."""


def create(
    instance: DagsterInstance, at: str | None, *, schedule: str = "report", run_key: str = ""
) -> DagsterRun:
    """Create a run as Dagster's scheduler does; without a time as the Launchpad does."""
    tags = {"dagster/run_key": run_key} if run_key else {}
    if at is not None:
        tags |= {"dagster/schedule_name": schedule, ".dagster/scheduled_execution_time": at}
    return instance.create_run(
        job_name=hourly.name,
        run_id=None,
        run_config={},
        status=DagsterRunStatus.NOT_STARTED,
        tags=tags,
        root_run_id=None,
        parent_run_id=None,
        step_keys_to_execute=None,
        execution_plan_snapshot=None,
        job_snapshot=None,
        parent_job_snapshot=None,
        asset_selection=None,
        asset_check_selection=None,
        resolved_op_selection=None,
        op_selection=None,
        remote_job_origin=None,
        job_code_origin=None,
        asset_graph=Definitions(jobs=[hourly]).get_repository_def().asset_graph,
    )


def test_daemons_that_look_at_the_same_time_create_one_run(instance):
    together = Barrier(DAEMONS)

    def tick(_: int) -> str:
        together.wait()
        return create(instance, NOON).run_id

    with ThreadPoolExecutor(DAEMONS) as pool:
        ids = set(pool.map(tick, range(DAEMONS)))
    assert {run.run_id for run in instance.get_runs()} == ids
    assert len(ids) == 1


def test_each_time_schedule_and_key_has_a_run_of_its_own(instance):
    create(instance, NOON)
    create(instance, ONE)
    create(instance, NOON, schedule="retention")
    create(instance, NOON, run_key="a")
    create(instance, NOON, run_key="b")
    assert instance.get_runs_count() == 5


def test_runs_that_no_schedule_asks_for_are_never_the_same(instance):
    create(instance, None)
    create(instance, None)
    assert instance.get_runs_count() == 2
