"""What the routes of one API process share."""

import threading
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from anyio import CapacityLimiter
from fastapi import Depends, Request

from castad.api.hub import Hub
from castad.api.keyring import Keyring
from castad.api.metrics import Metrics
from castad.api.rates import Rates
from castad.stack.local_daemon import open_instance, read_signs
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
    keyring: Keyring
    hub: Hub
    store: ArtifactStore
    links: SignedLinks
    rates: Rates = field(default_factory=Rates)
    health_threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(2))
    """Whatever the others wait for, somebody answers whether the API is there."""
    picture_threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(1))
    link_threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(2))
    """A picture of few bytes may be hundreds of megabytes while it is looked at: one at a time."""
    silences_until_look: int = 30
    """After so many seconds of silence a stream looks at its order: somebody may have deleted it."""
    _opening: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def metrics(self) -> Metrics:
        """What happens in this process and in the ledger, from the process' start on."""
        return Metrics(self.db, self.settings, {NAME: STAGES}, lambda: read_signs(self.dagster()))

    @cached_property
    def _instance(self) -> "DagsterInstance":
        return open_instance(self.settings)

    def close(self) -> None:
        """Nothing of it runs, and no file of Dagster's is open."""
        self.hub.stop()
        if "_instance" in self.__dict__:
            self._instance.dispose()

    def dagster(self) -> "DagsterInstance":
        """Dagster's instance; it is opened when it is first asked for, which takes seconds and memory."""
        with self._opening:
            return self._instance


def _api_of(request: Request) -> Api:
    api: Api = request.app.state.api
    return api


async def _shared(request: Request) -> Api:
    # A coroutine, so that FastAPI does not send for a thread to look it up.
    return _api_of(request)


ApiOf = Annotated[Api, Depends(_shared)]
