"""A provider's id of a job belongs to one submission for ever."""

from sqlalchemy import Connection

from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.queries.spending import task_of_job


def find_id_owner(
    tx: Connection, provider: str, external_id: str, *, other_than: int
) -> str | None:
    """The task_id of another submission with this id, None where the id is free; it stays so in this transaction.

    `other_than` is the submission that is to get the id; the caller has locked its request.
    """
    # Two concurrent submissions would both find the id free.
    AdvisoryLock.EXTERNAL_ID.take(tx, f"{provider} {external_id}")
    owner = tx.execute(task_of_job(provider, external_id, other_than=other_than)).scalars().first()
    return None if owner is None else str(owner)


def duplicate_id_message(provider: str, external_id: str) -> str:
    """The message about an id that another submission has."""
    return f"{provider} calls it {external_id}, which is the id of another submission"
