"""Purchases without the ledger: what is accepted is never submitted again, and what is spent is known."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from castad.direct.purchase import Purchases, buy
from resources.contract.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import InProgress, Product, Receipt, Succeeded

LOST = UnknownSubmissionError("lost")
AWAY = TransientError("away")
BUSY = TransientError("busy", retry_after=0.0)


class Vendor:
    """It answers each call by what is scripted for it; an error is raised."""

    name = "vendor"
    repeatable = True

    def __init__(self, **script: list[Any]) -> None:
        self.script = script
        self.submitted: list[str] = []
        self.canceled: list[str] = []

    def price(self, job_input: Mapping[str, Any]) -> int:
        return 10

    def prepare(self, job_input: Mapping[str, Any]) -> None: ...

    def submit(self, job_input: Mapping[str, Any], token: str) -> Receipt:
        self.submitted.append(token)
        return self._next("submit", Receipt("id"))

    def poll(self, job_input: Mapping[str, Any], external_id: str) -> Any:
        return self._next("poll", Succeeded({}))

    def fetch(
        self, job_input: Mapping[str, Any], answer: Mapping[str, Any], folder: Path
    ) -> Product:
        return self._next("fetch", Product({"a": 1}))

    def cancel(self, external_id: str) -> None:
        self.canceled.append(external_id)

    def _next(self, call: str, otherwise: Any) -> Any:
        said = self.script.get(call) or [otherwise]
        step = said.pop(0) if len(said) > 1 else said[0]
        if isinstance(step, Exception):
            raise step
        return step


def bought(vendor: Vendor, tmp_path: Path, seconds: float = 60, below: int = 100) -> Purchases:
    made: Any = vendor
    purchases = Purchases(made, {}, "0" * 64)
    try:
        buy(
            purchases,
            tmp_path,
            resubmit_below=below,
            deadline_seconds=seconds,
            sleep=lambda seconds: None,
        )
    except ProviderError as error:
        purchases.made.append(error)  # type: ignore[arg-type]
    return purchases


@pytest.mark.parametrize("call", ["poll", "fetch"])
def test_accepted_job_is_asked_for_again_and_submitted_once(tmp_path, call):
    good = Succeeded({}) if call == "poll" else Product({"a": 1})
    vendor = Vendor(**{call: [AWAY, AWAY, AWAY, AWAY, good]})
    [purchase] = bought(vendor, tmp_path).made
    assert (len(vendor.submitted), purchase.cost, purchase.error_code) == (1, 10, None)


def test_accepted_job_without_a_final_status_is_paid_canceled_and_submitted_once(tmp_path):
    vendor = Vendor(poll=[InProgress()])
    purchase, error = bought(vendor, tmp_path, seconds=0).made
    assert (len(vendor.submitted), vendor.canceled) == (1, ["id"])
    assert (purchase.cost, purchase.error_code) == (10, "stage_timeout")
    assert isinstance(error, TransientError)


def test_final_status_of_failure_is_paid_and_not_repeated(tmp_path):
    vendor = Vendor(poll=[SubmissionFailedError("no", code="no")])
    purchase, _ = bought(vendor, tmp_path).made
    assert (len(vendor.submitted), purchase.cost, purchase.error_code) == (1, 10, "no")


def test_refused_job_is_repeated_twice_and_costs_nothing(tmp_path):
    vendor = Vendor(submit=[BUSY])
    [error] = bought(vendor, tmp_path).made
    assert (len(vendor.submitted), error) == (3, BUSY)


def test_refused_job_of_a_vendor_that_is_not_repeatable_is_repeated(tmp_path):
    vendor = Vendor(submit=[BUSY])
    vendor.repeatable = False
    bought(vendor, tmp_path, below=0)
    assert len(vendor.submitted) == 3


@pytest.mark.parametrize(("seconds", "count"), [(3.9, 3), (4.0, 3), (4.1, 1)])
def test_refused_job_is_repeated_where_the_vendor_asks_for_a_short_wait(tmp_path, seconds, count):
    vendor = Vendor(submit=[TransientError("busy", retry_after=seconds)])
    bought(vendor, tmp_path)
    assert len(vendor.submitted) == count


def test_refused_job_is_not_repeated_after_its_deadline(tmp_path):
    vendor = Vendor(submit=[TransientError("busy", retry_after=3.0)])
    bought(vendor, tmp_path, seconds=2)
    assert len(vendor.submitted) == 1


@pytest.mark.parametrize("call", ["poll", "fetch"])
def test_vendor_that_is_away_at_the_deadline_is_said_to_be_away(tmp_path, call):
    vendor = Vendor(**{call: [AWAY]})
    purchase, error = bought(vendor, tmp_path, seconds=0).made
    assert (purchase.cost, purchase.error_code, error) == (10, AWAY.code, AWAY)
    assert vendor.canceled == []


def test_lost_job_whose_charge_is_known_costs_that(tmp_path):
    vendor = Vendor(submit=[UnknownSubmissionError("lost", cost=3)])
    [lost, _] = bought(vendor, tmp_path, below=0).made
    assert lost.cost == 3


def test_job_that_will_fail_again_is_not_repeated(tmp_path):
    vendor = Vendor(submit=[PermanentError("no")])
    bought(vendor, tmp_path)
    assert len(vendor.submitted) == 1


@pytest.mark.parametrize(("below", "count"), [(0, 1), (10, 1), (11, 2), (100, 3)])
def test_lost_jobs_are_repeated_below_their_limit(tmp_path, below, count):
    vendor = Vendor(submit=[LOST])
    *lost, error = bought(vendor, tmp_path, below=below).made
    assert (len(vendor.submitted), [each.cost for each in lost], error) == (
        count,
        [10] * count,
        LOST,
    )


def test_lost_job_of_a_vendor_that_is_not_repeatable_is_not_repeated(tmp_path):
    vendor = Vendor(submit=[LOST])
    vendor.repeatable = False
    bought(vendor, tmp_path)
    assert len(vendor.submitted) == 1
