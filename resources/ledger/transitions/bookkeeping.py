"""The one write to a request that is no transition: it raises no seq, writes no event, is no operator's edit."""

from sqlalchemy import ColumnElement, Connection, update

from resources.ledger.ledger_errors import IllegalTransitionError
from resources.ledger.schema.tables import requests

BOOKKEEPING = frozenset(
    {"lease_until", "callbacks", "permit", "waits_for", "asked_at", "unique_key"},
)
"""Columns that no event folds back to and that the trigger does not watch: renewed leases, callbacks that were
counted to wake an attempt, permits that were held or used, the key that follows from the payload."""


def set_bookkeeping(tx: Connection, *where: ColumnElement[bool], **values: object) -> int:
    """These requests hold these values; how many there are. Raises IllegalTransitionError for any other column."""
    if not BOOKKEEPING.issuperset(values):
        raise IllegalTransitionError(
            f"{', '.join(sorted(values))}: only a transition may change these"
        )
    return tx.execute(update(requests).where(*where).values(values)).rowcount
