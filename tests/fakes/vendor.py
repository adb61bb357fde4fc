"""A provider in memory that remembers what it was asked and can be told to go wrong at any point."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from resources.contract.protocol import (
    BeforeSend,
    InProgress,
    Product,
    Rate,
    Receipt,
    StageInput,
    Succeeded,
    allow_send,
)

PAID = 500_000
CHEAP = 1_000


class KilledProcessError(BaseException):
    """Stands for the end of the process: nothing in between can catch it as an error."""


@dataclass
class Vendor:
    """Every job it accepts is charged; what it was told to do wrong, it does once.

    `wrong` maps a point to what is raised there: `before_submit` nothing was accepted, `after_submit` it
    was, and only the answer is lost; `poll`, `fetch` and `find` are asked again later. `while_sending`
    happens when a job has been charged, `while_looking` in a `find`, `while_working` in a `poll`;
    `progress` is what it reports before it is done. One that `answers_at_once` takes half its price; one that
    `calls_all` jobs by one id says so in receipts and look-ups.
    """

    name: str = "vendor"
    usual_seconds: float = 0.01
    unique_ids: bool = True
    repeatable: bool = True
    token_is_id: bool = False
    rate: Rate | None = None
    cost: int = PAID
    finds: bool = False
    charged: list[str] = field(default_factory=list)
    canceled: list[str] = field(default_factory=list)
    wrong: dict[str, BaseException] = field(default_factory=dict)
    progress: list[InProgress] = field(default_factory=list)
    answers_at_once: bool = False
    calls_all: str | None = None
    polls: int = 0
    while_sending: Callable[[], object] = lambda: None
    while_looking: Callable[[], object] = lambda: None
    while_working: Callable[[], object] = lambda: None

    def price(self, job_input: StageInput) -> int:
        return self.cost

    def prepare(self, job_input: StageInput) -> None:
        self._go_wrong("prepare")

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        self._go_wrong("before_submit")
        before_send()
        self.charged.append(token)
        self.while_sending()
        self._go_wrong("after_submit")
        job = self.calls_all or f"job-{len(self.charged)}"
        if self.answers_at_once:
            return Receipt(job, {"job": job}, cost=self.cost // 2)
        return Receipt(job)

    def find(self, token: str) -> str | None:
        self.while_looking()
        self._go_wrong("find")
        known = self.finds and token in self.charged
        return self.calls_all or f"job-{self.charged.index(token) + 1}" if known else None

    def owns(self, external_id: str, token: str) -> bool | None:
        return None

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        self.polls += 1
        self.while_working()
        self._go_wrong("poll")
        if self.progress:
            return self.progress.pop(0)
        return Succeeded({"job": external_id})

    def fetch(self, job_input: StageInput, answer: Mapping[str, Any], folder: Path) -> Product:
        self._go_wrong("fetch")
        file = folder / "song.wav"
        file.write_bytes(str(answer["job"]).encode())
        return Product({"job": answer["job"]}, (file,))

    def cancel(self, external_id: str) -> None:
        self.canceled.append(external_id)

    def account_status(self) -> str:
        return "here"

    def _go_wrong(self, point: str) -> None:
        error = self.wrong.pop(point, None)
        if error is not None:
            raise error
