"""HTTP/1.1 within limits of connections, in all and per source, and of time; and the addresses that proxies name.

Only a trusted proxy is believed about the client whose call it passes on, and nothing that a client wrote.
Each proxy appends the address that it was called from, so the list is read from its right end: up to the first
address that is no trusted proxy's. What stands left of it may come from anybody.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from itertools import islice
from typing import Any, Generic, TypeVar

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

_PREFIX = 64
_ROOM = 20
"""One in so many connections is kept free for calls that have room of their own."""
PROXY = "a trusted proxy"
"""The source of a trusted proxy's connections while they carry no call of a client; it has no limit."""

Connection = TypeVar("Connection", bound=Hashable)


@lru_cache(maxsize=1000)
def find_source(address: str | None) -> str:
    """Return the source that a connection counts for: an IPv4 address, or an IPv6 address' /64 network."""
    try:
        parsed = ip_address((address or "").partition("%")[0])
    except ValueError:
        return ""
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or f"{int(parsed) >> (128 - _PREFIX):x}/{_PREFIX}")


@dataclass
class ConnectionLimiter(Generic[Connection]):
    """The open connections: at most `max_connections`, and of each source `max_per_source` beside its surplus.

    A connection is idle while no complete request of it is handled. The longest idle ones are the surplus: idle
    connections cannot lock other clients out, and a new one has time to send its request.

    Beside its share, a source has a little room for calls that must be answered when the share is used up; so have
    all sources together (`has_share`).
    """

    max_connections: int
    max_per_source: int
    _sources: dict[Connection, str] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _idle: dict[Connection, float] = field(default_factory=dict)
    _idle_by_source: dict[str, dict[Connection, float]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._sources)

    def admit(
        self, connection: Connection, source: str, now: float
    ) -> tuple[bool, Connection | None]:
        """Keep the connection, idle at first, and return whether it is kept and which other one must be closed.

        It is refused if the busy connections of its source use up the source's share.
        """
        evicted = None
        if source != PROXY and self._count_busy(source) >= self._most_of_one:
            return False, None
        if len(self) >= self.max_connections:
            evicted = next(iter(self._idle), None)
            if evicted is None:
                return False, None
            self.remove(evicted)
        self._sources[connection] = source
        self._counts[source] += 1
        self.mark_idle(connection, now)
        return True, evicted

    def has_share(self, source: str) -> bool:
        """Return whether one more call of the source is within its share, and within that of all."""
        busy = len(self) - len(self._idle)
        room = self.max_connections // _ROOM
        return self._count_busy(source) < self.max_per_source and busy < self.max_connections - room

    def assign(self, connection: Connection, source: str) -> None:
        """Count the connection for another source: a proxy's carries the call of one client, then of another."""
        before = self._sources.get(connection)
        if before is None or before == source:
            return
        since = self._idle.get(connection)
        self.remove(connection)
        self._sources[connection] = source
        self._counts[source] += 1
        if since is not None:
            self.mark_idle(connection, since)

    def _count_busy(self, source: str) -> int:
        return self._counts[source] - len(self._idle_by_source.get(source, ()))

    @property
    def _most_of_one(self) -> int:
        return self.max_per_source + self.max_per_source // _ROOM

    def has_surplus(self, source: str) -> bool:
        """Return whether the source has more connections than its share, some of them idle."""
        if source == PROXY:
            return False
        return self._counts[source] > self._most_of_one and source in self._idle_by_source

    def take_surplus(self, source: str, idle_since: float, at_most: int) -> list[Connection]:
        """Remove and return the source's surplus connections that are idle since `idle_since` or longer."""
        count = min(max(self._counts[source] - self._most_of_one, 0), at_most)
        oldest = islice(self._idle_by_source.get(source, {}).items(), count)
        surplus = [connection for connection, since in oldest if since <= idle_since]
        for connection in surplus:
            self.remove(connection)
        return surplus

    def mark_idle(self, connection: Connection, now: float) -> None:
        """Mark the connection as the most recent idle one, unless it is idle already or removed."""
        source = self._sources.get(connection)
        if source is not None and connection not in self._idle:
            self._idle[connection] = now
            self._idle_by_source.setdefault(source, {})[connection] = now

    def mark_busy(self, connection: Connection) -> None:
        """Mark the connection as handling a request: it is not closed before the response is sent."""
        source = self._sources.get(connection)
        if source is not None:
            self._remove_idle(connection, source)

    def remove(self, connection: Connection) -> None:
        """Stop counting the connection. Idempotent."""
        source = self._sources.pop(connection, None)
        if source is None:
            return
        self._remove_idle(connection, source)
        self._counts[source] -= 1
        if not self._counts[source]:
            del self._counts[source]

    def _remove_idle(self, connection: Connection, source: str) -> None:
        self._idle.pop(connection, None)
        idle = self._idle_by_source.get(source, {})
        idle.pop(connection, None)
        if not idle:
            self._idle_by_source.pop(source, None)


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
