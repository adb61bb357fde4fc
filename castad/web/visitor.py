"""Who looks at a page: the session of the request's cookie."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from castad.api.auth import ensure_scope, ensure_within_rate
from castad.api.sessions import Session, ensure_csrf, session_of
from castad.api.state import ApiDep
from resources.ledger.queries.access import ApiKey, Scope


class LogInNeededError(Exception):
    """The page is for who is logged in."""


@dataclass(frozen=True)
class Visitor:
    """Who is logged in."""

    session: Session

    @property
    def key(self) -> ApiKey:
        """The key that the session was begun with."""
        return self.session.key

    @property
    def csrf(self) -> str:
        """What a form of this session has to carry."""
        return self.session.csrf

    @property
    def name(self) -> str:
        """The name of the key."""
        return self.key.name

    @property
    def owner(self) -> str:
        """Whose orders the key reaches."""
        return self.key.owner

    @property
    def may_order(self) -> bool:
        """Whether the key may change its orders."""
        return self.key.allows(Scope.ORDER)

    @property
    def is_admin(self) -> bool:
        """Whether all orders are shown, and the desk."""
        return self.key.is_admin


async def _session_visitor(request: Request, api: ApiDep) -> Visitor:
    session = await session_of(api, request)
    if session is None:
        raise LogInNeededError
    request.state.key_id = session.key.id
    ensure_within_rate(api, session.key)
    api.open_reads.count(request, session.key.id)
    return Visitor(session)


AnyVisitorDep = Annotated[Visitor, Depends(_session_visitor)]
"""Whoever is logged in, whatever the key may do."""


async def _visitor(visitor: AnyVisitorDep) -> Visitor:
    ensure_scope(visitor.key, Scope.READ)
    return visitor


VisitorDep = Annotated[Visitor, Depends(_visitor)]
"""Who is logged in and may read, as every page needs."""


def require_order_scope(visitor: Visitor, csrf: object) -> None:
    """Return if this form of the session may change its orders.

    Raises ApiError `bad_csrf_token` or `missing_scope`.
    """
    ensure_csrf(visitor.session, csrf)
    ensure_scope(visitor.key, Scope.ORDER)
