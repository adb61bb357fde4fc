"""Dead letters that died of a passing cause are tried once more, without a person."""

from collections.abc import Collection

from sqlalchemy import exists, literal_column, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.failures import PASSING_CODES
from resources.ledger.ledger_errors import (
    DuplicateOrderError,
    IllegalTransitionError,
    UnknownRequestError,
)
from resources.ledger.queries.ended import in_doubt
from resources.ledger.schema.tables import ENDED, Status, events, requests
from resources.ledger.transitions.core import lock_task, transition
from resources.ledger.transitions.orders import reset_of

REDRIVEN = "redriven"


@retry_transient
def redrivable(db: Database, limit: int) -> list[str]:
    """The oldest dead letters of a passing cause, settled, that were never tried once more."""
    before = exists().where(events.c.request_id == requests.c.id, events.c.type == REDRIVEN)
    query = (
        select(requests.c.task_id)
        .where(
            literal_column(ENDED),
            requests.c.status == Status.DEAD,
            requests.c.error_code.in_(PASSING_CODES),
            ~before,
            ~in_doubt(),
        )
        .order_by(requests.c.id)
        .limit(limit)
    )
    with db.reading() as tx:
        return list(tx.execute(query).scalars())


@retry_transient
def redrive(db: Database, task_id: str, taking_over: Collection[str] = ()) -> bool:
    """Try the dead letter once more; return False where it has changed since it was listed.

    It also returns False where another request holds its unique key, unless its pipeline is in `taking_over`.
    """
    try:
        with db.writing() as tx:
            request, _ = lock_task(tx, task_id)
            before = (events.c.request_id == request.id, events.c.type == REDRIVEN)
            if tx.execute(select(exists().where(*before))).scalar():
                return False
            reset = reset_of(tx, request, takes_over=request.pipeline in taking_over)
            transition(tx, request, REDRIVEN, reset)
    except (UnknownRequestError, DuplicateOrderError, IllegalTransitionError):
        return False
    return True
