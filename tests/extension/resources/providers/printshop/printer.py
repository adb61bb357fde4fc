"""Printings by the print shop's HTTP API."""

import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from resources.contract.errors import (
    PermanentError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import (
    BeforeSend,
    InProgress,
    Json,
    Product,
    Rate,
    Receipt,
    StageInput,
    Succeeded,
    allow_send,
)
from resources.http.vendor_client import RateGate, VendorClient, VendorResponse
from resources.providers.printshop.answers import make_refusal_error, summary


class Printer:
    """Copies of a poster: copies, tracking; the file receipt.json."""

    name = "printshop"
    usual_seconds = 5.0
    unique_ids = True
    repeatable = False
    token_is_id = False

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        usd_per_copy: float,
        rate: Rate,
        gate: RateGate,
        deadline_seconds: float,
    ) -> None:
        self.rate = rate
        self._usd_per_copy = usd_per_copy
        self._client = VendorClient(
            self.name, base_url, api_key, gate=gate, deadline_seconds=deadline_seconds
        )

    def price(self, job_input: StageInput) -> int:
        """The price of all copies, in micro-dollars."""
        per_copy = self._usd_per_copy * (2 if job_input["paper"] == "A2" else 1)
        return round(int(job_input["copies"]) * per_copy * 1_000_000)

    def prepare(self, job_input: StageInput) -> None:
        """Nothing is free to check: the order's model has checked everything."""

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        """Submit a job for the copies; the shop keeps the token as the job's reference.

        Raises UnknownSubmissionError where the shop may have accepted the job.
        """
        answer = self._client.post_paid("/jobs", {**job_input, "reference": token}, before_send)
        job = answer.fields.get("id")
        if answer.status == 201 and isinstance(job, str) and job:
            return Receipt(job)
        raise make_refusal_error(answer) or UnknownSubmissionError(
            f"printshop: the job may have been accepted ({summary(answer)})"
        )

    def find(self, token: str) -> str | None:
        """The id of the job with this reference, if there is one."""
        answer = self._asked(self._client.get("/jobs", reference=token))
        jobs: list[dict[str, str]] = answer.fields.get("jobs") or [{}]
        return jobs[0].get("id")

    def owns(self, external_id: str, token: str) -> bool | None:
        """Whether the job has this reference. Raises PermanentError `job_unknown`."""
        answer = self._client.get(_path(external_id))
        if answer.status == 404:
            raise PermanentError(f"printshop: there is no job {external_id}", code="job_unknown")
        return bool(self._asked(answer).fields.get("reference") == token)

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """How many copies are done. Raises SubmissionFailedError where the press broke down."""
        job = self._asked(self._client.get(_path(external_id))).fields
        if job.get("status") == "printed":
            return Succeeded({"id": external_id, "tracking": job["tracking"]})
        if job.get("status") == "jammed":
            raise SubmissionFailedError("printshop: the press broke down", code="press_broke_down")
        done, copies = job.get("done", 0), job_input["copies"]
        return InProgress(done / copies, f"{done} of {copies} copies")

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """The receipt of the finished job."""
        receipt = self._asked(self._client.get(f"{_path(answer['id'])}/receipt")).fields
        file = folder / "receipt.json"
        file.write_text(json.dumps(receipt))
        return Product({"copies": job_input["copies"], "tracking": answer["tracking"]}, (file,))

    def cancel(self, external_id: str) -> None:
        """Nothing happens: a printing cannot be stopped."""

    def account_status(self) -> str:
        """What is left in the account."""
        left = self._asked(self._client.get("/account")).fields.get("usd")
        return f"{left} USD left"

    def _asked(self, answer: VendorResponse) -> VendorResponse:
        """A readable answer; one that is not is no final status of the job."""
        if answer.status == 200 and isinstance(answer.body, dict):
            return answer
        error = make_refusal_error(answer)
        if error is None or isinstance(error, PermanentError):
            raise TransientError(f"printshop: the call was not answered ({summary(answer)})")
        raise error


def _path(job: str) -> str:
    return f"/jobs/{quote(job, safe='')}"
