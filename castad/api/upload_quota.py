"""How much one key may upload in a day (UTC), at this process."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from castad.api.problems import ApiError


def _utc_now() -> datetime:
    return datetime.now(UTC)


class UploadQuota:
    """Counts the octets of pictures, by key. Thread-safe."""

    def __init__(self, most: int, clock: Callable[[], datetime] = _utc_now) -> None:
        self._most = most
        self._clock = clock
        self._day = clock().date()
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, key_id: str, octets: int) -> None:
        """Count an upload; raises ApiError `upload_quota` where it is more than the key may still upload today."""
        now = self._clock()
        with self._lock:
            if now.date() != self._day:
                self._day = now.date()
                self._taken.clear()
            left = self._most - self._taken[key_id]
            if octets <= left:
                self._taken[key_id] += octets
                return
        midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC)
        raise ApiError(
            HTTPStatus.TOO_MANY_REQUESTS,
            "upload_quota",
            f"a key may upload {self._most:,} bytes a day (UTC), and {left:,} are left for today",
            headers={"Retry-After": str(int((midnight - now).total_seconds()) + 1)},
        )
