"""The base of providers on this machine: free and without a key. A lost job is made again from its input."""

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
from resources.process.slots import Slots
from resources.providers.background_jobs import BackgroundJobs, MakeProduct
from resources.providers.free_provider import FreeProvider, job_id


class LocalProvider(FreeProvider):
    """The base of providers on this machine: no price, ids derived from the token, background jobs."""

    usual_seconds = 10.0

    def __init__(self, name: str, make: MakeProduct, workdir: Path, slots: Slots) -> None:
        super().__init__(name)
        self._jobs = BackgroundJobs(name, make, workdir, slots)

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = no_send_check
    ) -> Receipt:
        """The job is started in the background."""
        before_send()
        return Receipt(self._jobs.start(job_input, job_id(self.name, token)).external_id, cost=0)

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """The job's state; a job that this process does not have is started again.

        Raises:
            ProviderError: the job failed.
        """
        return self._jobs.poll(job_input, external_id)

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """The product with its files in `folder`; made again where they are missing.

        Raises:
            ProviderError: making the product again failed.
        """
        return self._jobs.fetch(job_input, answer, folder)

    def cancel(self, external_id: str) -> None:
        """The job is stopped and its files are removed."""
        self._jobs.cancel(external_id)


def slots_of(workdir: Path, kind: str) -> Slots:
    """As many slots as there are cores, shared by all processes of the state folder for this kind of work."""
    return Slots(workdir.parent / "slots" / kind, cores())


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
