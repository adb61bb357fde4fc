"""The broker that needs no server: kombu's filesystem transport, each message written and taken whole.

The stock channel writes a message under its final name, so that a consumer can read half of one, and
takes it by a move across file systems, so that two consumers can have it.
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
_LONGEST_WAIT = 0.2


class Channel(stock.Channel):
    """Messages as files, oldest first; whoever renames one has it."""

    def _put(self, queue: str, payload: Mapping[str, Any], **options: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        # Where it was moved away, what it held is delivered again from the ledger.
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
    """Kombu's filesystem transport with our channel; who waits for a message looks up soon.

    Celery waits for two seconds at a time, and once more after it was told to stop (`synloop` of Celery 5.7).
    """

    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None, **options: Any) -> None:
        """A message was delivered. Raises TimeoutError where none came, after `timeout` seconds or sooner."""
        super().drain_events(connection, timeout=timeout and min(timeout, _LONGEST_WAIT), **options)


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
