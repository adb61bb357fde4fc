"""What a process works on."""

import threading
from collections.abc import Callable, Mapping

from resources.ledger.moves.core import Lease

ForceCancel = Callable[[], object]
"""Nobody waits any longer for an attempt that was asked to stop and goes on."""


class LeaseRegistry:
    """The leases of a process, and how to cut each one's attempt off; shared by its threads."""

    def __init__(self) -> None:
        self._attempts: Mapping[Lease, ForceCancel] = {}
        self._changing = threading.Lock()

    @property
    def request_ids(self) -> frozenset[int]:
        """The requests that are worked on."""
        return frozenset(lease.request_id for lease in self._attempts)

    def add(self, lease: Lease, force_cancel: ForceCancel) -> None:
        """The lease is worked on from now on."""
        with self._changing:
            self._attempts = {**self._attempts, lease: force_cancel}

    def remove(self, lease: Lease) -> None:
        """The lease is worked on no more."""
        with self._changing:
            self._attempts = {one: cut for one, cut in self._attempts.items() if one != lease}

    def force_cancel(self, request_id: int) -> None:
        """What works on this request is cut off."""
        for lease, force_cancel in self._attempts.items():
            if lease.request_id == request_id:
                force_cancel()
