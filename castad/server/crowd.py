"""Which connections a server keeps where too many are opened."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
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
class Crowd(Generic[Connection]):
    """The open connections: at most `most`, and of each source `most_of_one`.

    One that has not asked anything completely waits. Where there is no room for another, the one that has waited
    longest is given up, so that nobody is shut out by connections that ask nothing.
    """

    most: int
    most_of_one: int
    _sources: dict[Connection, str] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _waiting: dict[Connection, None] = field(default_factory=dict)
    _waiting_of: dict[str, dict[Connection, None]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._sources)

    def admit(self, connection: Connection, source: str) -> tuple[bool, Connection | None]:
        """Whether it is kept, as one that waits; and the other one that has to be closed for it, if any."""
        given_up = None
        if self._counts[source] >= self.most_of_one:
            given_up = next(iter(self._waiting_of.get(source, ())), None)
        elif len(self) >= self.most:
            given_up = next(iter(self._waiting), None)
        else:
            self._add(connection, source)
            return True, None
        if given_up is None:
            return False, None
        self.leave(given_up)
        self._add(connection, source)
        return True, given_up

    def wait(self, connection: Connection) -> None:
        """It is the last of those that wait, unless it waits already or has left."""
        source = self._sources.get(connection)
        if source is not None and connection not in self._waiting:
            self._waiting[connection] = None
            self._waiting_of.setdefault(source, {})[connection] = None

    def serve(self, connection: Connection) -> None:
        """It has asked, and is not given up before it has its answer."""
        source = self._sources.get(connection)
        if source is not None:
            self._wait_no_more(connection, source)

    def leave(self, connection: Connection) -> None:
        """It is counted no longer; one that has left already has no effect."""
        source = self._sources.pop(connection, None)
        if source is None:
            return
        self._wait_no_more(connection, source)
        self._counts[source] -= 1
        if not self._counts[source]:
            del self._counts[source]

    def _add(self, connection: Connection, source: str) -> None:
        self._sources[connection] = source
        self._counts[source] += 1
        self.wait(connection)

    def _wait_no_more(self, connection: Connection, source: str) -> None:
        self._waiting.pop(connection, None)
        waiting = self._waiting_of.get(source, {})
        waiting.pop(connection, None)
        if not waiting:
            self._waiting_of.pop(source, None)
