"""Whether a transaction was committed though its COMMIT had no reply: then its transitions' events are stored.

A transaction without a transition leaves no such proof and is repeated: a new order, progress, a heartbeat,
an API key, a paused vendor and a rate window are stored once, or hold the same, when they are written twice.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, select, text, tuple_
from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.db.retry import retry_for
from resources.ledger.schema.tables import events, requests

_TRANSITIONS = "castad_transitions"


class CommitInDoubtError(SQLAlchemyError):
    """A COMMIT was sent, its reply was lost, and the database did not say whether it took effect.

    Not transient: the transaction may have been committed, so it is not repeated.
    """


@dataclass(frozen=True)
class Transition:
    """A transition, by its event. Another transaction writes the same seq only after this one, hence later."""

    request_id: int
    seq: int
    at: datetime


@dataclass(frozen=True)
class Transaction:
    """An open transaction on Postgres: the server process that executes it, and its transitions so far."""

    backend: int
    transitions: list[Transition]


def begin(connection: Connection) -> Transaction:
    """Begin a transaction on a Postgres connection, in one round trip like a plain BEGIN."""
    connection.exec_driver_sql("BEGIN")
    transitions: list[Transition] = []
    connection.info[_TRANSITIONS] = transitions
    driver: Any = connection.connection.driver_connection
    return Transaction(driver.info.backend_pid, transitions)


def note_transition(tx: Connection, transition: Transition) -> None:
    """The transition can prove later that its transaction was committed."""
    transitions = tx.info.get(_TRANSITIONS)
    if transitions is not None:
        transitions.append(transition)


def was_committed(engine: Engine, transaction: Transaction, seconds: float) -> bool:
    """Whether a transition of the transaction, which has ended, is stored; False where it made none.

    Raises the database's error where it does not answer for this long.
    """
    if not transaction.transitions:
        return False
    return retry_for(lambda: _is_stored(engine, transaction), seconds)


def _is_stored(engine: Engine, transaction: Transaction) -> bool:
    transitions = [(each.request_id, each.seq, each.at) for each in transaction.transitions]
    changed = select(requests.c.id).where(requests.c.id.in_({key for key, _, _ in transitions}))
    made = tuple_(events.c.request_id, events.c.seq, events.c.at).in_(transitions)
    with engine.connect() as connection:
        lost = {"backend": transaction.backend, "changed_at": transaction.transitions[0].at}
        connection.execute(_END_LOST, lost)
        # Waits for the transaction's end: it has locked these rows.
        connection.execute(changed.order_by(requests.c.id).with_for_update()).all()
        return connection.execute(select(events.c.id).where(made).limit(1)).first() is not None


# A server process whose client is gone may not notice, and keeps its locks. Processes that have the number of one
# that has ended began their transactions later.
_END_LOST = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE pid = :backend AND xact_start < :changed_at"
)
