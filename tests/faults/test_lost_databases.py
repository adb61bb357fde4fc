"""The database is restarted, crashes, cuts everybody off or is locked, and the order waits and goes on."""

import pytest

from tests.faults.breaks import cut_connections, database_down, ledger_locked
from tests.faults.ends import done
from tests.faults.pairs import on_postgres, on_sqlite

pytestmark = pytest.mark.timeout(300)
DOWN_SECONDS = 5.0
SILENT_SECONDS = 7.0
"""With the lease of 3 s before it, nobody could write for 10 s."""


@on_postgres
def test_database_restarted_while_the_song_is_awaited_fails_nothing(case):
    case.order_and_wait_for_song()
    with database_down(case.stand) as server:
        server.restart(DOWN_SECONDS)
    case.finish_song()
    assert case.end().whoever_did_it() == done()


@on_postgres
def test_database_crashed_while_the_song_is_awaited_fails_nothing(case):
    case.order_and_wait_for_song()
    with database_down(case.stand) as server:
        server.kill()
        server.start_again()
    case.finish_song()
    assert case.end().whoever_did_it() == done()


@on_postgres
def test_connections_cut_three_times_in_a_run_fail_nothing(case):
    case.order_and_wait_for_song()
    for _ in range(3):
        cut_connections(case.stand)
        case.until_renewed()
    case.finish_song()
    assert case.end() == done()


@on_sqlite
def test_ledger_locked_while_a_stage_completes_fails_nothing(case):
    case.order_and_wait_for_song()
    with ledger_locked(case.stand):
        case.finish_song()
        case.until(
            lambda: case.has_lost_its_lease_for(SILENT_SECONDS), "nobody could write for long"
        )
    assert case.end().whoever_did_it() == done()
