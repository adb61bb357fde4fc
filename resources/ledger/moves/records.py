"""The record that a pipeline keeps of a request in a table of its own: begun anew with a stage's begin."""

from sqlalchemy import Connection, delete

from resources.ledger.moves.upsert import upsert
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import metadata
from resources.ledger.stage_changes import RecordChange

RUNNING = "running"


def open_record(tx: Connection, request: Request, change: RecordChange) -> None:
    """The request's record is running and has these values; its start is the first one."""
    opened = {"status": RUNNING, "finished_at": None, **change.values}
    first = {"id": request.task_id, "request_id": request.id, "started_at": now()}
    statement = upsert(tx, metadata.tables[change.table]).values({**first, **opened})
    tx.execute(statement.on_conflict_do_update(index_elements=["request_id"], set_=opened))


def drop_record(tx: Connection, request_id: int, table: str) -> None:
    """Delete the request's own record, if there is one: another request's is its record."""
    records = metadata.tables[table]
    tx.execute(delete(records).where(records.c.request_id == request_id))
