"""Who looks at a page: the session of the request's cookie."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from castad.api.sessions import session_of
from castad.api.state import ApiDep
from resources.ledger.queries.api_keys import ApiKey


class LogInNeededError(Exception):
    """The page is for who is logged in."""


@dataclass(frozen=True)
class Visitor:
    """Who is logged in; `csrf` is what a form of this session has to carry."""

    key: ApiKey
    csrf: str

    @property
    def name(self) -> str:
        """The name of the key."""
        return self.key.name

    @property
    def owner(self) -> str:
        """Whose orders the key reaches."""
        return self.key.owner

    @property
    def is_admin(self) -> bool:
        """Whether all orders are shown, and the desk."""
        return self.key.is_admin


async def _visitor(request: Request, api: ApiDep) -> Visitor:
    session = await session_of(api, request)
    if session is None:
        raise LogInNeededError
    request.state.key_id = session.key.id
    return Visitor(session.key, session.csrf)


def require_order_scope(visitor: Visitor, csrf: object) -> None:
    """Return if this form of the session may change its orders.

    Raises ApiError `bad_csrf_token` or `missing_scope`.
    """
    ensure_csrf(visitor.session, csrf)
    ensure_scope(visitor.key, Scope.ORDER)


VisitorDep = Annotated[Visitor, Depends(_visitor)]
