"""The id by which a provider calls a job belongs to one submission, for ever."""

from sqlalchemy import Connection, func, select

from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.queries.spending import task_of_job


def find_id_owner(
    tx: Connection, provider: str, external_id: str, *, other_than: int
) -> str | None:
    """The task_id of another submission that has this id; until the transaction ends nobody else takes it.

    `other_than` is the submission that is to have it, and its request has to be locked.
    """
    if tx.dialect.name == "postgresql":
        # Two submissions at the same moment would each find it free.
        name = func.hashtext(f"{provider} {external_id}")
        tx.execute(select(func.pg_advisory_xact_lock(AdvisoryLock.EXTERNAL_ID, name)))
    owner = tx.execute(task_of_job(provider, external_id, other_than=other_than)).scalars().first()
    return None if owner is None else str(owner)


def duplicate_id_message(provider: str, external_id: str) -> str:
    """What there is to say of an id that another submission has."""
    return f"{provider} calls it {external_id}, which is the id of another submission"
