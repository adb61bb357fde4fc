"""Whether a request comes from a page of another origin, by headers that browsers set and pages cannot change."""

from collections.abc import Iterator

from starlette.types import Scope

_OWN_SITES = ("same-origin", "none")


def is_foreign(scope: Scope, host: str) -> bool:
    """Whether a page of another origin than `host` sent it; other programs do not send these headers."""
    sites = header_values(scope, b"sec-fetch-site")
    own = (f"http://{host}", f"https://{host}")
    return any(site not in _OWN_SITES for site in sites) or any(
        origin not in own for origin in header_values(scope, b"origin")
    )


def is_followed_link(scope: Scope) -> bool:
    """Whether a person followed a link to a page: another origin may lead there, and reads nothing of it."""
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and not header_values(scope, b"origin")
        and header_values(scope, b"sec-fetch-mode") == ["navigate"]
        and header_values(scope, b"sec-fetch-dest") == ["document"]
    )


def header_values(scope: Scope, name: bytes) -> list[str]:
    """Each value of the header, in lower case where its case means nothing."""
    return list(_each(scope, name))


def _each(scope: Scope, name: bytes) -> Iterator[str]:
    for key, value in scope["headers"]:
        if key == name:
            text = value.decode("latin-1").strip()
            yield text if name in (b"accept", b"content-type") else text.lower()
