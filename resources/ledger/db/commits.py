"""What became of a transaction whose COMMIT was sent and whose reply never came."""

import time
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from resources.ledger.db.backoff import pauses
from resources.ledger.db.transient import is_weather, sqlstate

_FUTURE = "22023"  # a transaction id that was never given out, or that a crash has forgotten


class CommitInDoubtError(SQLAlchemyError):
    """A commit was sent, its reply was lost, and the database could not tell what became of it.

    No weather: what may have happened is not done again.
    """


class Fate(Enum):
    """What a transaction has come to."""

    COMMITTED = "committed"
    ABORTED = "aborted"
    OPEN = "open"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True)
class Mark:
    """What a Postgres transaction is known by when its connection is gone.

    `epoch` is when the server began to count, anew after each crash.
    """

    xid: int
    epoch: datetime | None


def begin(connection: Connection) -> Mark:
    """The Postgres connection is in a transaction of this mark; one round trip, as a plain BEGIN would take."""
    xid = connection.exec_driver_sql("BEGIN; SELECT pg_current_xact_id()::text").scalar_one()
    return Mark(int(xid), connection.info["epoch"])


def fate_of(engine: Engine, mark: Mark, seconds: float) -> Fate:
    """What became of it, asked for until the database tells or `seconds` are over (then OPEN)."""
    deadline = time.monotonic() + seconds
    waits = pauses()
    while True:
        fate, pause = Fate.OPEN, next(waits)
        try:
            with engine.connect() as connection:
                fate = _look(connection, mark)
        except SQLAlchemyError as error:
            if not is_weather(error):
                raise
        if fate is not Fate.OPEN or time.monotonic() + pause > deadline:
            return fate
        time.sleep(pause)


def _look(connection: Connection, mark: Mark) -> Fate:
    same_server = mark.epoch is not None and connection.info["epoch"] == mark.epoch
    status = _status(connection, mark)
    if status == "in progress" and same_server:
        _end(connection, mark)
    if status != "committed" or same_server:
        return judge(mark, status, same_server=same_server, recovered_to=None)
    return judge(mark, status, same_server=False, recovered_to=_recovered_to(connection))


def judge(mark: Mark, status: str | None, *, same_server: bool, recovered_to: int | None) -> Fate:
    """The fate that Postgres' answers mean.

    A crash forgets the ids of transactions that had not reached the disk, and gives them out again: after one,
    an id tells of this transaction only where recovery has met it, so where it ended above (`recovered_to`).
    """
    if status == "aborted":
        return Fate.ABORTED
    if status == "in progress":
        return Fate.OPEN if same_server else Fate.ABORTED
    if status != "committed":
        return Fate.FORGOTTEN
    if same_server:
        return Fate.COMMITTED
    if recovered_to is None:
        return Fate.FORGOTTEN
    return Fate.COMMITTED if mark.xid < recovered_to else Fate.ABORTED


def _status(connection: Connection, mark: Mark) -> str | None:
    try:
        query = "SELECT pg_xact_status(%s::xid8)"
        return connection.exec_driver_sql(query, (str(mark.xid),)).scalar()
    except DBAPIError as error:
        if sqlstate(error) != _FUTURE:
            raise
        return "aborted"


def _end(connection: Connection, mark: Mark) -> None:
    """Its server process need not wait for a client that is gone, with the rows it holds locked."""
    query = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid = %s::xid8::xid"
    )
    connection.exec_driver_sql(query, (str(mark.xid),))


def _recovered_to(connection: Connection) -> int | None:
    """The first id that was free after the crash, while no later checkpoint has covered that up."""
    # Only a checkpoint that nobody worked beside, as the one that ends a recovery, redoes from itself.
    query = "SELECT next_xid FROM pg_control_checkpoint() WHERE redo_lsn = checkpoint_lsn"
    next_xid = connection.exec_driver_sql(query).scalar()
    if next_xid is None:
        return None
    wraps, low = next_xid.split(":")
    return (int(wraps) << 32) + int(low)
