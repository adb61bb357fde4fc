"""One purchase from job input to product, each step by another process, looked at from all sides."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest

from resources.contract.errors import ProviderError
from resources.contract.protocol import Product, Provider, Receipt, StageInput, Succeeded
from resources.files.artifacts import StoredArtifact
from studio.ffmpeg import look
from tests.contract.subjects import PATIENT, Subject

TOKEN = "an-unguessable-token-of-a-deal-1"
_LONGEST_JOB = 120.0
_STREAM = re.compile(r"^ *Stream #0:\d+.*?: (\w+): ", re.MULTILINE)


@dataclass(frozen=True)
class Delivery:
    """What one fetch brought, and every file that was not there before."""

    product: Product
    folder: Path
    new_files: frozenset[Path]

    @property
    def hashes(self) -> dict[str, str]:
        """The sha256 of each file by its name."""
        return {
            file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in self.product.files
        }

    @property
    def stored(self) -> dict[str, Any]:
        """The product as the ledger keeps it."""
        files = [
            asdict(StoredArtifact(name, sha256, (self.folder / name).stat().st_size, "", name))
            for name, sha256 in self.hashes.items()
        ]
        return as_stored({**self.product.result, "files": files})


class Deal:
    """A job that was prepared and submitted by one process, waited for by another, fetched by two."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.job_input = subject.job_input()
        self.price = subject.make(PATIENT).price(self.job_input)

    @cached_property
    def receipt(self) -> Receipt:
        """What the first process was given, before it died."""
        first = self.subject.make(PATIENT)
        first.prepare(self.job_input)
        receipt = first.submit(self.job_input, TOKEN)
        self.subject.bury(first, receipt.external_id)
        return receipt

    @cached_property
    def answer(self) -> Mapping[str, Any]:
        """The answer of the finished job, as it comes back from the ledger."""
        second = self.subject.make(PATIENT)
        return as_stored(finished(second, self.job_input, self.receipt.external_id).answer)

    @cached_property
    def deliveries(self) -> tuple[Delivery, Delivery]:
        """The same answer fetched twice."""
        return self._fetched("first"), self._fetched("second")

    @property
    def recorded_cost(self) -> int:
        """What the ledger believes to have been charged: the last who tells is believed."""
        told = (self.deliveries[0].product.cost, self.receipt.cost, self.price)
        return next(cost for cost in told if cost is not None)

    def _fetched(self, name: str) -> Delivery:
        folder = self.subject.folder / name
        folder.mkdir()
        answer, before = self.answer, self._files()
        product = self.subject.make(PATIENT).fetch(self.job_input, answer, folder)
        return Delivery(product, folder, frozenset(self._files() - before))

    def _files(self) -> set[Path]:
        vendor = self.subject.folder / "vendor"
        below = self.subject.folder.rglob("*")
        return {path for path in below if path.is_file() and vendor not in path.parents}


def as_stored(value: Any) -> Any:
    """The value after a way through the database: JSON in UTF-8."""
    return json.loads(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())


def finished(provider: Provider, job_input: StageInput, external_id: str) -> Succeeded:
    """The report of the finished job; asks until there is one."""
    waiting, end = Event(), monotonic() + _LONGEST_JOB
    while monotonic() < end:
        report = provider.poll(job_input, external_id)
        if isinstance(report, Succeeded):
            return report
        waiting.wait(0.02)
    raise AssertionError("the job did not end")


def error_of(call: Callable[[], object]) -> ProviderError:
    """The error of providers that the call raises."""
    with pytest.raises(ProviderError) as caught:
        call()
    return caught.value


def streams_of(file: Path) -> list[str]:
    """The kinds of streams in a media file that decodes to its end."""
    told = look(("-xerror", "-i", f"file:{file}", "-f", "null", "-"), seconds=_LONGEST_JOB)
    assert told.status == 0, told.log
    return sorted(_STREAM.findall(told.log.partition("Output #0")[0]))
