"""The base of providers on this machine: free and without a key. A lost job is made again from its order."""

import os
from collections.abc import Mapping
from pathlib import Path

from resources.contract.protocol import (
    BeforeSend,
    InProgress,
    Json,
    Product,
    Receipt,
    StageInput,
    Succeeded,
    no_send_check,
)
from resources.providers.background_jobs import BackgroundJobs, MakeProduct, job_id
from studio.places import Places


class LocalProvider:
    """The base of providers on this machine: no price, ids derived from the token, background jobs."""

    usual_seconds = 10.0
    unique_ids = True
    repeatable = True
    token_is_id = False
    rate = None

    def __init__(self, name: str, make: MakeProduct, workdir: Path, places: Places) -> None:
        self.name = name
        self._jobs = BackgroundJobs(name, make, workdir, places)

    def price(self, order: StageInput) -> int:
        """Zero: this machine is free."""
        return 0

    def prepare(self, order: StageInput) -> None:
        """Nothing has to be prepared."""

    def submit(
        self, order: StageInput, token: str, before_send: BeforeSend = no_send_check
    ) -> Receipt:
        """The job is started in the background."""
        before_send()
        return Receipt(self._jobs.start(order, job_id(self.name, token)).external_id, cost=0)

    def find(self, token: str) -> str | None:
        """The id that the token's job has or would get."""
        return job_id(self.name, token)

    def owns(self, external_id: str, token: str) -> bool | None:
        """Whether the id is derived from the token."""
        return external_id == job_id(self.name, token)

    def poll(self, order: StageInput, external_id: str) -> InProgress | Succeeded:
        """The job's state; a job that this process does not have is started again.

        Raises:
            ProviderError: the job failed.
        """
        return self._jobs.poll(order, external_id)

    def fetch(self, order: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """The product with its files in `folder`; made again where they are missing.

        Raises:
            ProviderError: making the product again failed.
        """
        return self._jobs.fetch(order, answer, folder)

    def cancel(self, external_id: str) -> None:
        """The job is stopped and its files are removed."""
        self._jobs.cancel(external_id)

    def account_status(self) -> str:
        """A constant: this machine is always available."""
        return "on this machine, needs no key"


def places_of(workdir: Path, kind: str) -> Places:
    """As many places as there are cores, shared by all processes of the state folder for this kind of work."""
    return Places(workdir.parent / "places" / kind, cores())


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
