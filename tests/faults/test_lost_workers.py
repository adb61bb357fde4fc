"""A worker is killed, stopped or told to stop, and its order is done all the same, bought once."""

import psutil
import pytest

from tests.faults.breaks import (
    code_server_that_stops,
    kill_worker,
    tell_worker_to_stop,
    unregister_worker,
    worker_stopped,
)
from tests.faults.ends import done
from tests.faults.pairs import on_every_pair, on_postgres

pytestmark = pytest.mark.timeout(300)


@on_every_pair
def test_worker_killed_and_started_again_goes_on(case):
    case.order_and_wait_for_song()
    kill_worker(case.stand, "one")
    case.stand.start_worker("one")
    case.finish_song()
    assert case.end() == done(attempts=2, deaths=1)


@on_postgres
def test_worker_killed_for_good_is_replaced_from_elsewhere(case):
    case.stand.start_worker("two")
    case.until_listed(2)
    case.order_and_wait_for_song()
    kill_worker(case.stand, case.holder)
    case.finish_song()
    assert case.end() == done(attempts=2, deaths=1)


@on_every_pair
def test_worker_stopped_over_its_lease_writes_and_buys_nothing_more(case):
    case.order_and_wait_for_song()
    with worker_stopped(case.stand, "one"):
        case.stand.start_worker("two")
        case.finish_song()
        case.until_quiet()
        events = case.events
    case.until(lambda: case.has_logged("one", "superseded: "), "who was given up has learnt of it")
    assert (case.events, case.end()) == (events, done(attempts=2, deaths=1))


@on_every_pair
def test_worker_told_to_stop_hands_over_and_nothing_is_counted(case):
    case.order_and_wait_for_song()
    unregister_worker(case.stand, "one")
    case.stand.start_worker("two")
    case.finish_song()
    assert case.end() == done(attempts=2)


@on_every_pair
def test_worker_told_to_stop_before_it_claims_loses_nothing(case):
    with worker_stopped(case.stand, "one"), case.slots_that_nobody_has() as beat:
        case.order()
        case.until(lambda: beat() or case.launches, "the run is launched")
        tell_worker_to_stop(case.stand, "one")
    case.stand.start_worker("two")
    assert case.end() == done()


@on_every_pair
def test_worker_told_to_stop_before_the_run_is_launched_loses_nothing(case):
    code_server = code_server_that_stops(case.stand, "requests_sensor.after_dispatch")
    case.order()
    case.until(lambda: code_server.status() == psutil.STATUS_STOPPED, "the order is dispatched")
    unregister_worker(case.stand, "one")
    code_server.resume()
    case.until(lambda: case.launches, "the run is launched")
    case.stand.start_worker("two")
    assert case.end() == done()
