"""A stand-in for the print shop: real HTTP, faults from a script, and books of what it charged.

Its own kind: jams() on submit: the press breaks down once the job's time has passed.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from tests.fakes.faults import Fault, Kind, kind
from tests.fakes.reply import Call, Reply, json_reply
from tests.fakes.server import FakeVendor, Rate, Route

USD_PER_COPY = {"A3": 0.25, "A2": 0.5}


@dataclass
class _Job:
    id: str
    job_input: Mapping[str, Any]
    jams: bool
    accepted_at: float = field(default_factory=time.monotonic)


class FakePrintshop(FakeVendor):
    """Every accepted job is charged by the copy; `credits` are dollars, `delay` is how long a job takes."""

    name: ClassVar[str] = "printshop"
    routes: ClassVar[tuple[Route, ...]] = (
        ("submit", "POST", "/jobs"),
        ("search", "GET", "/jobs"),
        ("poll", "GET", "/jobs/([^/]+)"),
        ("receipt", "GET", "/jobs/([^/]+)/receipt"),
        ("account", "GET", "/account"),
    )
    open_routes: ClassVar[frozenset[str]] = frozenset()
    own_kinds: ClassVar[Mapping[str, Kind]] = {"jams": kind(routes="submit")}
    usual_rate: ClassVar[Rate | None] = (20, 10.0)

    def __init__(self, folder: Path, *, key: str | None = None, port: int = 0) -> None:
        super().__init__(folder, key=key, port=port)
        self._jobs: dict[str, _Job] = {}

    def on_submit(self, call: Call, fault: Fault | None) -> Reply:
        wanted = {"text", "paper", "copies", "colours", "reference"}
        if not isinstance(call.body, dict) or set(call.body) != wanted:
            return json_reply(422, {"error": f"expected {sorted(wanted)}"})
        price = call.body["copies"] * USD_PER_COPY[call.body["paper"]]
        with self.lock:
            if self.credits < price:
                return self.out_of_credits()
            self.credits -= price
            job = _Job(f"print-{len(self._jobs) + 1}", call.body, fault is not None)
            self._jobs[job.id] = job
        self.charge(
            call,
            what="printing",
            id=job.id,
            metadata=call.body["reference"],
            cost=price,
            unit="USD",
        )
        return json_reply(201, {"id": job.id})

    def on_search(self, call: Call, fault: Fault | None) -> Reply:
        found = [
            self._report(job)
            for job in self._jobs.values()
            if job.job_input["reference"] == call.query.get("reference")
        ]
        return json_reply(200, {"jobs": found})

    def on_poll(self, call: Call, fault: Fault | None, job: str) -> Reply:
        return json_reply(200, self._report(self._jobs[job])) if job in self._jobs else _unknown()

    def on_receipt(self, call: Call, fault: Fault | None, job: str) -> Reply:
        if job not in self._jobs:
            return _unknown()
        job_input = self._jobs[job].job_input
        price = job_input["copies"] * USD_PER_COPY[job_input["paper"]]
        return json_reply(200, {"job": job, "copies": job_input["copies"], "usd": price})

    def on_account(self, call: Call, fault: Fault | None) -> Reply:
        return json_reply(200, {"usd": self.credits})

    def unauthorized(self, call: Call, *, echo: bool) -> Reply:
        given = call.headers.get("authorization") if echo else ""
        return json_reply(401, {"error": f"unknown key {given}"})

    def too_often(self, headers: Mapping[str, str], code: int | None) -> Reply:
        return json_reply(429, {"error": "too many calls"}, headers)

    def out_of_credits(self) -> Reply:
        return json_reply(402, {"error": "the account is empty"})

    def not_found(self, call: Call) -> Reply:
        return json_reply(404, {"error": "no such page"})

    def _report(self, job: _Job) -> dict[str, Any]:
        passed = time.monotonic() - job.accepted_at
        told = {"id": job.id, "reference": job.job_input["reference"]}
        if passed < self.delay:
            done = int(job.job_input["copies"] * passed / self.delay)
            return {**told, "status": "printing", "done": done}
        if job.jams:
            return {**told, "status": "jammed"}
        return {**told, "status": "printed", "tracking": f"track-{job.id}"}


def _unknown() -> Reply:
    return json_reply(404, {"error": "no such job"})
