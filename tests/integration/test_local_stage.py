"""A stage made on this machine: done once, told about while it goes on, and stopped where its attempt has to."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from resources.contract.errors import PermanentError, TransientError
from resources.contract.protocol import Product, Report, StageSettings, Work
from resources.files.artifacts import ArtifactStore, MissingArtifactError
from resources.ledger.ledger_errors import (
    CancelRequestedError,
    LeaseLostError,
    ProviderPausedError,
    WorkerStoppingError,
)
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.housekeeping import pause_provider
from resources.ledger.transitions.redo import redo_stages
from resources.ledger.workers.attempt import Attempt
from resources.ledger.workers.worker import Worker
from resources.purchase import stage_protocol
from resources.purchase.attempt_ledger import AttemptLedger
from resources.purchase.stage_context import StageOutcome
from tests.conftest import MakeSettings
from tests.ledger_steps import Steps
from tests.stage_contexts import CheckResult, any_result, execute

DRAFT, COUNT = (
    StageSettings(name, maker="", kind="", retry_seconds=30, slots=None, deadline=20)
    for name in ("draft", "count")
)


@dataclass
class Workshop:
    """One request of one local stage, and the worker that makes it."""

    steps: Steps
    worker: Worker
    store: ArtifactStore
    make_settings: MakeSettings
    seconds: float = 0.0

    @contextmanager
    def attempt(self, *stages: StageSettings, task_id: str = "r") -> Iterator[Attempt]:
        if task_id not in self.steps.task_ids():
            self.steps.order(task_id)
        request, lease = self.steps.claim(task_id, owner=self.worker.owner)
        attempt = Attempt(self.steps.db, request, lease, self.worker, self.make_settings(), stages)
        try:
            yield attempt
        finally:
            attempt.unregister()

    def run(
        self,
        attempt: Attempt,
        stage: str,
        work: Callable[[Work], Product],
        check: CheckResult = any_result,
    ) -> StageOutcome:
        return execute(attempt, stage, work, self.store, check=check)

    def make(
        self, work: Callable[[Work], Product], check: CheckResult = any_result
    ) -> StageOutcome:
        with self.attempt(COUNT) as attempt:
            return self.run(attempt, "count", work, check)

    def report(self, tell: Callable[[Report], object]) -> None:
        """One run whose work does no more than telling."""

        def work(surroundings: Work) -> Product:
            tell(surroundings.report)
            return Product({})

        self.make(work)

    def stored_progress(self) -> tuple[float | None, str | None]:
        row = self.steps.stages()[-1]
        return row.progress, row.progress_note


@pytest.fixture
def workshop(
    steps: Steps, tmp_path: Path, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workshop]:
    worker = Worker(steps.db, make_settings())
    worker.start()
    workshop = Workshop(steps, worker, ArtifactStore(tmp_path / "files"), make_settings)
    monkeypatch.setattr(stage_protocol, "monotonic", lambda: workshop.seconds)
    yield workshop
    worker.stop()


def test_work_of_a_local_stage_completes_its_request(workshop):
    outcome = workshop.make(lambda work: Product({"files_counted": 3}))
    assert (outcome.result["files_counted"], outcome.cost) == (3, 0)
    assert (workshop.steps.row().status, workshop.steps.jobs()) == (Status.COMPLETED, [])


def test_stage_of_an_attempt_that_has_completed_its_request_is_only_read(workshop):
    with workshop.attempt(COUNT) as attempt:
        made = workshop.run(attempt, "count", lambda work: Product({"files_counted": 3}))
        read = workshop.run(attempt, "count", lambda work: Product({"files_counted": 4}))
    assert (made.reused, read.reused, read.result) == (False, True, made.result)


def test_file_that_no_stage_has_made_is_missed_by_its_name(workshop):
    def work(surroundings: Work) -> Product:
        raise MissingArtifactError("gone.txt", "castad redo r")

    with pytest.raises(MissingArtifactError, match=r"gone\.txt"):
        workshop.make(work)


def test_report_of_a_local_stage_is_stored_at_once(workshop):
    seen = []

    def tell(report: Report) -> None:
        report(0.25, "12 of 48 files")
        seen.append(workshop.stored_progress())

    workshop.report(tell)
    assert (seen, workshop.stored_progress()) == ([(0.25, "12 of 48 files")], (None, None))


def test_reports_are_saved_once_in_a_while_and_the_last_of_each_while_is_kept(workshop):
    seen = []

    def work(surroundings: Work) -> Product:
        for pause in (False, True):
            workshop.seconds += pause
            for part in range(3):
                surroundings.report(None, f"file {part} of {pause:d}")
                seen.append(workshop.stored_progress()[1])
        workshop.seconds += 1
        surroundings.check()
        seen.append(workshop.stored_progress()[1])
        return Product({})

    workshop.make(work)
    assert seen == [*["file 0 of 0"] * 3, *["file 0 of 1"] * 3, "file 2 of 1"]


def test_last_report_of_work_that_fails_is_stored(workshop):
    def work(surroundings: Work) -> Product:
        for part in range(3):
            surroundings.report(part / 10, f"file {part}")
        raise PermanentError("count: it cannot be counted")

    with pytest.raises(PermanentError):
        workshop.make(work)
    assert workshop.stored_progress() == (0.2, "file 2")


ODD = (math.nan, math.inf, -math.inf, -1.0, 2.0)


@examples(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(progress=st.none() | st.floats() | st.sampled_from(ODD), note=st.text() | st.just("a\0b"))
def test_any_report_is_told_as_a_share_and_a_text(workshop, progress, note):
    workshop.steps.empty()
    seen = []

    def tell(report: Report) -> None:
        report(0.5 if progress is None else None, "before")
        workshop.seconds += 1
        report(progress, note)
        seen.append(workshop.stored_progress())

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
def test_report_stops_the_work_of_an_attempt_that_may_not_continue(workshop, change, error):
    def tell(report: Report) -> None:
        report(0.1)
        change(workshop)
        workshop.seconds += 1
        report(0.5)

    with pytest.raises(error):
        workshop.report(tell)
    assert workshop.steps.row().status is not Status.COMPLETED


@pytest.mark.parametrize("call", [lambda work: work.check(), lambda work: work.report(0.5)])
def test_work_that_is_over_its_deadline_is_stopped_by_its_next_call(workshop, call):
    def work(surroundings: Work) -> Product:
        call(surroundings)
        return Product({})

    with (
        workshop.attempt(replace(COUNT, deadline=0.0)) as attempt,
        pytest.raises(TransientError, match=r"^count: its work did not finish within 0 s$") as late,
    ):
        workshop.run(attempt, "count", work)
    assert late.value.code == "stage_timeout"


@pytest.mark.parametrize("seconds", [20.0, 20.5])
def test_work_is_stopped_once_its_deadline_is_reached(workshop, seconds):
    begun = []

    def work(surroundings: Work) -> Product:
        workshop.seconds = 19.5
        surroundings.check()
        begun.append(seconds)
        workshop.seconds = seconds
        surroundings.check()
        return Product({})

    with pytest.raises(TransientError, match="did not finish within 20 s"):
        workshop.make(work)
    assert begun == [seconds]


@pytest.mark.parametrize(("pause", "saved"), [(0.25, "one"), (0.5, "two"), (0.75, "two")])
def test_report_is_saved_once_the_time_between_two_is_over(workshop, pause, saved):
    workshop.make_settings = partial(workshop.make_settings, watch_seconds=0.5)
    seen = []

    def tell(report: Report) -> None:
        report(None, "one")
        workshop.seconds += pause
        report(None, "two")
        seen.append(workshop.stored_progress()[1])

    workshop.report(tell)
    assert seen == [saved]


def test_product_that_the_check_refuses_is_not_stored(workshop):
    def refuse(result: Mapping[str, Any]) -> None:
        [file] = result["files"]
        raise PermanentError(f"count: {file['name']} does not fit", code="product_unfit")

    with pytest.raises(PermanentError, match=r"draft\.txt does not fit"):
        workshop.make(draft, refuse)
    assert workshop.steps.stages()[-1].result is None
    assert list(workshop.store.root.rglob("*.txt")) == []


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (stop_worker, WorkerStoppingError),
        (cancel, CancelRequestedError),
        (take_away, LeaseLostError),
    ],
)
def test_product_of_an_attempt_that_may_not_continue_is_not_stored(workshop, change, error):
    def work(surroundings: Work) -> Product:
        product = draft(surroundings)
        change(workshop)
        return product

    with pytest.raises(error):
        workshop.make(work)
    assert list(workshop.store.root.rglob("*.txt")) == []


def test_paused_vendor_is_not_called(workshop):
    called: list[str] = []

    def work(surroundings: Work) -> Product:
        with surroundings.calling("vendor"):
            called.append("vendor")
        return Product({})

    pause_provider(workshop.steps.db, "vendor", "out of credits", 60)
    with pytest.raises(ProviderPausedError, match="out of credits"):
        workshop.make(work)
    assert called == []


def take_over(workshop: Workshop, attempt: Attempt, stage: str) -> StageOutcome | None:
    """Take over what the holder of the shared key has made, from this stage on."""
    return AttemptLedger(attempt, attempt.stage(stage)).take_over(workshop.store, "key", None)


def test_worker_that_stops_takes_no_order_over(workshop):
    with workshop.attempt(COUNT) as attempt:
        stop_worker(workshop)
        with pytest.raises(WorkerStoppingError):
            take_over(workshop, attempt, "count")
    assert workshop.steps.row().unique_key is None


def completed_by_sql(workshop: Workshop) -> None:
    workshop.steps.order()
    workshop.steps.edit("status = 'completed'")


@pytest.mark.parametrize("is_closed", [False, True], ids=["a replay", "one that has ended"])
def test_attempt_that_makes_nothing_takes_no_order_over(workshop, is_closed):
    if not is_closed:
        completed_by_sql(workshop)
    with workshop.attempt(COUNT) as attempt:
        assert (attempt.lease is None) is not is_closed
        attempt.is_closed = is_closed
        assert take_over(workshop, attempt, "count") is None
    assert workshop.steps.row().unique_key is None


def make_first(workshop: Workshop) -> None:
    """Another request takes the key, and makes all its stages."""
    with workshop.attempt(DRAFT, COUNT, task_id="first") as attempt:
        assert take_over(workshop, attempt, "draft") is None
        for stage in ("draft", "count"):
            workshop.run(attempt, stage, lambda work: Product({"made_by": "first"}))


def test_order_of_the_same_key_is_completed_with_what_the_first_one_has_made(workshop):
    make_first(workshop)
    with workshop.attempt(DRAFT, COUNT) as attempt:
        outcome = take_over(workshop, attempt, "draft")
    assert outcome is not None
    assert (outcome.result["made_by"], outcome.reused, outcome.cost) == ("first", True, 0)
    assert workshop.steps.row().status is Status.COMPLETED


def test_first_one_that_lacks_a_stage_is_not_taken_over(workshop):
    make_first(workshop)
    workshop.steps.sql("DELETE FROM stages WHERE stage = 'count'")
    with workshop.attempt(DRAFT, COUNT) as attempt:
        assert take_over(workshop, attempt, "draft") is None
    assert workshop.steps.row().status is Status.PROCESSING


def test_stage_that_an_order_has_made_itself_is_not_taken_over(workshop):
    make_first(workshop)
    with workshop.attempt(DRAFT, COUNT) as attempt:
        workshop.run(attempt, "draft", lambda work: Product({"made_by": "itself"}))
        assert take_over(workshop, attempt, "draft") is None


def outside(folder: Path) -> Path:
    """A file of another program."""
    file = folder.parent / "secret.txt"
    file.write_text("not the stage's own")
    return file


def linked(folder: Path) -> Path:
    link = folder / "link.txt"
    link.symlink_to(outside(folder))
    return link


def linked_within(folder: Path) -> Path:
    own, link = folder / "own.txt", folder / "link.txt"
    own.write_text("the stage's own")
    link.symlink_to(own)
    return link


UNFIT: dict[str, tuple[Callable[[Path], Path], str]] = {
    "never written": (lambda folder: folder / "a.txt", "'a.txt', which it has not written"),
    "a folder": (lambda folder: folder, "which it has not written"),
    "outside": (outside, "'secret.txt', which is not in the folder that it was given"),
    "outside by its path": (
        lambda folder: folder / ".." / outside(folder).name,
        "'secret.txt', which is not in the folder that it was given",
    ),
    "a link to its own": (
        linked_within,
        "'link.txt', which is not in the folder that it was given",
    ),
    "a link": (linked, "'link.txt', which is not in the folder that it was given"),
}


@pytest.mark.parametrize("fault", UNFIT)
def test_product_that_names_a_file_that_is_not_its_own_is_the_stages_fault(workshop, fault):
    file, said = UNFIT[fault]
    with pytest.raises(PermanentError) as refusal:
        workshop.make(lambda work: Product({}, (file(work.folder),)))
    assert refusal.value.code == "product_unfit"
    assert refusal.value.message.startswith("count: its product names the file ")
    assert refusal.value.message.endswith(said)
    assert list(workshop.store.root.glob("r/*")) == []


MALFORMED: dict[str, tuple[object, str]] = {
    "nothing": (None, "expected a Product, got NoneType"),
    "a dict": ({"counted": 1}, "expected a Product, got dict"),
    "a list as its result": (
        Product(cast(Any, [1])),
        "its result: expected a JSON object, got list",
    ),
    "a date": (
        Product({"at": date.max}),
        "its result is not JSON: Object of type date is not JSON serializable",
    ),
    "no number": (
        Product({"share": math.nan}),
        "its result is not JSON: Out of range float values are not JSON compliant",
    ),
    "half a character": (Product({"text": "\ud800"}), "its result is not JSON: 'utf-8' codec"),
    "names of files": (
        Product({}, cast(Any, ("a.txt",))),
        "its files: expected paths in a tuple, got str in it",
    ),
    "one file": (
        Product({}, cast(Any, Path("a.txt"))),
        "its files: expected paths in a tuple, got PosixPath",
    ),
}


@pytest.mark.parametrize("fault", MALFORMED)
def test_what_is_no_product_is_the_stages_fault(workshop, fault):
    made, said = MALFORMED[fault]
    with pytest.raises(PermanentError, match=f"^count: {re.escape(said)}") as refusal:
        workshop.make(lambda work: cast(Product, made))
    assert refusal.value.code == "product_unfit"


def test_files_of_a_product_have_different_names(workshop):
    def work(surroundings: Work) -> Product:
        (surroundings.folder / "b").mkdir()
        files = (surroundings.folder / "a.txt", surroundings.folder / "b" / "a.txt")
        for file in files:
            file.write_text("a")
        return Product({}, files)

    with pytest.raises(PermanentError, match=r"'a\.txt', twice"):
        workshop.make(work)


def draft(surroundings: Work) -> Product:
    file = surroundings.folder / "draft.txt"
    file.write_text("a draft")
    return Product({}, (file,))


def test_file_with_the_name_of_another_stages_file_is_refused_and_replaces_nothing(workshop):
    def work(surroundings: Work) -> Product:
        (surroundings.folder / "draft.txt").write_text("a count")
        return Product({}, (surroundings.folder / "draft.txt",))

    with workshop.attempt(DRAFT, COUNT) as attempt:
        [file] = workshop.run(attempt, "draft", draft).result["files"]
        with pytest.raises(PermanentError, match=r"^count: .*'draft\.txt', .* draft ") as refusal:
            workshop.run(attempt, "count", work)
    assert refusal.value.code == "product_unfit"
    assert workshop.store.open(file).read_text() == "a draft"


@pytest.mark.parametrize("redone", [False, True])
def test_file_that_is_gone_is_made_again_by_a_redo_of_the_stage_that_made_it(workshop, redone):
    if redone:
        with workshop.attempt(DRAFT, COUNT) as attempt:
            workshop.run(attempt, "draft", draft)
            workshop.run(attempt, "count", lambda work: Product({}))
        redo_stages(workshop.steps.db, "r", "draft", ("draft", "count"))
    with workshop.attempt(DRAFT, COUNT) as attempt:
        [file] = workshop.run(attempt, "draft", draft).result["files"]
        workshop.store.open(file).unlink()
        with pytest.raises(PermanentError, match="`castad redo r --from draft` makes it again"):
            workshop.run(attempt, "count", lambda work: Product({"is": str(work.open(file))}))


def make_all(workshop: Workshop) -> None:
    """The order makes all its stages itself."""
    with workshop.attempt(DRAFT, COUNT) as attempt:
        for stage in ("draft", "count"):
            workshop.run(attempt, stage, lambda work: Product({"made_by": "itself"}))


def test_order_that_has_made_all_its_stages_takes_nothing_over(workshop):
    make_first(workshop)
    make_all(workshop)
    workshop.steps.edit("status = 'pending'")
    with workshop.attempt(DRAFT, COUNT) as attempt:
        assert attempt.lease is not None
        assert take_over(workshop, attempt, "count") is None


def test_stage_that_is_made_again_is_not_taken_over(workshop):
    make_first(workshop)
    make_all(workshop)
    redo_stages(workshop.steps.db, "r", "count", ("draft", "count"))
    with workshop.attempt(DRAFT, COUNT) as attempt:
        assert take_over(workshop, attempt, "draft") is None
    assert workshop.steps.row().status is Status.PROCESSING
