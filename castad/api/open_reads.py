"""How many reads of one key, above all live streams, may be open at once."""

from collections import Counter
from http import HTTPStatus

from fastapi import Request
from starlette.types import Scope

from castad.api.problems import ApiError
from resources.process.settings import Settings

_RETRY_SECONDS = 2
_READING = ("GET", "HEAD")
_COUNTED = "reads_as"


class OpenReads:
    """The reads that this process is answering, by key; used in the event loop only.

    A key leaves at least half of what an address may have to the other keys there.
    """

    def __init__(self, settings: Settings) -> None:
        self.most = min(settings.streams_per_key, max(settings.connections_per_address // 2, 1))
        self._open: Counter[str] = Counter()

    def count(self, request: Request, key_id: str) -> None:
        """Count the call until `end`, once; raises ApiError `too_many_streams` where it is one too many."""
        state = request.scope.setdefault("state", {})
        if request.method not in _READING or _COUNTED in state:
            return
        if self._open[key_id] >= self.most:
            raise ApiError(
                HTTPStatus.TOO_MANY_REQUESTS,
                "too_many_streams",
                f"this key has {self.most} streams and downloads open; end one of them first",
                headers={"Retry-After": str(_RETRY_SECONDS)},
            )
        self._open[key_id] += 1
        state[_COUNTED] = key_id

    def end(self, scope: Scope) -> None:
        """Count the call no longer, if it was counted."""
        key_id = scope.get("state", {}).pop(_COUNTED, None)
        if key_id is None:
            return
        self._open[key_id] -= 1
        if not self._open[key_id]:
            del self._open[key_id]
