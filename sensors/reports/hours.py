"""Which hours are reported on. Pure."""

import re
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from resources.contract.errors import InvalidInputError

HOUR = timedelta(hours=1)
_MADE_UP = 24
_AGAIN = 2
_BASELINE_DAYS = 7
_MOST_BACK = 100_000
_EXPECTED = (
    "expected an hour in UTC that is over, such as 2030-01-31T09, or -1 for the last one, "
    "-2 for the one before"
)


def hour_text(hour: datetime) -> str:
    """2030-01-31T09."""
    return hour.astimezone(UTC).strftime("%Y-%m-%dT%H")


def last_closed(now: datetime) -> datetime:
    """The begin of the last hour that is over, in UTC."""
    return now.astimezone(UTC).replace(minute=0, second=0, microsecond=0) - HOUR


def parse_hour(given: str, now: datetime) -> datetime:
    """The begin of the closed hour that is meant; raises InvalidInputError."""
    last = last_closed(now)
    found = _back(given, last) if given.startswith("-") else _named(given)
    if found is None or found > last:
        raise InvalidInputError("hour", f"{_EXPECTED}, got {ascii(given)[:40]}")
    return found


def _back(given: str, last: datetime) -> datetime | None:
    if not re.fullmatch("-[0-9]{1,6}", given) or not 1 <= -int(given) <= _MOST_BACK:
        return None
    return last + HOUR * (int(given) + 1)


def _named(given: str) -> datetime | None:
    if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}", given):
        return None
    try:
        found = datetime.strptime(given, "%Y-%m-%dT%H").replace(tzinfo=UTC)
    except ValueError:
        return None
    return found if found.year >= 1970 else None


def hours_to_report(now: datetime, reported: Collection[datetime]) -> list[datetime]:
    """The last closed hour, the two before it again, and what is missing of the last 24; the oldest first.

    A stage that completes late changes the cost of an hour that has been reported on.
    """
    last = last_closed(now)
    recent = [last - HOUR * back for back in reversed(range(_MADE_UP))]
    again = last - HOUR * _AGAIN
    return [hour for hour in recent if hour >= again or hour not in reported]


def baseline_hours(hour: datetime) -> list[datetime]:
    """The same hour of the seven days before."""
    return [hour - timedelta(days=day) for day in range(1, _BASELINE_DAYS + 1)]
