"""What the desk's table shows: the filter in its address. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Literal, Self
from urllib.parse import urlencode

from castad.api.params import require_plain_text
from castad.readmodels.order_list import search_words
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.listing import Group, RequestFilter
from resources.ledger.schema.tables import Status

TILES = ("waiting", "working", "retry", "dead", "in_doubt", "paused", "held", "done_today")
"""The states that have a tile, in their order."""
STATES = (*TILES, "completed", "canceled")
_STATUSES = {
    "retry": Status.FAILED,
    "dead": Status.DEAD,
    "done_today": Status.COMPLETED,
    "completed": Status.COMPLETED,
    "canceled": Status.CANCELED,
}
_RETRIED = ("retry", "dead", "canceled")
_CANCELED = ("waiting", "working", "retry", "paused", "held")
BulkVerb = Literal["retry", "cancel", "resubmit", "give_up"]


@dataclass(frozen=True)
class DeskFilter:
    """Each is None where it does not matter; `status` is one of `STATES`, `q` has words."""

    status: str | None = None
    pipeline: str | None = None
    stage: str | None = None
    owner: str | None = None
    code: str | None = None
    q: str | None = None

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Self:
        """The filter of an address or a form; raises InvalidInputError."""
        found = {each.name: str(given.get(each.name) or "").strip() or None for each in fields(cls)}
        for name, value in found.items():
            require_plain_text(name, value)
        if found["status"] not in (None, *STATES):
            raise InvalidInputError("status", f"expected one of {', '.join(STATES)}")
        if found["q"] is not None:
            search_words(found["q"])
        return cls(**found)

    @property
    def words(self) -> list[str]:
        """The words that orders must have."""
        return [] if self.q is None else search_words(self.q)

    @property
    def given(self) -> dict[str, str]:
        """What is not None."""
        return {name: value for name, value in vars(self).items() if value is not None}

    @property
    def verbs(self) -> list[BulkVerb]:
        """What may be done with all matching orders at once; a search finds too little for that."""
        allowed: dict[BulkVerb, tuple[str, ...]] = {
            "retry": _RETRIED,
            "cancel": _CANCELED,
            "resubmit": ("in_doubt",),
            "give_up": ("in_doubt",),
        }
        if self.q is not None:
            return []
        return [verb for verb, states in allowed.items() if self.status in states]

    def address(self, **extra: str | None) -> str:
        """The desk with this filter."""
        query = urlencode({**self.given, **{k: v for k, v in extra.items() if v is not None}})
        return f"/desk?{query}" if query else "/desk"

    def with_status(self, status: str | None) -> str:
        """The address of the same filter with another state."""
        return replace(self, status=status).address()

    def request_filter(self, midnight: datetime) -> RequestFilter:
        """The filter as the ledger knows it; `midnight` is when today began."""
        status = self.status or ""
        return RequestFilter(
            owner=self.owner,
            pipeline=self.pipeline,
            stage=self.stage,
            code=self.code,
            status=_STATUSES.get(status),
            group=Group(status) if status in list(Group) else None,
            completed_from=midnight if status == "done_today" else None,
        )
