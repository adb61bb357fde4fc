"""Answer an order in the API's process."""

import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from castad.direct.ledger_import import (
    INTERRUPTED,
    DirectJob,
    KeptStage,
    import_entry,
    make_answer_name,
    make_completed_body,
    make_failed_body,
    make_step_completed,
    make_step_failed,
    make_step_started,
)
from castad.direct.purchase import DailyBudget, Purchases, buy
from pipeline_defs.capabilities.stateless import Stateless
from pipeline_defs.catalog import catalog
from pipeline_defs.pipeline import BoughtStage, LocalStage, Pipeline, Stage
from resources.contract.errors import CastadError, InvalidInputError, StateUnavailableError
from resources.contract.protocol import Product, Provider, Storing, Work
from resources.delivery.spool import Spool
from resources.files.artifacts import artifact_store
from resources.files.pictures import lent_picture, picture_references, picture_source
from resources.ledger.transitions.import_completed import Purchase
from resources.process.configure_logging import log_traceback
from resources.process.crash_points import crash_point
from resources.process.file_locks import disk_errors
from resources.process.settings import Settings
from resources.purchase.submission import hash_payload

_LINK_SECONDS = 10.0
"""The limit for all links of an order: a client waits, and the thread serves no other order meanwhile."""


class DirectFiles:
    """The folder and the pictures of direct answers. Thread-safe.

    The folder is made when it is first needed; the stages leave nothing in it.
    """

    def __init__(self, settings: Settings, link_seconds: float = _LINK_SECONDS) -> None:
        self._settings = settings
        self._link_seconds = link_seconds
        self._folder: TemporaryDirectory[str] | None = None
        self._making = Lock()

    @property
    def folder(self) -> Path:
        """The folder of this process."""
        with self._making, disk_errors():
            if self._folder is None or not Path(self._folder.name).is_dir():
                self._folder = TemporaryDirectory(prefix="castad-direct-")
            return Path(self._folder.name)

    @contextmanager
    def pictures(self, job: DirectJob, fields: Sequence[str]) -> Iterator[None]:
        """Provide the order's pictures as files during the block: those that came with it, and linked ones.

        Raises what `PictureSource.open` raises.
        """
        references = [*picture_references(job.payload, fields, job.task_id)]
        if not references:
            yield
            return
        until = time.monotonic() + self._link_seconds
        with ExitStack() as held:
            for reference in references:
                given = job.pictures.get(str(reference.get("where", "")))
                if given is not None:
                    file = held.enter_context(_hold_in_memory(given))
                elif "url" in reference:
                    folder = held.enter_context(artifact_store(self._settings).workspace())
                    left = max(0.001, until - time.monotonic())
                    file = picture_source(self._settings).fetch_link(reference, folder, left)
                else:
                    continue
                held.enter_context(lent_picture(reference, file))
            yield

    def work(self, job: DirectJob) -> Work:
        """Return the surroundings of a local stage's work."""
        return Work(
            task_id=job.task_id,
            folder=self.folder,
            open=_refuse_file,
            picture=picture_source(self._settings).open,
            check=_check_nothing,
            report=_report_nothing,
            calling=_call_freely,
        )

    def close(self) -> None:
        """Remove the folder."""
        with self._making:
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None


@contextmanager
def _hold_in_memory(picture: bytes) -> Iterator[Path]:
    """Return a path at which this process reads the picture; it is only in memory, however the process ends."""
    with os.fdopen(os.memfd_create("picture"), "wb", buffering=0) as file:
        view = memoryview(picture)
        while view:
            view = view[file.write(view) :]
        yield Path(f"/proc/self/fd/{file.fileno()}")


def _refuse_file(reference: Mapping[str, Any]) -> Path:
    raise InvalidInputError(
        str(reference.get("name", "file")), "expected no file: none is kept here"
    )


def _check_nothing() -> None:
    """Stop nothing: only its deadline ends an answer."""


def _report_nothing(progress: float | None, note: str = "") -> None:
    """Save nothing: the steps are the progress."""


def _call_freely(vendor: str) -> AbstractContextManager[None]:
    return nullcontext()


_USD = 1_000_000
_INTERNAL = "internal_error"
_NO_PICTURE = (
    "its picture was not kept, so that it cannot be retried: send it again with the picture"
)
_INTERRUPTED_SECONDS = 3_600.0
_LONGEST_CALLS = 20
"""The calls after whose deadlines an answer has ended, or its process has."""

_log = logging.getLogger("castad.direct")


@dataclass
class Counts:
    """The counts of answers since this process began."""

    completed: int = 0
    failed: int = 0
    not_kept: int = 0
    """Answers whose saves and import could not be written to the spool."""


class Answering:
    """Answers orders of one pipeline. Thread-safe."""

    def __init__(
        self, pipeline: Pipeline, settings: Settings, spool: Spool, budget: DailyBudget
    ) -> None:
        stateless = pipeline.find_extra(Stateless)
        if stateless is None:
            raise InvalidInputError(
                "pipeline", f"expected one that answers directly, got {pipeline.name}"
            )
        self.pipeline = pipeline
        self.stateless: Stateless = stateless
        self.steps = tuple(
            name for name in pipeline.stage_names if name not in self.stateless.after
        )
        self.counts = Counts()
        self._settings = settings
        self._spool = spool
        self._budget = budget
        self._files = DirectFiles(settings)

    def answer(self, job: DirectJob) -> None:
        """Answer the job: publish the result or the error as its last event, after the answer is kept."""
        try:
            self._answer(job)
        except BaseException as error:  # noqa: BLE001 - a client that waits gets an end, whatever happened
            log = log_traceback(error)
            _log.error("unexpected error: %s; the details are in %s", type(error).__name__, log)
            message = "an unexpected error; the operator's log has the details"
            step = job.current_step or self.steps[0]
            self._publish_failure(job, step, _INTERNAL, message, is_kept=False)

    def fail(self, job: DirectJob, error: CastadError) -> None:
        """End the job with this error; only its purchases are kept."""
        step = job.current_step or self.steps[0]
        self._publish_failure(job, step, error.code, error.message, is_kept=False)

    def _answer(self, job: DirectJob) -> None:
        brief = self.pipeline.parse(job.payload)
        run = _Run(job, brief)
        try:
            self._execute_steps(run)
            error = None
        except CastadError as refused:
            error = refused
        except Exception as unexpected:  # noqa: BLE001 - a function of the folder may raise anything
            log = log_traceback(unexpected)
            _log.error(
                "unexpected error: %s; the details are in %s", type(unexpected).__name__, log
            )
            error = CastadError(
                "an unexpected error; the operator's log has the details", code=_INTERNAL
            )
        self._publish_end(run, error)

    def _execute_steps(self, run: "_Run") -> None:
        with self._files.pictures(run.job, self.pipeline.uploads):
            for stage in self.pipeline.stages:
                if stage.name in self.steps:
                    crash_point(f"{stage.name}.before_stage")
                    self._execute_step(run, stage)

    def _publish_end(self, run: "_Run", error: CastadError | None) -> None:
        is_kept = self._keep(run, error)
        if error is not None:
            step = run.step or self.steps[0]
            self._publish_failure(run.job, step, error.code, error.message, is_kept=is_kept)
            return
        self.counts.completed += 1
        result = self.stateless.result(run.brief, run.products)
        body = make_completed_body(run.job.task_id, result, is_kept=is_kept)
        last = make_step_completed(self.steps[-1], self.steps)
        run.job.publish({**last, "result": body}, body)

    def _publish_failure(
        self, job: DirectJob, step: str, code: str, message: str, *, is_kept: bool
    ) -> None:
        self.counts.failed += 1
        event = make_step_failed(step, code, message)
        body = {**make_failed_body(job.task_id, code, message), "kept": is_kept}
        job.publish(event, body)

    def _execute_step(self, run: "_Run", stage: Stage) -> None:
        run.step = stage.name
        run.job.publish(make_step_started(stage.name, self.steps))
        at_work = KeptStage(stage.name, None, time.time(), time.time(), [])
        result = None
        try:
            made = dict(self._make(run, stage, at_work).result)
            crash_point(f"{stage.name}.after_fetch")
            run.products[stage.name] = stage.product.model_validate(made)
            result = made
        finally:
            run.kept.append(replace(at_work, result=result, ended_at=time.time()))
        if stage.name != self.steps[-1]:
            run.job.publish(make_step_completed(stage.name, self.steps))

    def _make(self, run: "_Run", stage: Stage, at_work: KeptStage) -> Product:
        if isinstance(stage, LocalStage):
            return stage.work(run.brief, run.products, self._files.work(run.job))
        known = stage.known_result(run.brief, run.products)
        return self._buy(run, stage, at_work) if known is None else Product(known)

    def _buy(self, run: "_Run", stage: BoughtStage, at_work: KeptStage) -> Product:
        """Buy the maker's product; every submission, also a failed one, is added to the stage's purchases."""
        provider = catalog().provider(self.pipeline, stage.name, self._settings)
        assert provider is not None  # noqa: S101 - a bought stage has a maker
        # Nothing is looked up later here: a vendor that would keep answers need not.
        maker: Provider = provider.unstored() if isinstance(provider, Storing) else provider
        job_input = stage.job_input(run.brief, run.job.task_id, run.products)
        intend = partial(self._intend, run, at_work)
        return buy(
            Purchases(maker, job_input, hash_payload(run.job.payload), at_work.purchases, intend),
            self._files.folder,
            resubmit_below=round(self._settings.resubmit_below * _USD),
            deadline_seconds=self._settings.call_deadline,
        )

    def _intend(self, run: "_Run", at_work: KeptStage, purchase: Purchase) -> None:
        """Store what is known of the answer before the purchase is made.

        Its cost includes the prices of the stages after this one: an answer that cannot be finished is not begun.
        """
        begun = replace(at_work, ended_at=time.time(), purchases=[*at_work.purchases, purchase])
        entry = import_entry(self.pipeline, run.job, run.answer, [*run.kept, begun], INTERRUPTED)
        prices = catalog().prices(self.pipeline, run.job.payload, self._settings)
        names = self.pipeline.stage_names
        later = sum(prices[name] for name in names[names.index(at_work.stage) + 1 :])
        self._budget.reserve(
            replace(entry, cost=entry.cost + later),
            max(_INTERRUPTED_SECONDS, _LONGEST_CALLS * self._settings.call_deadline),
        )
        crash_point(f"{at_work.stage}.after_intent")

    def _keep(self, run: "_Run", error: CastadError | None) -> bool:
        """Write saves and import to the disk; return whether that succeeded."""
        saves: Any = ()
        if error is None:
            saves = self.stateless.saves(run.brief, run.products, run.job.task_id)
            run.add_after(self.stateless.after, len(saves))
        elif run.job.pictures:
            # A retry as a run would look for a picture that is nowhere.
            error = CastadError(f"{error.message}; {_NO_PICTURE}", code=error.code)
        entry = import_entry(self.pipeline, run.job, run.answer, run.kept, error)
        crash_point(f"{self.stateless.after[0]}.after_fetch")
        try:
            self._spool.append((*saves, entry))
            crash_point(f"{self.stateless.after[0]}.after_keep")
        except StateUnavailableError as unavailable:
            self.counts.not_kept += 1
            _log.error(
                "answered, but not kept: task_id=%s %s", run.job.task_id, unavailable.message
            )
            return False
        return True

    def close(self) -> None:
        """Remove this process's folder of pictures."""
        self._files.close()


@dataclass
class _Run:
    """One answer so far."""

    job: DirectJob
    brief: Any
    products: dict[str, Any] = field(default_factory=dict)
    kept: list[KeptStage] = field(default_factory=list)
    step: str | None = None
    answer: str = field(default_factory=make_answer_name)

    def add_after(self, stages: tuple[str, ...], saves: int) -> None:
        """Add the stages after the answer: the append that follows completes them."""
        now = time.time()
        self.kept += [KeptStage(name, {"saves": saves}, now, now, []) for name in stages]
