"""The one write to a request that is no move: it raises no seq, writes no event, and is no operator's edit."""

from sqlalchemy import ColumnElement, Connection, update

from resources.ledger.errors import IllegalMoveError
from resources.ledger.schema.tables import requests

BOOKKEEPING = frozenset(
    {"lease_until", "callbacks", "turn", "waits_for", "asked_at", "unique_key"},
)
"""Columns that no event folds back to and that the trigger does not watch: renewed leases, callbacks that were
counted to wake an attempt, turns that were held or used, the key that follows from the payload."""


def set_bookkeeping(tx: Connection, *where: ColumnElement[bool], **values: object) -> int:
    """These requests hold these values; how many there are. Raises IllegalMoveError for any other column."""
    if not BOOKKEEPING.issuperset(values):
        raise IllegalMoveError(f"{', '.join(sorted(values))}: only a move may change these")
    return tx.execute(update(requests).where(*where).values(values)).rowcount
