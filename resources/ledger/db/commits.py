"""What became of a transaction whose COMMIT was sent and whose reply never came."""

import time
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from resources.ledger.db.backoff import backoff_delays
from resources.ledger.db.transient import is_transient_db_error, sqlstate

_XID_UNKNOWN = "22023"  # a transaction id that was never given out, or that a crash has forgotten


class CommitInDoubtError(SQLAlchemyError):
    """A commit was sent, its reply was lost, and the database could not tell what became of it.

    No weather: what may have happened is not done again.
    """


class CommitStatus(Enum):
    """What a transaction has come to."""

    COMMITTED = "committed"
    ABORTED = "aborted"
    OPEN = "open"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True)
class TransactionId:
    """What a Postgres transaction is known by when its connection is gone.

    `epoch` is when the server began to count, anew after each crash.
    """

    xid: int
    epoch: datetime | None


def begin(connection: Connection) -> TransactionId:
    """The Postgres connection is in a transaction of this mark; one round trip, as a plain BEGIN would take."""
    xid = connection.exec_driver_sql("BEGIN; SELECT pg_current_xact_id()::text").scalar_one()
    return TransactionId(int(xid), connection.info["epoch"])


def commit_status(engine: Engine, transaction_id: TransactionId, seconds: float) -> CommitStatus:
    """What became of it, asked for until the database tells or `seconds` are over (then OPEN)."""
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
    """The fate that Postgres' answers mean.

    A crash forgets the ids of transactions that had not reached the disk, and gives them out again: after one,
    an id tells of this transaction only where recovery has met it, so where it ended above (`recovered_to`).
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
    """Its server process need not wait for a client that is gone, with the rows it holds locked."""
    query = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid = %s::xid8::xid"
    )
    connection.exec_driver_sql(query, (str(transaction_id.xid),))


def _recovered_to(connection: Connection) -> int | None:
    """The first id that was free after the crash, while no later checkpoint has covered that up."""
    # Only a checkpoint that nobody worked beside, as the one that ends a recovery, redoes from itself.
    query = "SELECT next_xid FROM pg_control_checkpoint() WHERE redo_lsn = checkpoint_lsn"
    next_xid = connection.exec_driver_sql(query).scalar()
    if next_xid is None:
        return None
    wraps, low = next_xid.split(":")
    return (int(wraps) << 32) + int(low)
