"""How many webhooks are under way to each host, so that one which hangs delays no other."""

from collections import Counter

AT_ONCE = 32
"""The most that are under way from one process."""
_PER_HOST = 4
_MOST_SLOW = AT_ONCE // 2
_MOST_REMEMBERED = 1000


class HostShares:
    """Which hosts may have one more webhook now. Not safe to share between threads.

    A host has a few at a time. All hosts together that were slow at their last try have half of all: however many
    they are, the others are served.
    """

    def __init__(self) -> None:
        self._under_way: Counter[str] = Counter()
        self._slow: set[str] = set()

    @property
    def is_full(self) -> bool:
        """Whether no host may have one more."""
        return self._under_way.total() >= AT_ONCE

    @property
    def busy(self) -> frozenset[str]:
        """The hosts that may not have one more."""
        full = {host for host, count in self._under_way.items() if count >= _PER_HOST}
        to_slow = sum(self._under_way[host] for host in self._slow)
        return frozenset(full | self._slow if to_slow >= _MOST_SLOW else full)

    def begin(self, host: str) -> None:
        """One more is under way to the host."""
        self._under_way[host] += 1

    def end(self, host: str, *, is_slow: bool) -> None:
        """One of the host's has ended; a host that was slow is so until a try is not."""
        self._under_way[host] -= 1
        if self._under_way[host] == 0:
            del self._under_way[host]
        if not is_slow:
            self._slow.discard(host)
        elif len(self._slow) < _MOST_REMEMBERED:
            self._slow.add(host)
