"""What the routes of one API process share."""

import threading
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from anyio import CapacityLimiter
from fastapi import Depends, Request

from castad.api.broadcaster import Broadcaster
from castad.api.key_cache import ApiKeyCache
from castad.api.metrics import Metrics
from castad.api.rate_limiter import RateLimiter
from castad.stack.local_daemon import open_instance, read_daemon_health
from pipeline_defs.song_video.brief import NAME, STAGES
from resources.files.artifacts import ArtifactStore
from resources.files.signed_links import SignedLinks
from resources.ledger.db.database import Database
from resources.process.settings import Settings

if TYPE_CHECKING:
    from dagster import DagsterInstance


@dataclass
class Api:
    """One per process."""

    settings: Settings
    db: Database
    key_cache: ApiKeyCache
    broadcaster: Broadcaster
    store: ArtifactStore
    links: SignedLinks
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)
    health_threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(2))
    """Whatever the others wait for, somebody answers whether the API is there."""
    picture_threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(1))
    link_threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(2))
    """A picture of few bytes may be hundreds of megabytes while it is looked at: one at a time."""
    idle_seconds_before_recheck: int = 30
    """After so many seconds of silence a stream looks at its order: somebody may have deleted it."""
    _instance_lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def metrics(self) -> Metrics:
        """What happens in this process and in the ledger, from the process' start on."""
        return Metrics(
            self.db, self.settings, {NAME: STAGES}, lambda: read_daemon_health(self.dagster())
        )

    @cached_property
    def _instance(self) -> "DagsterInstance":
        return open_instance(self.settings)

    def close(self) -> None:
        """Nothing of it runs, and no file of Dagster's is open."""
        self.broadcaster.stop()
        if "_instance" in self.__dict__:
            self._instance.dispose()

    def dagster(self) -> "DagsterInstance":
        """Dagster's instance; it is opened when it is first asked for, which takes seconds and memory."""
        with self._instance_lock:
            return self._instance


def _api_of(request: Request) -> Api:
    api: Api = request.app.state.api
    return api


async def _api_dependency(request: Request) -> Api:
    # A coroutine, so that FastAPI does not send for a thread to look it up.
    return _api_of(request)


ApiDep = Annotated[Api, Depends(_api_dependency)]
