"""Whether a transaction was committed when the reply to its COMMIT was lost: then its moves' events are on record.

A transaction without a move leaves no such proof and is repeated: a new order, progress, a heartbeat, an API key,
a parked vendor and a rate window are on record once, or hold the same, when they are written twice.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, select, text, tuple_
from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.db.retry import retry_for
from resources.ledger.schema.tables import events, requests

_MOVES = "castad_moves"


class CommitInDoubtError(SQLAlchemyError):
    """A COMMIT was sent, its reply was lost, and the database did not say whether it took effect.

    Not transient: the transaction may have been committed, so it is not repeated.
    """


@dataclass(frozen=True)
class Move:
    """A move, by its event. Another transaction writes the same seq only once this one has ended, hence later."""

    request_id: int
    seq: int
    at: datetime


@dataclass(frozen=True)
class Transaction:
    """An open transaction on Postgres: the server process that executes it, and its moves so far."""

    backend: int
    moves: list[Move]


def begin(connection: Connection) -> Transaction:
    """Begin a transaction on a Postgres connection, in one round trip like a plain BEGIN."""
    connection.exec_driver_sql("BEGIN")
    moves: list[Move] = []
    connection.info[_MOVES] = moves
    driver: Any = connection.connection.driver_connection
    return Transaction(driver.info.backend_pid, moves)


def note_move(tx: Connection, move: Move) -> None:
    """The move can prove later that its transaction was committed."""
    moves = tx.info.get(_MOVES)
    if moves is not None:
        moves.append(move)


def was_committed(engine: Engine, transaction: Transaction, seconds: float) -> bool:
    """Whether a move of the transaction, which has ended, is on record; False where it made none.

    Raises the database's error where it does not answer for this long.
    """
    if not transaction.moves:
        return False
    return retry_for(lambda: _is_on_record(engine, transaction), seconds)


def _is_on_record(engine: Engine, transaction: Transaction) -> bool:
    moves = [(move.request_id, move.seq, move.at) for move in transaction.moves]
    moved = select(requests.c.id).where(requests.c.id.in_({key for key, _, _ in moves}))
    made = tuple_(events.c.request_id, events.c.seq, events.c.at).in_(moves)
    with engine.connect() as connection:
        lost = {"backend": transaction.backend, "moved_at": transaction.moves[0].at}
        connection.execute(_END_LOST, lost)
        # Waits for the transaction's end: it has locked these rows.
        connection.execute(moved.order_by(requests.c.id).with_for_update()).all()
        return connection.execute(select(events.c.id).where(made).limit(1)).first() is not None


# A server process whose client is gone may not notice, and keeps its locks. Processes that have the number of one
# that has ended began their transactions later.
_END_LOST = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE pid = :backend AND xact_start < :moved_at"
)
