"""Who else may read a request: an owner whose order it is too."""

from sqlalchemy import Connection

from resources.ledger.moves.upsert import upsert
from resources.ledger.schema.tables import readers


def add_reader(tx: Connection, request_id: int, owner: str) -> None:
    """The owner may read the request."""
    reader = {"request_id": request_id, "owner": owner}
    tx.execute(upsert(tx, readers).values(reader).on_conflict_do_nothing())
