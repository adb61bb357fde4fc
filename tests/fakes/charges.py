"""What a vendor would have charged: a file that only grows and outlives its process."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any


class Charges:
    """One line of JSON a charge, on the disk before the vendor answers."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.file = file
        self._lock = Lock()

    def add(self, **charge: Any) -> None:
        """It is charged, for good."""
        line = json.dumps({"at": datetime.now(UTC).isoformat(), **charge}, ensure_ascii=False)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        with self._lock, os.fdopen(os.open(self.file, flags, 0o600), "wb") as ledger:
            ledger.write(line.encode() + b"\n")
            ledger.flush()
            os.fsync(ledger.fileno())

    def read(self) -> list[dict[str, Any]]:
        """Every charge, the oldest first, also those of earlier processes."""
        if not self.file.exists():
            return []
        return [json.loads(line) for line in self.file.read_bytes().splitlines()]
