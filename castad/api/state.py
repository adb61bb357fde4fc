"""The state that the routes of one API process share."""

import threading
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from anyio import CapacityLimiter
from fastapi import Depends, Request

from castad.api.broadcaster import Broadcaster
from castad.api.direct_metrics import DirectMetrics
from castad.api.key_cache import ApiKeyCache
from castad.api.known_keys import KnownKeys
from castad.api.login_tries import LoginTries
from castad.api.metrics import Metrics
from castad.api.open_reads import OpenReads
from castad.api.rate_limiter import RateLimiter
from castad.api.upload_quota import UploadQuota
from castad.direct.pool import DirectService
from castad.stack.local_daemon import open_instance, read_daemon_health
from pipeline_defs.catalog import get_catalog
from resources.files.artifacts import ArtifactStore, SignedLinks
from resources.ledger.db.database import Database
from resources.process.settings import Settings

if TYPE_CHECKING:
    from dagster import DagsterInstance


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
            self.db, self.settings, get_catalog(), lambda: read_daemon_health(self.dagster())
        )
        metrics.include(DirectMetrics(self.direct))
        return metrics

    @cached_property
    def _instance(self) -> "DagsterInstance":
        return open_instance(self.settings)

    def close(self) -> None:
        """The threads of this process end, and Dagster's instance is closed."""
        self.broadcaster.stop()
        self.known_keys.stop()
        self.direct.stop()
        if "_instance" in self.__dict__:
            self._instance.dispose()

    def dagster(self) -> "DagsterInstance":
        """Dagster's instance; the first call opens it, which takes seconds and memory."""
        with self._instance_lock:
            return self._instance


async def _api_dependency(request: Request) -> Api:
    # A coroutine, because FastAPI runs a plain function in a thread.
    api: Api = request.app.state.api
    return api


ApiDep = Annotated[Api, Depends(_api_dependency)]
