"""Acts that may cost money: each names what its person has seen, and the same act again is the same act."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, bindparam, select

from resources.ledger.ledger_errors import ChangedMeanwhileError
from resources.ledger.request import Request
from resources.ledger.schema.tables import events

_BOUGHT = "submission_intended"


@dataclass(frozen=True)
class Act:
    """What a person does with a request.

    `seen` is the number, a generation or an attempt, that the person has seen and names; None where none is named.
    `about` holds the rest, which makes it another act.
    """

    event_type: str
    seen: int | None
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The same for the same act."""
        named = json.dumps([self.event_type, self.seen, self.about], sort_keys=True, default=str)
        return hashlib.sha256(named.encode()).hexdigest()[:32]


def was_done(tx: Connection, request: Request, act: Act) -> bool:
    """Return whether an event of the request says that this was done."""
    return _last_done(tx, request, act) is not None


def ensure_first(
    tx: Connection, request: Request, act: Act, *, of: str, newest: int, number: str
) -> None:
    """Refuse an act that names nothing where it was done before and money was spent since: it may be a repeat.

    `of` and `newest` say which number has to be named, `number` is its name. Raises ChangedMeanwhileError.
    """
    done = None if act.seen is not None else _last_done(tx, request, act)
    if done is None:
        return
    bought = tx.execute(_DATA_AFTER, {"of_id": request.id, "of_type": _BOUGHT, "of_seq": done})
    if any(_of(data).get("cost") for _, data in bought):
        raise ChangedMeanwhileError(of, newest, None, number)


def _last_done(tx: Connection, request: Request, act: Act) -> int | None:
    """The seq of the newest event that says that this was done."""
    found = tx.execute(_DATA_AFTER, {"of_id": request.id, "of_type": act.event_type, "of_seq": 0})
    return max((seq for seq, data in found if _of(data).get("act") == act.key), default=None)


def _of(data: str) -> Mapping[str, Any]:
    """An event's data; an operator may have written anything."""
    try:
        parsed = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


_DATA_AFTER = select(events.c.seq, events.c.data).where(
    events.c.request_id == bindparam("of_id"),
    events.c.type == bindparam("of_type"),
    events.c.seq > bindparam("of_seq"),
)
