"""A vendor's rate limit, shared by everybody who has the same ledger."""

import pytest

from resources.ledger.database import Database
from resources.ledger.moves.providers import calls_in_window
from resources.providers.errors import TransientError
from resources.providers.gate import ledger_gate
from resources.providers.protocol import Rate
from resources.providers.wire import Gate

TWO_A_MINUTE = Rate(2, 60)


def impatient_gate(db: Database) -> Gate:
    return ledger_gate(lambda: db, "suno", TWO_A_MINUTE, patience_seconds=0)


def test_gate_lets_through_what_the_rate_allows(db: Database) -> None:
    gate = impatient_gate(db)
    gate()
    gate()
    assert len(calls_in_window(db, "suno", 60)) == 2


def test_gate_refuses_for_now_what_goes_over_the_rate(db: Database) -> None:
    gates = [impatient_gate(db), impatient_gate(db)]
    for gate in gates:
        gate()
    with pytest.raises(TransientError) as told:
        gates[0]()
    assert (told.value.code, told.value.retry_after) == ("rate_limited", 60)


def test_gate_goes_on_as_soon_as_the_window_has_room(db: Database) -> None:
    gate = ledger_gate(lambda: db, "suno", Rate(2, 1))
    for _ in range(5):
        gate()
    assert len(calls_in_window(db, "suno", 1)) <= 2


def test_gate_takes_a_ledger_that_does_not_answer_for_short_trouble(db: Database) -> None:
    with db.writing() as tx:
        tx.exec_driver_sql("ALTER TABLE providers RENAME TO gone")
    try:
        with pytest.raises(TransientError) as told:
            impatient_gate(db)()
    finally:
        with db.writing() as tx:
            tx.exec_driver_sql("ALTER TABLE gone RENAME TO providers")
    assert told.value.code == "state_unavailable"
