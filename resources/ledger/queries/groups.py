"""Groups of requests that an operator looks at, where these are not one status each."""

from enum import StrEnum

from sqlalchemy import ColumnElement, and_, exists, literal_column, not_, or_

from resources.ledger.queries.spending import is_newest_generation
from resources.ledger.schema.tables import (
    AT_WORK,
    HELD,
    JobStatus,
    Status,
    provider_jobs,
    requests,
)


class Group(StrEnum):
    """A group; every pending request is in exactly one of `waiting`, `paused` and `held`."""

    WAITING = "waiting"
    """Pending, and due, or waiting for a limit or for its time."""
    WORKING = "working"
    """Dispatched or processing."""
    PAUSED = "paused"
    """Pending until a vendor is no longer paused, money may be spent again, or the settings are changed."""
    HELD = "held"
    """Pending until a person approves what was made."""
    IN_DOUBT = "in_doubt"
    """No attempt runs, and a submission is lost: a person has to resolve it."""


def in_group(group: Group) -> ColumnElement[bool]:
    """The group as a condition on `requests`."""
    is_pending = requests.c.status == Status.PENDING
    if group is Group.WORKING:
        return requests.c.status.in_(AT_WORK)
    if group is Group.HELD:
        return _IS_HELD
    if group is Group.PAUSED:
        return and_(is_pending, _IS_PAUSED)
    if group is Group.IN_DOUBT:
        return and_(requests.c.status.not_in(AT_WORK), _HAS_LOST_SUBMISSION)
    is_in_line = and_(requests.c.waits_for.like("%:%"), not_(_IS_HELD))
    return and_(is_pending, or_(requests.c.waits_for.is_(None), is_in_line))


def is_paused(waits_for: str | None) -> bool:
    """Whether a pending request that waits for this is paused. Pure."""
    return waits_for is not None and ":" not in waits_for


_IS_HELD: ColumnElement[bool] = literal_column(f"({HELD})")
_IS_PAUSED = and_(requests.c.waits_for.is_not(None), requests.c.waits_for.not_like("%:%"))
_HAS_LOST_SUBMISSION = exists().where(
    provider_jobs.c.request_id == requests.c.id,
    provider_jobs.c.status == JobStatus.UNKNOWN.value,
    provider_jobs.c.heard_id.is_(None),
    is_newest_generation(),
)
