"""Limits on the connections of a server, in all and per source address."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from itertools import islice
from typing import Generic, TypeVar

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
