"""Which connections a server keeps where too many are opened."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from itertools import islice
from typing import Generic, TypeVar

_PREFIX = 64

Connection = TypeVar("Connection", bound=Hashable)


@lru_cache(maxsize=1000)
def source_of(address: str | None) -> str:
    """Whom connections are counted for: an IPv4 address, or the /64 that an IPv6 address is one of."""
    try:
        parsed = ip_address((address or "").partition("%")[0])
    except ValueError:
        return ""
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or f"{int(parsed) >> (128 - _PREFIX):x}/{_PREFIX}")


@dataclass
class ConnectionLimiter(Generic[Connection]):
    """The open connections: at most `most`, and of each source `most_of_one` as soon as its surplus is taken out.

    One that has not asked anything completely waits. Those that have waited longest are the surplus, so that
    nobody is shut out by connections that ask nothing, and whoever has just come has a moment to ask.
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
        """Whether it is kept, as one that waits; and the other one that has to be closed for it, if any.

        It is not where the whole share of its source is being answered.
        """
        evicted = None
        if self._counts[source] - len(self._idle_by_source.get(source, ())) >= self.max_per_source:
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

    def has_surplus(self, source: str) -> bool:
        """Whether there are more of this source than its share, some of which could be closed."""
        return self._counts[source] > self.max_per_source and source in self._idle_by_source

    def take_surplus(self, source: str, idle_since: float, at_most: int) -> list[Connection]:
        """Those of the source that have to be closed, so many at most: they have waited since then or longer."""
        count = min(max(self._counts[source] - self.max_per_source, 0), at_most)
        oldest = islice(self._idle_by_source.get(source, {}).items(), count)
        surplus = [connection for connection, since in oldest if since <= idle_since]
        for connection in surplus:
            self.remove(connection)
        return surplus

    def mark_idle(self, connection: Connection, now: float) -> None:
        """It is the last of those that wait, unless it waits already or has left."""
        source = self._sources.get(connection)
        if source is not None and connection not in self._idle:
            self._idle[connection] = now
            self._idle_by_source.setdefault(source, {})[connection] = now

    def mark_busy(self, connection: Connection) -> None:
        """It has asked, and is not given up before it has its answer."""
        source = self._sources.get(connection)
        if source is not None:
            self._remove_idle(connection, source)

    def remove(self, connection: Connection) -> None:
        """It is counted no longer; one that has left already has no effect."""
        source = self._sources.pop(connection, None)
        if source is None:
            return
        self._remove_idle(connection, source)
        self._counts[source] -= 1
        if not self._counts[source]:
            del self._counts[source]

    def _remove_idle(self, connection: Connection, source: str) -> None:
        self._idle.pop(connection, None)
        waiting = self._idle_by_source.get(source, {})
        waiting.pop(connection, None)
        if not waiting:
            self._idle_by_source.pop(source, None)
