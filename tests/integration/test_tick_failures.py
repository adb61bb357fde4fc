"""What is known of sensors whose ticks fail, and what the doctor and the statistics say of them."""

import time
from collections.abc import Callable

import pytest
from dagster import DagsterInstance
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.remote_origin import (
    GrpcServerCodeLocationOrigin,
    RemoteInstigatorOrigin,
    RemoteRepositoryOrigin,
)
from dagster._core.scheduler.instigation import (
    InstigatorState,
    InstigatorStatus,
    ScheduleInstigatorData,
    TickData,
    TickStatus,
)
from dagster_shared.error import SerializableErrorInfo

from castad.cli.doctor import find_failed_ticks
from castad.stack.local_daemon import DaemonHealth, TickFailure, read_tick_failures

RAISED = SerializableErrorInfo(
    "resources.contract.errors.StateUnavailableError: the ledger: it does not answer\n", [], None
)
FAILED = SerializableErrorInfo("SensorExecutionError: Error in requests_sensor\n", [], None, RAISED)
Tick = Callable[..., None]


@pytest.fixture
def tick(instance: DagsterInstance) -> Tick:
    """A sensor, or a schedule, has ticked in a code location."""
    known: set[tuple[str, int]] = set()
    at = iter(range(1, 1000))

    def ticked(
        status: TickStatus,
        error: SerializableErrorInfo | None = None,
        *,
        name: str = "requests_sensor",
        kind: InstigatorType = InstigatorType.SENSOR,
        location: int = 1,
        in_a_row: int = 1,
    ) -> None:
        server = GrpcServerCodeLocationOrigin(host="localhost", port=location)
        origin = RemoteInstigatorOrigin(RemoteRepositoryOrigin(server, "__repository__"), name)
        data = ScheduleInstigatorData("0 * * * *") if kind is InstigatorType.SCHEDULE else None
        state = InstigatorState(origin, kind, InstigatorStatus.DECLARED_IN_CODE, data)
        if (name, location) not in known:
            instance.add_instigator_state(state)
            known.add((name, location))
        instance.create_tick(
            TickData(
                instigator_origin_id=origin.get_id(),
                instigator_name=name,
                instigator_type=kind,
                status=status,
                timestamp=time.time() - 1000 + next(at),
                selector_id=state.selector_id,
                error=error,
                consecutive_failure_count=in_a_row,
            )
        )

    return ticked


def failing(instance: DagsterInstance) -> list[tuple[str, int, str]]:
    return [(each.name, each.count, each.error) for each in read_tick_failures(instance)]


def test_sensor_whose_last_tick_failed_is_named_with_what_it_raised(instance, tick):
    tick(TickStatus.SKIPPED)
    tick(TickStatus.FAILURE, FAILED, in_a_row=3)
    assert failing(instance) == [("requests_sensor", 3, "the ledger: it does not answer")]


def test_tick_in_progress_hides_no_failure(instance, tick):
    tick(TickStatus.FAILURE, FAILED)
    tick(TickStatus.STARTED)
    assert [name for name, *_ in failing(instance)] == ["requests_sensor"]


def test_sensor_that_has_recovered_is_not_named(instance, tick):
    tick(TickStatus.FAILURE, FAILED)
    tick(TickStatus.SKIPPED)
    assert failing(instance) == []


def test_failure_in_a_code_location_of_before_does_not_count(instance, tick):
    tick(TickStatus.FAILURE, FAILED, location=1)
    tick(TickStatus.SKIPPED, location=2)
    assert failing(instance) == []


def test_schedule_whose_last_tick_failed_is_named(instance, tick):
    tick(TickStatus.FAILURE, RAISED, name="report", kind=InstigatorType.SCHEDULE)
    assert failing(instance) == [("report", 1, "the ledger: it does not answer")]


def failure(name: str) -> TickFailure:
    return TickFailure(name, 2, 3.0, "the ledger does not answer")


def test_doctor_names_a_sensor_whose_last_ticks_failed():
    [finding] = find_failed_ticks(
        DaemonHealth(1, 1, failures=[failure("rescue_sensor")]), {"rescue_sensor"}
    )
    assert (finding.check, finding.fine, finding.broken) == ("rescue_sensor", False, True)
    expected = "its last 2 ticks failed, the newest 3 s ago: the ledger does not answer"
    assert finding.message == expected


def test_doctor_forgets_a_sensor_that_this_release_does_not_have():
    health = DaemonHealth(1, 1, failures=[failure("removed_sensor")])
    assert list(find_failed_ticks(health, {"rescue_sensor"})) == []


def test_failure_from_before_the_daemon_was_stopped_is_a_notice():
    [finding] = find_failed_ticks(
        DaemonHealth(None, None, failures=[failure("report")]), {"report"}
    )
    assert not finding.broken


@pytest.mark.parametrize(
    ("health", "trouble"),
    [
        (DaemonHealth(1, 1), None),
        (DaemonHealth(1, 1, failures=[failure("rescue_sensor")]), None),
        (
            DaemonHealth(1, 1, failures=[failure("requests_sensor")]),
            "requests_sensor: its last 2 ticks failed, the newest 3 s ago: the ledger does not answer",
        ),
        (DaemonHealth(1, 1, is_switched_off=True), "requests_sensor is switched off"),
        (
            DaemonHealth(1, 40),
            "no sensor ticks (last tick 40 s ago, last heartbeat of the daemon 1 s ago)",
        ),
        (
            DaemonHealth(None, None),
            "no sensor ticks (last tick never, last heartbeat of the daemon never)",
        ),
    ],
)
def test_dispatcher_works_or_says_why_not(health, trouble):
    assert health.dispatch_trouble == trouble
