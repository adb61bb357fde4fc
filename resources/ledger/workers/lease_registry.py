"""The leases that this process holds."""

import threading
from collections.abc import Callable, Mapping

from resources.ledger.transitions.core import Lease

ForceCancel = Callable[[], object]
"""Ends an attempt that does not stop after a cancel was requested."""


class LeaseRegistry:
    """The leases of a process, each with its attempt's `ForceCancel`. Safe to share between threads."""

    def __init__(self) -> None:
        self._attempts: Mapping[Lease, ForceCancel] = {}
        self._changing = threading.Lock()

    @property
    def request_ids(self) -> frozenset[int]:
        """The ids of the leased requests."""
        return frozenset(lease.request_id for lease in self._attempts)

    def add(self, lease: Lease, force_cancel: ForceCancel) -> None:
        """The lease is held from now on."""
        with self._changing:
            self._attempts = {**self._attempts, lease: force_cancel}

    def remove(self, lease: Lease) -> None:
        """The lease is held no more."""
        with self._changing:
            self._attempts = {one: stop for one, stop in self._attempts.items() if one != lease}

    def force_cancel(self, request_id: int) -> None:
        """End the attempt of this request."""
        for lease, force_cancel in self._attempts.items():
            if lease.request_id == request_id:
                force_cancel()
