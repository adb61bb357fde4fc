"""HTTP/1.1 within limits of connections and time, and the addresses that trusted proxies name.

Only a trusted proxy is believed about the client whose call it passes on, and nothing that a client wrote.
Each proxy appends the address that it was called from, so the list is read from its right end: up to the first
address that is no trusted proxy's. What stands left of it may come from anybody.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from castad.api.server.connection_limiter import PROXY, ConnectionLimiter, find_source

Headers = Iterable[tuple[bytes, bytes]]
_Address = IPv4Address | IPv6Address
_Network = IPv4Network | IPv6Network
_MOST_HOPS = 20


@dataclass(frozen=True)
class TrustedProxies:
    """The proxies that are believed, and who is also believed about TLS."""

    proxies: tuple[_Network, ...] = ()
    about_tls: tuple[_Network, ...] = ()

    @classmethod
    def parse(cls, trusted: Sequence[str], about_tls: str | None = None) -> "TrustedProxies":
        """Parse the settings; `about_tls` is read as FORWARDED_ALLOW_IPS by uvicorn, this machine if unset."""
        proxies = tuple(ip_network(each, strict=False) for each in trusted)
        text = os.environ.get("FORWARDED_ALLOW_IPS") if about_tls is None else about_tls
        return cls(proxies, (*proxies, *_parse_networks("127.0.0.1,::1" if text is None else text)))

    def __contains__(self, address: str | None) -> bool:
        return _is_in(_parse_address(address or ""), self.proxies)

    def find_client(self, peer: str | None, headers: Headers) -> str | None:
        """Find the address of the client whose call came in from `peer`.

        Without a usable list it is the proxy's own; so it is with both, since a client may have written one.
        """
        if peer not in self:
            return peer
        given = [(name, value.decode("latin-1")) for name, value in headers]
        written, standard = (
            [value for name, value in given if name == header]
            for header in (b"x-forwarded-for", b"forwarded")
        )
        if written and standard:
            return peer
        hops = (
            _split_from_right(written) if written else map(_find_for, _split_from_right(standard))
        )
        client = peer
        for _, hop in zip(range(_MOST_HOPS), hops, strict=False):
            address = _parse_address(_strip_port(hop))
            if address is None:
                break
            client = str(address)
            if not _is_in(address, self.proxies):
                break
        return client

    def is_by_tls(self, peer: str | None, headers: Headers) -> bool:
        """Return whether the trusted peer says that the client came by TLS."""
        if not _is_in(_parse_address(peer or ""), self.about_tls):
            return False
        said = [value for name, value in headers if name == b"x-forwarded-proto"]
        return bool(said) and said[-1].strip().lower() == b"https"


def _parse_networks(text: str) -> Iterator[_Network]:
    for each in text.split(","):
        name = each.strip()
        try:
            yield from map(ip_network, ("0.0.0.0/0", "::/0") if name == "*" else (name,))
        except ValueError:
            continue  # uvicorn takes other names too, of sockets


@lru_cache(maxsize=1000)
def _parse_address(text: str) -> _Address | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_in(address: _Address | None, networks: Iterable[_Network]) -> bool:
    return address is not None and any(address in network for network in networks)


def _split_from_right(lines: Sequence[str]) -> Iterator[str]:
    """Yield the elements of a header's lists, the last one first.

    A comma in quotes is no end. Quotes are read from the right too: none that a client has opened hides what was
    appended after it.
    """
    for line in reversed(lines):
        end, is_quoted = len(line), False
        for at in range(len(line) - 1, -1, -1):
            if line[at] == '"':
                is_quoted = not is_quoted
            elif line[at] == "," and not is_quoted:
                yield line[at + 1 : end].strip()
                end = at
        yield line[:end].strip()


def _find_for(element: str) -> str:
    """Find the `for` of an element of Forwarded (RFC 7239); empty if it has not one."""
    pairs = [pair.partition("=") for pair in element.split(";")]
    found = [value.strip() for name, _, value in pairs if name.strip().lower() == "for"]
    return found[0].strip('"') if len(found) == 1 else ""


def _strip_port(text: str) -> str:
    """Return the address of `1.2.3.4:5`, `[::1]:5` and `[::1]`."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n"
    b"Content-Length: 0\r\n\r\n"
)
_FULL = b"the address: too many of its calls are being answered; call again in 2 s\n"


# A request that arrived together with its connection is parsed by then.
_GRACE_SECONDS = 0.1
# So many connections are closed in one go; then the event loop serves others.
_MAX_CLOSED_AT_ONCE = 100
_PAUSE_SECONDS = 0.01


class ConnectionGate:
    """Applies the limiter's decisions to a server's connections: it closes the evicted ones and the surplus.

    Calls of the paths `with_room`, and of paths below them, are answered beside a full share.
    """

    def __init__(
        self,
        connection_limiter: "ConnectionLimiter[GuardedProtocol]",
        proxies: TrustedProxies,
        with_room: tuple[bytes, ...] = (),
    ) -> None:
        self.connection_limiter = connection_limiter
        self.proxies = proxies
        self._with_room = with_room
        self._closing: set[str] = set()

    def find_peer_source(self, peer: str | None) -> str:
        """Return the source that a connection counts for while it carries no call."""
        return PROXY if peer in self.proxies else find_source(peer)

    def has_room(self, source: str, target: bytes) -> bool:
        """Return whether a call of the source is answered."""
        path = target.partition(b"?")[0]
        is_kept_room = any(path == each or path.startswith(each + b"/") for each in self._with_room)
        return is_kept_room or self.connection_limiter.has_share(source)

    def accept(self, connection: "GuardedProtocol", loop: asyncio.AbstractEventLoop) -> bool:
        """Return whether the connection is kept for now; close its source's surplus after the grace period."""
        source = self.find_peer_source(connection.client and connection.client[0])
        is_kept, evicted = self.connection_limiter.admit(connection, source, loop.time())
        if evicted is not None:
            evicted.reject(_TOO_MANY)
        if self.connection_limiter.has_surplus(source) and source not in self._closing:
            self._closing.add(source)
            loop.call_later(_GRACE_SECONDS, self._close_surplus, source, loop)
        return is_kept

    def _close_surplus(self, source: str, loop: asyncio.AbstractEventLoop) -> None:
        surplus = self.connection_limiter.take_surplus(
            source, loop.time() - _GRACE_SECONDS, _MAX_CLOSED_AT_ONCE
        )
        for connection in surplus:
            connection.reject(_TOO_MANY)
        if self.connection_limiter.has_surplus(source):
            loop.call_later(
                _PAUSE_SECONDS if surplus else _GRACE_SECONDS, self._close_surplus, source, loop
            )
        else:
            self._closing.discard(source)


class GuardedProtocol(H11Protocol):
    """One connection. A request's head must arrive within `head_seconds`; `gate` may refuse the connection."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        gate: ConnectionGate,
        head_seconds: float,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._parse_event = self.conn.next_event
        self.conn.next_event = self._parse_event_strictly  # type: ignore[method-assign]
        self._gate = gate
        self._limiter = gate.connection_limiter
        self._head_seconds = head_seconds
        self._head_timer: asyncio.TimerHandle | None = None
        self._answers = self.app
        self._peer: tuple[str, int] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Keep the connection and wait for a head, or reject it with 503."""
        super().connection_made(transport)
        self._peer = self.client
        if self._gate.accept(self, self.loop):
            self._start_head_timer()
        else:
            self.reject(_TOO_MANY)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        super().connection_lost(exc)
        self._remove()

    def data_received(self, data: bytes) -> None:
        """Start the timer of a head at its first bytes, unless a request is being handled."""
        if self._head_timer is None and not self._is_handling_request:
            self._start_head_timer()
        super().data_received(data)

    def handle_events(self) -> None:
        """Stop the timer at a complete head; with its body complete too, mark the connection as busy."""
        super().handle_events()
        if not self._is_handling_request:
            return
        self._cancel_timer()
        if not self.cycle.more_body:
            self._limiter.mark_busy(self)

    def on_response_complete(self) -> None:
        """Mark the connection as idle again, for as long as uvicorn's keep-alive lasts."""
        self._limiter.assign(self, self._gate.find_peer_source(self._peer and self._peer[0]))
        self._limiter.mark_idle(self, self.loop.time())
        super().on_response_complete()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Stop counting the connection, and give it to the WebSocket protocol."""
        self._remove()
        super().handle_websocket_upgrade(event)

    def reject(self, response: bytes) -> None:
        """Close the connection; send `response` before, unless another response has started."""
        self._cancel_timer()
        if self.transport.is_closing():
            return
        if self.cycle is None or not self.cycle.response_started:
            self.transport.write(response)
        self.transport.close()

    def _parse_event_strictly(self) -> Any:
        """Return h11's next event; raise RemoteProtocolError for a message of two lengths.

        A proxy in front may delimit such a message differently (RFC 9112, section 6.1).
        """
        event = self._parse_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("Content-Length together with Transfer-Encoding")
            self._note_caller(event)
        return event

    def _note_caller(self, request: h11.Request) -> None:
        """Set the client and scheme from which uvicorn makes the ASGI scope, and whether it is answered."""
        peer, proxies = self._peer and self._peer[0], self._gate.proxies
        headers = [(name.lower(), value) for name, value in request.headers]
        client = proxies.find_client(peer, headers)
        self.client = self._peer if client is None or client == peer else (client, 0)
        self.scheme = "https" if proxies.is_by_tls(peer, headers) else "http"
        # A proxy that names no client is one itself.
        source = find_source(client)
        self._limiter.assign(self, source)
        self.app = self._answers if self._gate.has_room(source, request.target) else _refuse

    @property
    def _is_handling_request(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _start_head_timer(self) -> None:
        self._head_timer = self.loop.call_later(self._head_seconds, self.reject, _TOO_SLOW)

    def _cancel_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _remove(self) -> None:
        self._cancel_timer()
        self._limiter.remove(self)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer that the source's share is used up."""
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(_FULL)).encode()),
        *((b"retry-after", b"2"), (b"connection", b"close")),
    ]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": _FULL})
