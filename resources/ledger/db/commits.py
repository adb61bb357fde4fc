"""Whether a transaction was committed when the reply to its COMMIT was lost."""

import time
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from resources.ledger.db.backoff import backoff_delays
from resources.ledger.db.transient import is_transient_db_error, sqlstate

_XID_UNKNOWN = "22023"  # an id that was never assigned, or that a crash has erased


class CommitInDoubtError(SQLAlchemyError):
    """A COMMIT was sent, its reply was lost, and the database could not say whether it took effect.

    Not transient: the transaction may have been committed, so it is not repeated.
    """


class CommitStatus(Enum):
    """The state of a transaction."""

    COMMITTED = "committed"
    ABORTED = "aborted"
    OPEN = "open"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True)
class TransactionId:
    """Identifies a Postgres transaction after its connection is lost.

    `epoch` is when the server's statistics began; it changes with each crash.
    """

    xid: int
    epoch: datetime | None


def begin(connection: Connection) -> TransactionId:
    """Begin a transaction on the connection and return its id, in one round trip like a plain BEGIN."""
    xid = connection.exec_driver_sql("BEGIN; SELECT pg_current_xact_id()::text").scalar_one()
    return TransactionId(int(xid), connection.info["epoch"])


def commit_status(engine: Engine, transaction_id: TransactionId, seconds: float) -> CommitStatus:
    """The state of the transaction, queried until it is known or `seconds` are over (then OPEN)."""
    deadline = time.monotonic() + seconds
    delays = backoff_delays()
    while True:
        outcome, pause = CommitStatus.OPEN, next(delays)
        try:
            with engine.connect() as connection:
                outcome = _query_outcome(connection, transaction_id)
        except SQLAlchemyError as error:
            if not is_transient_db_error(error):
                raise
        if outcome is not CommitStatus.OPEN or time.monotonic() + pause > deadline:
            return outcome
        time.sleep(pause)


def _query_outcome(connection: Connection, transaction_id: TransactionId) -> CommitStatus:
    same_server = (
        transaction_id.epoch is not None and connection.info["epoch"] == transaction_id.epoch
    )
    status = _xact_status(connection, transaction_id)
    if status == "in progress" and same_server:
        _terminate_backend(connection, transaction_id)
    if status != "committed" or same_server:
        return classify_commit(transaction_id, status, same_server=same_server, recovered_to=None)
    return classify_commit(
        transaction_id, status, same_server=False, recovered_to=_recovered_to(connection)
    )


def classify_commit(
    transaction_id: TransactionId,
    status: str | None,
    *,
    same_server: bool,
    recovered_to: int | None,
) -> CommitStatus:
    """The state of the transaction, from what Postgres reports.

    A crash erases the ids of transactions that had not reached the disk, and Postgres assigns those ids again.
    After a crash an id is proof only if it is below the first id that was free then (`recovered_to`).
    """
    if status == "aborted":
        return CommitStatus.ABORTED
    if status == "in progress":
        return CommitStatus.OPEN if same_server else CommitStatus.ABORTED
    if status != "committed":
        return CommitStatus.FORGOTTEN
    if same_server:
        return CommitStatus.COMMITTED
    if recovered_to is None:
        return CommitStatus.FORGOTTEN
    return CommitStatus.COMMITTED if transaction_id.xid < recovered_to else CommitStatus.ABORTED


def _xact_status(connection: Connection, transaction_id: TransactionId) -> str | None:
    try:
        query = "SELECT pg_xact_status(%s::xid8)"
        return connection.exec_driver_sql(query, (str(transaction_id.xid),)).scalar()
    except DBAPIError as error:
        if sqlstate(error) != _XID_UNKNOWN:
            raise
        return "aborted"


def _terminate_backend(connection: Connection, transaction_id: TransactionId) -> None:
    """End the server process of a client that is gone, so that it frees the rows it has locked."""
    query = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid = %s::xid8::xid"
    )
    connection.exec_driver_sql(query, (str(transaction_id.xid),))


def _recovered_to(connection: Connection) -> int | None:
    """The first id that was free after the crash; None once a later checkpoint hides it."""
    # Only a checkpoint without concurrent work, such as the one that ends a recovery, is its own redo point.
    query = "SELECT next_xid FROM pg_control_checkpoint() WHERE redo_lsn = checkpoint_lsn"
    next_xid = connection.exec_driver_sql(query).scalar()
    if next_xid is None:
        return None
    wraps, low = next_xid.split(":")
    return (int(wraps) << 32) + int(low)
