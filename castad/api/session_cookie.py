"""The cookie of a session: no script reads it, and no page of another site sends it."""

from fastapi import Request
from starlette.responses import Response

from resources.ledger.request import Token
from resources.ledger.transitions.access import SESSION_SECONDS

NAME = "castad_session"


def token_in(request: Request) -> Token | None:
    """The session's token in the request's cookie; None where there is none."""
    text = request.cookies.get(_name_for(request))
    return None if text is None else Token.read(text)


def set_cookie(request: Request, response: Response, token: Token) -> None:
    """The response gives the browser the session."""
    response.set_cookie(
        _name_for(request),
        token.text,
        max_age=SESSION_SECONDS,
        path="/",
        secure=_is_by_tls(request),
        httponly=True,
        samesite="strict",
    )


def clear_cookie(request: Request, response: Response) -> None:
    """The response takes the session away from the browser."""
    response.delete_cookie(
        _name_for(request),
        path="/",
        secure=_is_by_tls(request),
        httponly=True,
        samesite="strict",
    )


def _name_for(request: Request) -> str:
    """By TLS a name that no other host of the domain can set (RFC 6265bis)."""
    return f"__Host-{NAME}" if _is_by_tls(request) else NAME


def _is_by_tls(request: Request) -> bool:
    # A proxy's X-Forwarded-Proto is in it where the server trusts the proxy.
    return request.url.scheme == "https"
