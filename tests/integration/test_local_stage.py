"""A stage made on this machine: done once, told about while it goes on, and stopped where its attempt has to."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from resources.contract.errors import PermanentError
from resources.contract.protocol import Product
from resources.contract.stage_settings import StageSettings
from resources.contract.work import Report, Work
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import PictureSource
from resources.ledger.errors import CancelRequestedError, LeaseLostError, WorkerStoppingError
from resources.ledger.schema.tables import Status
from resources.ledger.workers.attempt import Attempt
from resources.ledger.workers.worker import Worker
from resources.purchase.local_stage import run_local_stage
from resources.purchase.stage_run import CheckResult, StageOutcome, any_result
from tests.conftest import MakeSettings
from tests.ledger_steps import Steps

COUNT = StageSettings("count", maker="", kind="", retry_seconds=30, places=None, deadline=20)


class NoPictures:
    """The orders of these tests have no pictures."""

    def open(self, picture: object) -> Path:
        raise AssertionError(picture)


@dataclass
class Workshop:
    """One request of one local stage, and the worker that makes it."""

    steps: Steps
    worker: Worker
    store: ArtifactStore
    make_settings: MakeSettings

    def make(
        self, work: Callable[[Work], Product], check: CheckResult = any_result
    ) -> StageOutcome:
        if "r" not in self.steps.task_ids():
            self.steps.order()
        request, lease = self.steps.claim(owner=self.worker.owner)
        attempt = Attempt(
            self.steps.db, request, lease, self.worker, self.make_settings(), (COUNT,)
        )
        try:
            pictures = cast(PictureSource, NoPictures())
            return run_local_stage(
                attempt, "count", work, store=self.store, pictures=pictures, check=check
            )
        finally:
            attempt.unregister()

    def report(self, tell: Callable[[Report], object]) -> None:
        """One run whose work does no more than telling."""

        def work(surroundings: Work) -> Product:
            tell(surroundings.report)
            return Product({})

        self.make(work)

    def on_record(self) -> tuple[float | None, str | None]:
        row = self.steps.stages()[-1]
        return row.progress, row.progress_note


@pytest.fixture
def workshop(steps: Steps, tmp_path: Path, make_settings: MakeSettings) -> Iterator[Workshop]:
    worker = Worker(steps.db, make_settings())
    worker.start()
    yield Workshop(steps, worker, ArtifactStore(tmp_path / "files"), make_settings)
    worker.stop()


def test_work_of_a_local_stage_completes_its_request(workshop: Workshop) -> None:
    outcome = workshop.make(lambda work: Product({"files_counted": 3}))
    assert (outcome.result["files_counted"], outcome.cost) == (3, 0)
    assert (workshop.steps.row().status, workshop.steps.jobs()) == (Status.COMPLETED, [])


def test_report_of_a_local_stage_is_on_record_at_once(workshop: Workshop) -> None:
    seen = []

    def tell(report: Report) -> None:
        report(0.25, "12 of 48 files")
        seen.append(workshop.on_record())

    workshop.report(tell)
    assert (seen, workshop.on_record()) == ([(0.25, "12 of 48 files")], (None, None))


def test_report_is_recorded_where_it_has_advanced_by_two_percent(workshop: Workshop) -> None:
    seen = []

    def tell(report: Report) -> None:
        for part in range(9):
            report(part / 64)
            seen.append(workshop.on_record()[0])

    workshop.report(tell)
    assert set(seen) == {0, 2 / 64, 4 / 64, 6 / 64, 8 / 64}


ODD = (math.nan, math.inf, -math.inf, -1.0, 2.0)


@examples(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(progress=st.none() | st.floats() | st.sampled_from(ODD), note=st.text() | st.just("a\0b"))
def test_any_report_is_told_as_a_share_and_a_text(
    workshop: Workshop, progress: float | None, note: str
) -> None:
    workshop.steps.empty()
    seen = []

    def tell(report: Report) -> None:
        report(0.5 if progress is None else None, "before")
        report(progress, note)
        seen.append(workshop.on_record())

    workshop.report(tell)
    [(share, text)] = seen
    assert (share is None) is (progress is None)
    assert share is None or 0 <= share <= 1
    assert text is not None
    assert note.startswith(text) or "\0" in note


def stop_worker(workshop: Workshop) -> None:
    workshop.worker.drain()


def cancel(workshop: Workshop) -> None:
    workshop.steps.cancel()


def take_away(workshop: Workshop) -> None:
    workshop.steps.edit("status = 'pending'")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (stop_worker, WorkerStoppingError),
        (cancel, CancelRequestedError),
        (take_away, LeaseLostError),
    ],
)
def test_report_stops_the_work_of_an_attempt_that_may_not_continue(
    workshop: Workshop, change: Callable[[Workshop], None], error: type[Exception]
) -> None:
    def tell(report: Report) -> None:
        report(0.1)
        change(workshop)
        report(0.5)

    with pytest.raises(error):
        workshop.report(tell)
    assert workshop.steps.row().status is not Status.COMPLETED


def test_result_that_the_check_refuses_is_not_stored(workshop: Workshop) -> None:
    def refuse(result: object) -> None:
        raise PermanentError(f"count: {result} does not fit", code="product_unfit")

    with pytest.raises(PermanentError, match=r"\{'made': 1, 'files': \[\]\} does not fit"):
        workshop.make(lambda work: Product({"made": 1}), refuse)
    assert workshop.steps.stages()[-1].result is None


def outside(folder: Path) -> Path:
    """A file of another program."""
    file = folder.parent / "secret.txt"
    file.write_text("not the stage's own")
    return file


def linked(folder: Path) -> Path:
    link = folder / "link.txt"
    link.symlink_to(outside(folder))
    return link


UNFIT: dict[str, tuple[Callable[[Path], Path], str]] = {
    "never written": (lambda folder: folder / "a.txt", "'a.txt', which it has not written"),
    "a folder": (lambda folder: folder, "which it has not written"),
    "outside": (outside, "'secret.txt', which is not in the folder that it was given"),
    "outside by its path": (
        lambda folder: folder / ".." / outside(folder).name,
        "'secret.txt', which is not in the folder that it was given",
    ),
    "a link": (linked, "'link.txt', which is not in the folder that it was given"),
}


@pytest.mark.parametrize("fault", UNFIT)
def test_product_that_names_a_file_that_is_not_its_own_is_the_stages_fault(
    workshop: Workshop, fault: str
) -> None:
    file, said = UNFIT[fault]
    with pytest.raises(PermanentError) as refusal:
        workshop.make(lambda work: Product({}, (file(work.folder),)))
    assert refusal.value.code == "product_unfit"
    assert refusal.value.message.startswith("count: its product names the file ")
    assert refusal.value.message.endswith(said)
    assert list(workshop.store.root.glob("r/*")) == []


def test_files_of_a_product_have_different_names(workshop: Workshop) -> None:
    def work(surroundings: Work) -> Product:
        (surroundings.folder / "b").mkdir()
        files = (surroundings.folder / "a.txt", surroundings.folder / "b" / "a.txt")
        for file in files:
            file.write_text("a")
        return Product({}, files)

    with pytest.raises(PermanentError, match=r"'a\.txt', twice"):
        workshop.make(work)
