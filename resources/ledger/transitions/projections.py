"""A pipeline's projection of a request, a row in a table of its own: begun again with a stage's begin."""

from sqlalchemy import Connection, delete

from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import metadata
from resources.ledger.stage_changes import ProjectionChange
from resources.ledger.transitions.upsert import upsert

RUNNING = "running"


def open_projection(tx: Connection, request: Request, change: ProjectionChange) -> None:
    """The request's projection is running and has these values; its start is the first one."""
    opened = {"status": RUNNING, "finished_at": None, **change.values}
    first = {"id": request.task_id, "request_id": request.id, "started_at": now()}
    statement = upsert(tx, metadata.tables[change.table]).values({**first, **opened})
    tx.execute(statement.on_conflict_do_update(index_elements=["request_id"], set_=opened))


def drop_projection(tx: Connection, request_id: int, table: str) -> None:
    """Delete the request's own projection, if there is one: another request's stands for it."""
    projection = metadata.tables[table]
    tx.execute(delete(projection).where(projection.c.request_id == request_id))
