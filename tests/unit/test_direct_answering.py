"""Answers that fail, those that were stored, and the service around them: no vendor and no ledger is called."""

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from castad.direct.answering import Answering
from castad.direct.budget import DailyBudget
from castad.direct.ledger_import import (
    INTERRUPTED,
    DirectJob,
    build_import_entry,
    ensure_task_id_available,
    make_step_failed,
)
from castad.direct.pool import DirectService, find_spooled_result, find_stored_result, list_targets
from pipeline_defs.capabilities import list_stateless
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import LocalStage
from resources.contract.errors import CastadError, InvalidInputError
from resources.contract.protocol import Product
from resources.delivery.spool import Spool
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import ConflictError, UnknownRequestError
from resources.ledger.schema.tables import Status
from resources.process.settings import Settings
from tests.sample_request import DISPATCHED
from tests.small_pipelines import with_extras

SCAN = get_catalog().get_pipeline("scan")
STATELESS = list_stateless([SCAN])[0]
NOTE = {"images": [], "note": "소주병", "language": "Korean", "user_id": "u"}
LINK = {**NOTE, "note": "", "images": ["http://127.0.0.1:1/a.jpg"]}


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path)


@pytest.fixture
def answering(tmp_path: Path, spool: Spool) -> Iterator[Answering]:
    answering = Answering(SCAN, Settings(home=tmp_path), spool, DailyBudget(spool, None))
    yield answering
    answering.close()


def job_of(payload: Any = NOTE, owner: str | None = "shop", **known: Any) -> DirectJob:
    return DirectJob("s1", owner, payload, **known)


def test_pipeline_that_does_not_answer_directly_is_refused(tmp_path, spool):
    other = get_catalog().get_pipeline("song_video")
    with pytest.raises(InvalidInputError, match="one that answers directly, got song_video"):
        Answering(other, Settings(home=tmp_path), spool, DailyBudget(spool, None))


def fail(answering: Answering, job: DirectJob) -> None:
    answering.fail(job, CastadError("stopping"))


def answer_nonsense(answering: Answering, job: DirectJob) -> None:
    job.payload = None  # type: ignore[assignment]
    answering.answer(job)


@pytest.mark.parametrize("end", [fail, answer_nonsense])
@pytest.mark.parametrize(("begun", "step"), [([], "vision"), (["vision", "rule"], "rule")])
def test_answer_fails_at_the_step_that_was_begun_or_else_at_the_first(answering, end, begun, step):
    job = job_of()
    for name in begun:
        job.publish({"step": name, "status": "started"})
    end(answering, job)
    assert (job.events[-1]["step"], job.events[-1]["status"]) == (step, "failed")


@pytest.mark.parametrize(("pictures", "is_said"), [({}, False), ({"other": b"x"}, True)])
def test_answer_that_fails_before_its_first_step_fails_at_it_and_says_whether_a_picture_is_lost(
    answering, spool, pictures, is_said
):
    job = job_of(LINK, pictures=pictures)
    answering.answer(job)
    assert (job.events[-1]["step"], job.has_failed) == ("vision", True)
    [entry] = spool.waiting()
    assert ("its picture was not kept" in entry.body["error"][1]) is is_said


class Made(BaseModel):
    """What a stage makes here."""


def make(order: Any, products: Any, work: Any) -> Product:
    return Product({})


def run_out(order: Any, products: Any, work: Any) -> Product:
    raise CastadError("the machine has no room", code="disk_full")


@pytest.fixture
def answer_here(tmp_path: Path, spool: Spool) -> Iterator[Callable[[DirectJob, Any], None]]:
    """Answers a job by two stages that this machine makes; the second one does this."""
    with ExitStack() as made:

        def answer(job: DirectJob, second: Any) -> None:
            stages = (
                LocalStage("first", Made, "Begin", work=make),
                LocalStage("second", Made, "End", work=second),
                LocalStage("save", Made, "Hand over", work=make),
            )
            plain = replace(STATELESS, result=lambda order, products: {}, saves=lambda *of: ())
            pipeline = with_extras(replace(SCAN, stages=stages), plain)
            answering = Answering(
                pipeline, Settings(home=tmp_path), spool, DailyBudget(spool, None)
            )
            made.callback(answering.close)
            answering.answer(job)

        yield answer


@pytest.mark.parametrize("pictures", [{}, {"other": b"x"}], ids=["plain", "with a picture"])
def test_answer_of_what_this_machine_makes_asks_no_maker(answer_here, spool, pictures):
    job = job_of(pictures=pictures)
    answer_here(job, make)
    assert (job.has_ended, job.has_failed, job.current_step) == (True, False, "second")
    [entry] = spool.waiting()
    assert entry.body["error"] is None


def test_answer_that_fails_in_a_step_fails_at_it(answer_here):
    job = job_of()
    answer_here(job, run_out)
    assert job.events[-1] == make_step_failed("second", "disk_full", "the machine has no room")


OWN = {
    "the same": (job_of(), True),
    "another owner's": (job_of(owner="other"), False),
    "a command's": (job_of(owner=None), True),
    "with another note": (job_of({**NOTE, "note": "신문지"}), False),
}


@pytest.mark.parametrize("case", OWN.values(), ids=OWN)
def test_order_of_a_name_is_its_owners_and_the_same(spool, case):
    job, is_own = case
    spool.append([build_import_entry(SCAN, job_of(), "answer", [], None)])
    if is_own:
        ensure_task_id_available(spool, SCAN, job)
        return
    with pytest.raises(ConflictError):
        ensure_task_id_available(spool, SCAN, job)


def test_order_of_another_pipeline_has_the_name(spool):
    spool.append([build_import_entry(SCAN, job_of(), "answer", [], None)])
    with pytest.raises(ConflictError):
        ensure_task_id_available(spool, replace(SCAN, name="other"), job_of())


def test_answer_in_the_spool_is_found_by_its_pipeline_with_its_failure(spool):
    spool.append([build_import_entry(SCAN, job_of(), "answer", [], INTERRUPTED)])
    found = find_spooled_result(spool, SCAN, "s1/")
    assert found is not None
    assert (found["status"], found["error"]["code"]) == ("failed", INTERRUPTED.code)
    with pytest.raises(UnknownRequestError):
        find_spooled_result(spool, replace(SCAN, name="other"), "s1/")


@pytest.mark.parametrize(
    ("code", "message", "told"),
    [("no_money", "it is empty", ("no_money", "it is empty")), (None, None, ("canceled", "it is"))],
)
def test_request_that_ended_without_a_result_says_why(code, message, told):
    ended = replace(DISPATCHED, status=Status.CANCELED, error_code=code, error_message=message)
    db: Any = None
    plain = replace(STATELESS, failure=lambda payload, code, message: message)
    found = find_stored_result(db, with_extras(SCAN, plain), ended, "s1")
    assert found is not None
    assert found["error"]["code"] == told[0]
    assert found["error"]["message"].startswith(told[1])


@pytest.fixture
def service(tmp_path: Path) -> Iterator[DirectService]:
    """Of a pipeline that has nothing to warm and nothing to rest."""
    bare = with_extras(SCAN, replace(STATELESS, warm=None, rest=None, targets={}))
    pipelines: Any = [bare, get_catalog().get_pipeline("song_video")]
    service = DirectService(Settings(home=tmp_path, stop_grace=60), pipelines)
    service.start(Database("postgresql://127.0.0.1:1/away", at_once=False))
    yield service
    service.stop()


def test_service_without_an_order_at_work_ends_at_once(service):
    assert service.begin_stop() == 0.0


def test_service_with_an_order_at_work_goes_on_for_its_grace(service):
    service.pools["scan"].job("s1", "shop", NOTE)
    assert service.begin_stop() == 60


class Pool:
    """An order is at work in it."""

    open_jobs = 1

    def __init__(self) -> None:
        self.waited: float | None = None

    def begin_stop(self) -> None:
        """It takes no more orders."""

    def close(self, seconds: float) -> None:
        self.waited = seconds

    def end_all(self) -> None:
        """Nothing is left."""


@pytest.mark.parametrize(("grace", "least", "most"), [(None, 0, 5), (60, 5, 60), (1, 0, 1)])
def test_service_that_stops_waits_for_what_is_left_of_its_grace(tmp_path, grace, least, most):
    nothing: Any = []
    service, pool = DirectService(Settings(home=tmp_path, stop_grace=grace or 60), nothing), Pool()
    pools: Any = {"scan": pool}
    service.pools = pools
    if grace is not None:
        assert service.begin_stop() == grace
    service.stop()
    assert pool.waited is not None
    assert least < pool.waited <= most


def test_nothing_is_delivered_where_no_pipeline_answers_directly(tmp_path):
    nothing: Any = [get_catalog().get_pipeline("song_video")]
    assert list_targets(nothing) == {}
    assert DirectService(Settings(home=tmp_path), nothing)._measure_seconds_idle() == math.inf
