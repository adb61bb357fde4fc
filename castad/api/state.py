"""The state that the routes of one API process share, and the rates, reads and uploads it counts."""

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated

from anyio import CapacityLimiter
from fastapi import Depends, Request
from starlette.types import Scope as HttpScope

from castad.api.broadcaster import Broadcaster
from castad.api.keys import ApiKeyCache, KnownKeys
from castad.api.metrics import DirectMetrics, Metrics
from castad.api.problems import ApiError
from castad.api.server.protocol import find_source
from castad.direct.pool import DirectService
from castad.stack.local_daemon import open_instance, read_daemon_health
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import CastadError
from resources.files.artifacts import ArtifactStore, SignedLinks
from resources.ledger.db.database import Database
from resources.process.settings import Settings

if TYPE_CHECKING:
    from dagster import DagsterInstance

_FEW = 1000


def apply_gcra(due: float, now: float, per_minute: int) -> tuple[float, float]:
    """Compute the new `due` after one more call, and the seconds that the call has to wait.

    The generic cell rate algorithm (ITU-T I.371): `due` is the time at which the full burst is allowed again;
    every call delays it by 60 / per_minute seconds. A call that has to wait leaves it unchanged.
    """
    share = 60.0 / per_minute
    after = max(due, now) + share
    wait = after - now - 60.0
    return (due, wait) if wait > 1e-9 else (after, 0.0)


class RateLimiter:
    """Counts the calls to this process of everyone who has a name, such as a key's id. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due: dict[str, float] = {}
        self._most = _FEW
        self._lock = threading.Lock()

    def count_call(self, name: str, per_minute: int) -> int:
        """Count the call and return 0 if it is within the rate; else return the whole seconds to wait."""
        with self._lock:
            now = self._clock()
            self._due[name], wait = apply_gcra(self._due.get(name, now), now, per_minute)
            self._forget_idle(now)
        return math.ceil(wait)

    def uncount(self, name: str, per_minute: int) -> None:
        """Take back the last call of this name."""
        with self._lock:
            if name in self._due:
                self._due[name] -= 60.0 / per_minute

    def _forget_idle(self, now: float) -> None:
        """Forget names that may call in a burst again, each time their number has doubled."""
        if len(self._due) > self._most:
            self._due = {name: due for name, due in self._due.items() if due > now}
            self._most = max(_FEW, 2 * len(self._due))


TRIES_PER_ADDRESS = 10
"""Each minute; only tries with a wrong key or link count."""


class LoginTries:
    """The failed tries at this process."""

    def __init__(self) -> None:
        self._limiter = RateLimiter()

    @contextmanager
    def count_failures(self, address: str | None) -> Iterator[None]:
        """Count the block as a try if it raises a refusal. Raises ApiError `rate_limited`."""
        source = find_source(address)
        wait = self._limiter.count_call(source, TRIES_PER_ADDRESS)
        if wait:
            raise ApiError(
                HTTPStatus.TOO_MANY_REQUESTS,
                "rate_limited",
                f"too many tries to log in; try again in {wait} s",
                headers={"Retry-After": str(wait)},
            )
        is_wrong = False
        try:
            yield
        except CastadError:
            is_wrong = True
            raise
        finally:
            if not is_wrong:
                self._limiter.uncount(source, TRIES_PER_ADDRESS)


def _read_utc_now() -> datetime:
    return datetime.now(UTC)


class UploadQuota:
    """Counts the octets of pictures, by key. Thread-safe."""

    def __init__(self, most: int, clock: Callable[[], datetime] = _read_utc_now) -> None:
        self._most = most
        self._clock = clock
        self._day = clock().date()
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, key_id: str, octets: int) -> None:
        """Count an upload; raise ApiError `upload_quota` if it exceeds what the key may still upload today."""
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
        """Count the call until `end`, once; raise ApiError `too_many_streams` if it is one too many."""
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

    def end(self, scope: HttpScope) -> None:
        """Stop counting the call, if it was counted."""
        key_id = scope.get("state", {}).pop(_COUNTED, None)
        if key_id is None:
            return
        self._open[key_id] -= 1
        if not self._open[key_id]:
            del self._open[key_id]


@dataclass
class Api:
    """The shared state; one per process."""

    settings: Settings
    db: Database
    key_cache: ApiKeyCache
    broadcaster: Broadcaster
    store: ArtifactStore
    links: SignedLinks
    known_keys: KnownKeys
    direct: DirectService
    open_reads: OpenReads
    upload_quota: UploadQuota
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)
    login_tries: LoginTries = field(default_factory=LoginTries)
    health_threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(2))
    """Threads of their own, so that health checks are answered while all other threads are busy."""
    picture_threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(1))
    """One at a time: a picture of few bytes may take hundreds of megabytes while it is decoded."""
    frame_threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(2))
    """Each starts an ffmpeg."""
    catch_up_threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(2))
    """Streams that continue read what they have missed, page by page in turn: anybody may miss a whole ledger."""
    link_threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(2))
    idle_seconds_before_recheck: int = 30
    """After so many seconds without events a stream reads its order, which may have been deleted."""
    _instance_lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def metrics(self) -> Metrics:
        """The metrics of this process."""
        metrics = Metrics(
            self.db, self.settings, get_catalog(), lambda: read_daemon_health(self.get_dagster())
        )
        metrics.include(DirectMetrics(self.direct))
        return metrics

    @cached_property
    def _instance(self) -> "DagsterInstance":
        return open_instance(self.settings)

    def close(self) -> None:
        """Stop the threads of this process, and close Dagster's instance."""
        self.broadcaster.stop()
        self.known_keys.stop()
        self.direct.stop()
        if "_instance" in self.__dict__:
            self._instance.dispose()

    def get_dagster(self) -> "DagsterInstance":
        """Return Dagster's instance; the first call opens it, which takes seconds and memory."""
        with self._instance_lock:
            return self._instance


async def _get_api(request: Request) -> Api:
    # A coroutine, because FastAPI runs a plain function in a thread.
    api: Api = request.app.state.api
    return api


ApiDep = Annotated[Api, Depends(_get_api)]
