"""The guard in front of the Dagster UI: its rules for requests, its authentication and its server.

The stock server executes mutations sent by GET and answers any Host, so any page that an operator's browser
opens could launch runs and read them. Dagster's web application is created as its command does
(dagster-webserver 1.13.27).
"""

import base64
import binascii
import logging
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from hmac import compare_digest
from ipaddress import ip_address
from pathlib import Path

from dagster import DagsterInstance
from dagster_webserver.app import create_app_from_workspace_process_context
from dagster_webserver.version import __version__
from pydantic import SecretStr
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from castad.api.auth import is_followed_link, is_foreign, list_header_values
from castad.api.keys import ApiKeyCache
from castad.api.problems import reply_problem, reply_to_error
from castad.api.server.serve import ConnectionLimits, build_guarded_config, format_address, serve
from castad.dagster_storage.home import make_dagster_home
from castad.stack.admin_key import ensure_admin_key
from castad.stack.processes import ensure_port_free
from resources.dagster.internals import WorkspaceFileTarget, WorkspaceProcessContext
from resources.ledger.db.database import open_database, with_short_timeouts
from resources.ledger.queries.access import Secret
from resources.process.configure_logging import configure_logging
from resources.process.settings import Settings

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
class RefusedCall:
    """Why a request is refused: an HTTP status, a stable code and one sentence."""

    status: int
    code: str
    sentence: str


_MISDIRECTED = RefusedCall(
    421,
    "misdirected_request",
    "Host: expected the address that the UI listens on, or a name in CASTAD_UI_HOSTS",
)
_CROSS_ORIGIN = RefusedCall(
    403,
    "cross_origin",
    "Origin: expected the UI's own; requests from pages of other origins are refused",
)
_METHOD = RefusedCall(405, "method_not_allowed", "the method: expected GET, HEAD or POST")
_NO_JSON = RefusedCall(
    415, "json_expected", "Content-Type: expected application/json, the only type that POST accepts"
)
_BY_GET = RefusedCall(
    405, "graphql_by_get", "GraphQL is not executed by GET; send a POST of JSON or use a WebSocket"
)


def list_own_hosts(host: str, port: int, others: Set[str] = frozenset()) -> frozenset[str]:
    """List the Host headers of a server on `host` and `port`, loopback's names included.

    An entry of `others` without a port is valid with any port.
    """
    names = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host.lower()}
    own = {f"{name}:{port}" for name in names}
    return frozenset(own | (names if port == 80 else set()) | set(others))


def find_refusal(scope: Scope, hosts: Set[str]) -> RefusedCall | None:
    """Find why this request is refused; None if it is allowed.

    Only a POST of JSON can change anything, and no page of another origin can send one. Another origin may only
    link to a page, not to data.
    """
    host_values = list_header_values(scope, b"host")
    if len(host_values) != 1 or not _is_own(host_values[0], hosts):
        return _MISDIRECTED
    is_link_to_a_page = is_followed_link(scope) and _get_first_segment(scope) not in _DATA_PATHS
    if is_foreign(scope, host_values[0]) and not is_link_to_a_page:
        return _CROSS_ORIGIN
    return None if scope["type"] == "websocket" else _find_method_refusal(scope)


def _find_method_refusal(scope: Scope) -> RefusedCall | None:
    method = scope["method"]
    if method == "POST":
        kinds = [
            value.partition(";")[0].strip() for value in list_header_values(scope, b"content-type")
        ]
        return None if kinds == [_JSON] else _NO_JSON
    if method not in ("GET", "HEAD"):
        return _METHOD
    if _get_first_segment(scope) == "graphql" and not _is_playground(scope):
        return _BY_GET
    return None


def _is_own(host: str, hosts: Set[str]) -> bool:
    name, colon, port = host.rpartition(":")
    return host in hosts or (bool(colon) and port.isdecimal() and name in hosts)


def _is_playground(scope: Scope) -> bool:
    """Return whether it is the GraphQL playground's page, which executes nothing."""
    accepted = next(iter(list_header_values(scope, b"accept")), "")
    return scope["method"] == "GET" and "text/html" in accepted and not scope["query_string"]


def _get_first_segment(scope: Scope) -> str:
    # Routes match a path that ends in a line feed too.
    return str(scope["path"]).lstrip("/").partition("/")[0].strip()


class UiAuthenticator:
    """Accepts the configured password or an admin's key by HTTP Basic with any user name, a key as Bearer too."""

    def __init__(self, password: SecretStr | None, key_cache: ApiKeyCache) -> None:
        self._password = password
        self._key_cache = key_cache

    async def accepts(self, authorization: str) -> bool:
        """Return whether this Authorization header is valid. A revoked key is refused after a second at most."""
        scheme, _, given = authorization.partition(" ")
        if scheme.lower() == "basic":
            text = _parse_password(given.strip())
            return text is not None and (self._is_password(text) or await self._is_admin_key(text))
        return scheme.lower() == "bearer" and await self._is_admin_key(given.strip())

    def _is_password(self, text: str) -> bool:
        expected = self._password
        return expected is not None and compare_digest(
            expected.get_secret_value().encode(), text.encode()
        )

    async def _is_admin_key(self, text: str) -> bool:
        secret = Secret.read(text)
        key = None if secret is None else await self._key_cache.find_key(secret)
        return key is not None and key.is_admin


def _parse_password(encoded: str) -> str | None:
    try:
        text = base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    _, colon, password = text.partition(":")
    return password if colon else None


_log = logging.getLogger("castad.ui")
_UNAUTHORIZED = RefusedCall(
    401,
    "unauthorized",
    "Authorization: expected CASTAD_UI_PASSWORD or an admin's key as the password",
)
_CHALLENGE = {"WWW-Authenticate": 'Basic realm="castad", charset="UTF-8"'}
_SECURITY_HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_FRAMED_BY_ITSELF = "frame-ancestors 'self'"


class GuardedUi:
    """ASGI: `app`, for requests to `hosts` that pass the guard and, if `credentials` is set, authenticate."""

    def __init__(self, app: ASGIApp, hosts: Set[str], credentials: UiAuthenticator | None) -> None:
        self._app = app
        self._hosts = hosts
        self._credentials = credentials

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with one sentence; other origins cannot embed the response."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        send = _add_security_headers(send)
        try:
            refusal = find_refusal(scope, self._hosts) or await self._find_authentication_refusal(
                scope
            )
        except SQLAlchemyError as error:
            await reply_to_error(error)(scope, receive, send)
            return
        if refusal is None:
            await self._app(scope, receive, send)
            return
        _log.info("request refused: %s [%s]", scope.get("method", "WebSocket"), refusal.code)
        headers = {"Cache-Control": "no-store", **(_CHALLENGE if refusal is _UNAUTHORIZED else {})}
        answer = reply_problem(refusal.status, refusal.code, refusal.sentence, headers=headers)
        await answer(scope, receive, send)

    async def _find_authentication_refusal(self, scope: Scope) -> RefusedCall | None:
        if self._credentials is None:
            return None
        given = [value for key, value in scope["headers"] if key == b"authorization"]
        is_known = len(given) == 1 and await self._credentials.accepts(given[0].decode("latin-1"))
        return None if is_known else _UNAUTHORIZED


def _add_security_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _SECURITY_HEADERS.items():
                headers.setdefault(name, value)
            # Added to the page's own policy: browsers apply both.
            headers.append("content-security-policy", _FRAMED_BY_ITSELF)
        await send(message)

    return send_with_headers


_STOP_SECONDS = 1
_STATEMENT_MILLISECONDS = 15_000
_RECYCLE_SECONDS = 3600
_OVERFLOW = 20
_LIVE_MILLISECONDS = 2000


def run_ui(settings: Settings, host: str, port: int, workspace: Path) -> int:
    """Serve the UI until a signal stops this process; return the exit code. Raises PortTakenError."""
    ensure_port_free(host, port)
    configure_logging()
    logging.getLogger("uvicorn.error").addFilter(_is_no_refusal)
    hosts = list_own_hosts(host, port, frozenset(settings.ui_hosts))
    credentials = _build_authenticator(settings) if requires_credentials(settings, host) else None
    hint = "a password is required" if credentials else "no password is required"
    with _open_webserver(settings, workspace) as stock:
        config = build_guarded_config(
            GuardedUi(stock, hosts, credentials),
            host,
            port,
            ConnectionLimits(
                settings.connections_per_address, trusted_proxies=settings.trusted_proxies
            ),
            stop_seconds=_STOP_SECONDS,
            websockets=True,
        )
        return serve(config, f"the Dagster UI answers on {format_address(host, port)}; {hint}")


@contextmanager
def _open_webserver(settings: Settings, workspace: Path) -> Iterator[ASGIApp]:
    """Open Dagster's application for the block. It has no authentication: clients may do everything."""
    with DagsterInstance.from_config(str(make_dagster_home(settings))) as instance:
        instance.optimize_for_webserver(_STATEMENT_MILLISECONDS, _RECYCLE_SECONDS, _OVERFLOW)
        with WorkspaceProcessContext(
            instance,
            version=__version__,
            workspace_load_target=WorkspaceFileTarget([str(workspace)]),
            code_server_log_level="warning",
        ) as context:
            yield create_app_from_workspace_process_context(context, "", _LIVE_MILLISECONDS)


def _is_no_refusal(record: logging.LogRecord) -> bool:
    """Return False for uvicorn's error about a WebSocket that the guard refused: it is no error."""
    return "without completing handshake" not in record.getMessage()


def requires_credentials(settings: Settings, host: str) -> bool:
    """Return whether a password is set, or an address or a name of the UI is not loopback's."""
    reached_by = (host, *(_strip_port(name) for name in settings.ui_hosts))
    return settings.ui_password is not None or not all(map(_is_loopback, reached_by))


def _build_authenticator(settings: Settings) -> UiAuthenticator:
    ensure_admin_key(open_database(settings.ledger_url), settings.home)
    return UiAuthenticator(
        settings.ui_password, ApiKeyCache(open_database(with_short_timeouts(settings.ledger_url)))
    )


def _strip_port(name: str) -> str:
    return name if name.endswith("]") else name.rpartition(":")[0] or name


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name == "localhost"
