"""When the daemon looks at its sensors again, and what Dagster makes of their periods."""

from concurrent.futures import Future
from threading import Timer
from typing import Any

import pytest
from dagster._core.remote_representation.external import RemoteSensor
from dagster._core.remote_representation.external_data import SensorSnap
from dagster._core.remote_representation.handle import RepositoryHandle
from dagster._core.scheduler.instigation import (
    InstigatorState,
    InstigatorStatus,
    SensorInstigatorData,
)
from dagster._daemon.sensor import is_under_min_interval
from dagster._time import get_current_timestamp
from dagster_shared.error import SerializableErrorInfo

from castad.engine.daemon import LONGEST_PAUSE, SHORTEST_PAUSE, pause_after
from pipeline_defs.definitions import defs
from resources.dagster.internals import InstigatorType

FAILED = SerializableErrorInfo("the code server is down", [], None)


def ended(results: list[Any]) -> "Future[Any]":
    """A tick that ends after it was looked at."""
    tick: Future[Any] = Future()
    Timer(0.05, tick.set_result, (results,)).start()
    return tick


def test_sensors_are_looked_at_again_when_a_tick_has_ended():
    assert pause_after([Future(), ended([None])]) == SHORTEST_PAUSE


def test_sensors_rest_after_a_tick_that_failed():
    assert pause_after([Future(), ended([None, FAILED])]) == LONGEST_PAUSE


def test_sensors_rest_after_a_tick_whose_end_could_not_be_stored():
    tick: Future[Any] = Future()
    Timer(0.05, tick.set_exception, (OSError("the storage is down"),)).start()
    assert pause_after([tick]) == LONGEST_PAUSE


def test_no_rest_of_the_sensors_is_longer_than_a_second():
    assert LONGEST_PAUSE <= 1


def test_sensors_rest_where_no_tick_is_in_progress():
    done: Future[Any] = Future()
    done.set_result([None])
    assert pause_after([done]) == LONGEST_PAUSE


@pytest.mark.parametrize(
    ("name", "waits"),
    [("requests_sensor", False), ("rescue_sensor", True), ("outbox_sensor", True)],
)
def test_only_the_requests_sensor_may_tick_again_at_once(name, waits):
    definition = next(sensor for sensor in defs().sensors or () if sensor.name == name)
    handle = RepositoryHandle.for_test()
    known = defs().get_repository_def()
    sensor = RemoteSensor(SensorSnap.from_def(definition, known), handle)
    data = SensorInstigatorData(last_tick_start_timestamp=get_current_timestamp())
    state = InstigatorState(
        sensor.get_remote_origin(), InstigatorType.SENSOR, InstigatorStatus.DECLARED_IN_CODE, data
    )
    assert is_under_min_interval(state, sensor) is waits
