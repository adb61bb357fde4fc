"""The rules for HTTP requests to the Dagster UI.

The stock server executes mutations sent by GET and answers any Host, so any page that an operator's browser
opens could launch runs and read them.
"""

from collections.abc import Set
from dataclasses import dataclass

from starlette.types import Scope

from castad.api.same_origin import header_values, is_followed_link, is_foreign

_JSON = "application/json"
_DATA_PATHS = frozenset(
    {
        "dagit",
        "dagit_info",
        "download_debug",
        "graphql",
        "logs",
        "notebook",
        "report_asset_check",
        "report_asset_materialization",
        "report_asset_observation",
        "server_info",
    }
)
"""First path segments of routes that return or accept data: links from other origins do not reach them."""


@dataclass(frozen=True)
class Refusal:
    """Why a request is refused: an HTTP status, a stable code and one sentence."""

    status: int
    code: str
    sentence: str


_MISDIRECTED = Refusal(
    421,
    "misdirected_request",
    "Host: expected the address that the UI listens on, or a name in CASTAD_UI_HOSTS",
)
_CROSS_ORIGIN = Refusal(
    403,
    "cross_origin",
    "Origin: expected the UI's own; requests from pages of other origins are refused",
)
_METHOD = Refusal(405, "method_not_allowed", "the method: expected GET, HEAD or POST")
_NO_JSON = Refusal(
    415, "json_expected", "Content-Type: expected application/json, the only type that POST accepts"
)
_BY_GET = Refusal(
    405, "graphql_by_get", "GraphQL is not executed by GET; send a POST of JSON or use a WebSocket"
)


def own_hosts(host: str, port: int, others: Set[str] = frozenset()) -> frozenset[str]:
    """The Host headers of a server that listens on `host` and `port`, loopback's names included.

    An entry of `others` without a port is valid with any port.
    """
    names = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host.lower()}
    own = {f"{name}:{port}" for name in names}
    return frozenset(own | (names if port == 80 else set()) | set(others))


def refusal_of(scope: Scope, hosts: Set[str]) -> Refusal | None:
    """Why this request is refused; None where it is allowed.

    Only a POST of JSON can change anything, and no page of another origin can send one. Another origin may only
    link to a page, not to data.
    """
    host_values = header_values(scope, b"host")
    if len(host_values) != 1 or not _is_own(host_values[0], hosts):
        return _MISDIRECTED
    if is_foreign(scope, host_values[0]) and not _is_link_to_a_page(scope):
        return _CROSS_ORIGIN
    return None if scope["type"] == "websocket" else _refusal_of_method(scope)


def _refusal_of_method(scope: Scope) -> Refusal | None:
    method = scope["method"]
    if method == "POST":
        kinds = [value.partition(";")[0].strip() for value in header_values(scope, b"content-type")]
        return None if kinds == [_JSON] else _NO_JSON
    if method not in ("GET", "HEAD"):
        return _METHOD
    if _first_segment(scope) == "graphql" and not _is_playground(scope):
        return _BY_GET
    return None


def _is_own(host: str, hosts: Set[str]) -> bool:
    name, colon, port = host.rpartition(":")
    return host in hosts or (bool(colon) and port.isdecimal() and name in hosts)


def _is_link_to_a_page(scope: Scope) -> bool:
    return is_followed_link(scope) and _first_segment(scope) not in _DATA_PATHS


def _is_playground(scope: Scope) -> bool:
    """Whether it is the GraphQL playground's page, which executes nothing."""
    accepted = next(iter(header_values(scope, b"accept")), "")
    return scope["method"] == "GET" and "text/html" in accepted and not scope["query_string"]


def _first_segment(scope: Scope) -> str:
    # Routes match a path that ends in a line feed too.
    return str(scope["path"]).lstrip("/").partition("/")[0].strip()
