"""A daemon or its code server is killed, or there is one too many, and every order is dispatched once."""

import psutil
import pytest

from tests.faults.breaks import code_server_that_stops, kill_code_server, kill_daemon
from tests.faults.ends import done
from tests.faults.pairs import on_every_pair

pytestmark = pytest.mark.timeout(300)
SEVERAL = 6


@on_every_pair
def test_daemon_killed_before_it_launches_what_is_dispatched_is_made_up_for(case):
    code_server = code_server_that_stops(case.stand, "requests_sensor.after_dispatch")
    case.order()
    case.until(lambda: code_server.status() == psutil.STATUS_STOPPED, "the order is dispatched")
    kill_daemon(case.stand)
    code_server.resume()
    case.stand.start_daemon()
    case.until(lambda: "undelivered" in case.events, "the order is taken back")
    assert case.end() == done()


@on_every_pair
def test_daemon_killed_while_a_run_works_is_not_missed(case):
    case.order_and_wait_for_song()
    kill_daemon(case.stand)
    case.stand.start_daemon()
    case.finish_song()
    assert case.end() == done()


@on_every_pair
def test_second_daemon_dispatches_nothing_twice(case):
    first = case.daemon
    case.stand.start_daemon("second", alone=True)
    case.until(lambda: case.daemon != first, "the second one is at work")
    case.order(SEVERAL)
    assert case.end().however_it_waited() == done()
    assert set(case.launches.values()) == {1}


@on_every_pair
def test_code_server_killed_under_its_daemon_is_replaced(case):
    kill_code_server(case.stand)
    case.order()
    case.stand.start_code_server()
    assert case.end() == done()


@on_every_pair
def test_code_server_killed_while_a_run_works_is_not_missed(case):
    case.order_and_wait_for_song()
    kill_code_server(case.stand)
    case.stand.start_code_server()
    case.finish_song()
    assert case.end() == done()
