"""A broker without a server: kombu's filesystem transport with atomic writes and claims.

The stock channel writes a message under its final name, so a consumer may read half of it, and claims it by a
move that may cross file systems, so two consumers may both get it.
"""

import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES
from kombu.transport import filesystem as stock
from kombu.utils.json import dumps, loads

SCHEME = "castad-files"
_CLAIMED = "taken-"
_MAX_WAIT = 0.2


class Channel(stock.Channel):
    """Messages as files, oldest first; a consumer claims one by renaming it."""

    def _put(self, queue: str, payload: Mapping[str, Any], **options: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        # The folder may have been removed; lost messages are published again from the ledger.
        folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{queue}.msg"
        fresh = folder / f".{name}"
        fresh.write_text(dumps(payload))
        fresh.replace(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for waiting in sorted(self._waiting(queue)):
            claimed = waiting.with_name(f"{_CLAIMED}{waiting.name}")
            try:
                waiting.rename(claimed)
            except FileNotFoundError:
                continue
            payload = loads(claimed.read_text())
            claimed.unlink()
            return payload
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._waiting(queue))

    def _waiting(self, queue: str) -> list[Path]:
        return list(Path(self.data_folder_in).glob(f"[0-9]*.{queue}.msg"))


class Transport(stock.Transport):
    """Kombu's filesystem transport with this channel and short waits.

    Celery waits two seconds at a time, and once more after a stop request (`synloop` of Celery 5.7).
    """

    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None, **options: Any) -> None:
        """Return once a message was delivered. Raises TimeoutError after `timeout` seconds or sooner."""
        super().drain_events(connection, timeout=timeout and min(timeout, _MAX_WAIT), **options)  # type: ignore[no-untyped-call] # the library has no types


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
