"""Answer an order in this process: its stages are executed with their submissions in memory."""

import logging
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, NoReturn

from castad.direct.budget import DailyBudget
from castad.direct.ledger_import import (
    INTERRUPTED,
    DirectJob,
    KeptStage,
    build_import_entry,
    make_completed_body,
    make_failed_body,
    make_step_completed,
    make_step_failed,
    make_step_started,
)
from pipeline_defs.capabilities import Stateless
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import BoughtStage, Pipeline, Stage
from resources.contract.errors import (
    CastadError,
    InvalidInputError,
    StateUnavailableError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import Provider, StageSettings, StoringProvider
from resources.delivery.spool import Spool
from resources.files.artifacts import ArtifactStore, open_artifact_store
from resources.files.pictures import get_picture_source, lend_picture, list_picture_references
from resources.ledger.queries.money import SUBMISSION_LOST
from resources.ledger.rules import is_retried_in_step
from resources.ledger.schema.tables import JobStatus
from resources.ledger.transitions.import_completed import Purchase
from resources.ledger.transitions.jobs import Job
from resources.process.configure_logging import log_traceback
from resources.process.crash_points import trigger_crash_point
from resources.process.file_locks import translate_disk_errors
from resources.process.settings import Settings
from resources.purchase.stage_context import ProviderJob, StageContext, StageLedger
from resources.purchase.stage_protocol import execute_stage

_LINK_SECONDS = 10.0
"""The limit for all links of an order: a client waits, and the thread serves no other order meanwhile."""


class AnswerFiles(ArtifactStore):
    """The store of direct answers, which keeps no file: it only has a folder, and lends pictures. Thread-safe.

    The folder is made when it is first needed; the stages leave nothing in it. `link_seconds` is the time in
    which all linked pictures of an order must be fetched.
    """

    def __init__(self, settings: Settings, link_seconds: float = _LINK_SECONDS) -> None:
        super().__init__(open_artifact_store(settings).root)
        self._settings = settings
        self._link_seconds = link_seconds
        self._folder: TemporaryDirectory[str] | None = None
        self._making = Lock()

    @property
    def folder(self) -> Path:
        """The temporary folder of this process; made if it does not exist."""
        with self._making, translate_disk_errors():
            if self._folder is None or not Path(self._folder.name).is_dir():
                self._folder = TemporaryDirectory(prefix="castad-direct-")
            return Path(self._folder.name)

    @contextmanager
    def pictures(self, job: DirectJob, fields: Sequence[str]) -> Iterator[None]:
        """Provide the order's pictures as files during the block: those that came with it, and linked ones.

        `fields` are the payload's fields that may name pictures. Raises what `PictureSource.open` raises.
        """
        references = [*list_picture_references(job.payload, fields, job.task_id)]
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
                    folder = held.enter_context(super().workspace())
                    left = max(0.001, until - time.monotonic())
                    file = get_picture_source(self._settings).fetch_link(reference, folder, left)
                else:
                    continue
                held.enter_context(lend_picture(reference, file))
            yield

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """Yield the folder of this process."""
        yield self.folder

    def open(self, reference: Mapping[str, Any]) -> Path:
        """Raise InvalidInputError: there are no files."""
        raise InvalidInputError(
            str(reference.get("name", "file")), "expected no file: none is kept here"
        )

    def describe(self, file: Path, task_id: str, name: str) -> NoReturn:
        """Raise InvalidInputError: a direct answer may not store files."""
        raise InvalidInputError(name, "expected no file: none is kept here")

    def close(self) -> None:
        """Remove the folder; it is made again if it is needed later."""
        with self._making:
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None


@contextmanager
def _hold_in_memory(picture: bytes) -> Iterator[Path]:
    """Yield a path at which this process can read the picture, which exists only in memory during the block."""
    with os.fdopen(os.memfd_create("picture"), "wb", buffering=0) as file:
        view = memoryview(picture)
        while view:
            view = view[file.write(view) :]
        yield Path(f"/proc/self/fd/{file.fileno()}")


_INTERNAL = "internal_error"
_NO_PICTURE = (
    "its picture was not kept, so that it cannot be retried: send it again with the picture"
)
_INTERRUPTED_SECONDS = 3_600.0
_LONGEST_WAIT = 4.0
"""The longest wait before a retry in seconds, because a client waits for the answer."""
_LONGEST_CALLS = 20
"""The calls after whose deadlines an answer has ended, or its process has."""

_log = logging.getLogger("castad.direct")


Reserve = Callable[[Sequence[Purchase]], None]
"""Stores an answer's purchases within the day's budget, before the last of them is sent."""


class AnswerLedger(StageLedger):
    """The submissions of one stage of a direct answer.

    A paid one is stored in the spool as a lost submission before it is sent, so that its cost counts after a
    crash.
    """

    def __init__(self, job: DirectJob, stage: StageSettings, reserve: Reserve) -> None:
        super().__init__(job.task_id, job.payload, stage)
        self._reserve = reserve

    def save_intent(self, provider: Provider, token: str, cost: int) -> Job:
        """Store the submission, and its price in the spool.

        Raise OverBudgetError if the day's budget does not allow it.
        """
        if cost:
            code = UnknownSubmissionError.code
            lost = Purchase(provider.name, token, self.request_hash, cost, code)
            self._reserve([*self.list_purchases(None), lost])
        return super().save_intent(provider, token, cost)

    def list_purchases(self, error_code: str | None) -> list[Purchase]:
        """List the submissions that were accepted or may have been.

        `error_code` is the code of those without an error of their own; None for a success.
        """
        return [
            Purchase(
                job.provider,
                job.token,
                job.request_hash,
                job.cost,
                self.codes.get(job.id, error_code),
            )
            for job in self.jobs.values()
            if job.cost or job.external_id is not None
        ]


@dataclass
class Counts:
    """The numbers of direct answers since this process began."""

    completed: int = 0
    failed: int = 0
    not_kept: int = 0
    """Answers whose saves and import could not be written to the spool."""


class Answering:
    """Answers orders of one pipeline.

    Thread-safe. The constructor raises InvalidInputError for an unfit pipeline.
    """

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
        self._files = AnswerFiles(settings)

    def answer(self, job: DirectJob) -> None:
        """Execute the order.

        Publish its result or error as the last event, after the answer is stored in the spool. Raises nothing.
        """
        try:
            answer = _Answer(job)
            error = None
            try:
                answer.brief = self.pipeline.parse(job.payload)
                self._execute_steps(answer)
            except CastadError as refused:
                error = refused
            except Exception as unexpected:  # noqa: BLE001 - a function of the folder may raise anything
                error = _log_unexpected(unexpected)
            self._publish_end(answer, error)
        except BaseException as unexpected:  # noqa: BLE001 - a client that waits gets an end, whatever happened
            self.fail(job, _log_unexpected(unexpected))

    def fail(self, job: DirectJob, error: CastadError) -> None:
        """End the job with this error. Nothing of the order is stored except its purchases."""
        self._publish_failure(job, error, is_kept=False)

    def _publish_end(self, answer: "_Answer", error: CastadError | None) -> None:
        """Store the answer, and publish its result, or the error if there is one, as the last event."""
        is_kept = self._store_answer(answer, error)
        if error is not None:
            self._publish_failure(answer.job, error, is_kept=is_kept)
            return
        self.counts.completed += 1
        result = self.stateless.result(answer.brief, answer.products)
        body = make_completed_body(answer.job.task_id, result, is_kept=is_kept)
        last = make_step_completed(self.steps[-1], self.steps)
        answer.job.publish({**last, "result": body}, body)

    def _publish_failure(self, job: DirectJob, error: CastadError, *, is_kept: bool) -> None:
        """Publish the error as the job's last event; `is_kept` is whether the answer was stored."""
        self.counts.failed += 1
        event = make_step_failed(job.current_step or self.steps[0], error.code, error.message)
        body = {**make_failed_body(job.task_id, error.code, error.message), "kept": is_kept}
        job.publish(event, body)

    def _execute_steps(self, answer: "_Answer") -> None:
        """Execute the stages that precede the answer, in order."""
        with self._files.pictures(answer.job, self.pipeline.uploads):
            for stage in self.pipeline.stages:
                if stage.name in self.steps:
                    self._execute_step(answer, stage)

    def _execute_step(self, answer: "_Answer", stage: Stage) -> None:
        """Execute one stage, and publish its events.

        Raises what the stage raises, after its purchases are noted.
        """
        job = answer.job
        job.publish(make_step_started(stage.name, self.steps))
        at_work = KeptStage(stage.name, None, time.time(), time.time(), [])
        settings = StageSettings(stage.name, deadline=self._settings.call_deadline)
        ledger = AnswerLedger(job, settings, partial(self._reserve_purchases, answer, at_work))
        code: str | None = _INTERNAL
        try:
            result = self._make_with_retries(answer, stage, ledger)
            answer.products[stage.name] = stage.product.model_validate(result)
            at_work, code = replace(at_work, result=dict(result)), None
        except CastadError as error:
            code = error.code
            raise
        finally:
            purchases = ledger.list_purchases(code)
            answer.kept.append(replace(at_work, ended_at=time.time(), purchases=purchases))
        if stage.name != self.steps[-1]:
            job.publish(make_step_completed(stage.name, self.steps))

    def _make_with_retries(
        self, answer: "_Answer", stage: Stage, ledger: AnswerLedger
    ) -> Mapping[str, Any]:
        """Execute the stage, and return its result; retry it as a step of a run is retried, until its deadline.

        A job that has not ended then is canceled, because nothing polls it later. Raises the last error.
        """
        settings = self._settings
        maker = stage.find_local_work(answer.brief, answer.products) or self._build_provider_job(
            answer, stage
        )
        context = StageContext(
            ledger,
            maker,
            settings,
            store=self._files,
            pictures=get_picture_source(settings),
            log=_log,
        )
        until = time.monotonic() + settings.call_deadline
        for retries in count():
            try:
                return execute_stage(context).result
            except TransientError as error:
                asked = error.retry_after
                wait = settings.step_retry_delay * 2**retries if asked is None else asked
                is_retried = is_retried_in_step(error, retries, _LONGEST_WAIT)
                if not is_retried or time.monotonic() + wait > until:
                    live = ledger.find_job()
                    if live is not None and live.status is JobStatus.SUBMITTED:
                        assert isinstance(maker, ProviderJob)  # noqa: S101 - it has submitted the job
                        maker.provider.cancel(str(live.external_id))
                    if error.code == SUBMISSION_LOST:
                        raise UnknownSubmissionError(error.message) from None
                    raise
                time.sleep(wait)
        raise AssertionError("numbers never end")

    def _build_provider_job(self, answer: "_Answer", stage: Stage) -> ProviderJob:
        """Build the provider's job for a bought stage."""
        provider = get_catalog().make_stage_provider(self.pipeline, stage.name, self._settings)
        assert provider is not None  # noqa: S101 - a bought stage has a maker
        assert isinstance(stage, BoughtStage)  # noqa: S101 - no other stage is without local work
        # Nothing is looked up later here: a vendor that would keep answers need not.
        maker: Provider = (
            provider.build_unstored_copy() if isinstance(provider, StoringProvider) else provider
        )
        return ProviderJob(
            maker, stage.job_input(answer.brief, answer.job.task_id, answer.products)
        )

    def _reserve_purchases(
        self, answer: "_Answer", at_work: KeptStage, purchases: Sequence[Purchase]
    ) -> None:
        """Store the answer so far in the spool before a purchase is made. Raises OverBudgetError.

        Its cost includes the prices of the later stages: an answer that cannot be finished is not begun.
        """
        begun = replace(at_work, ended_at=time.time(), purchases=[*purchases])
        stages = [*answer.kept, begun]
        entry = build_import_entry(self.pipeline, answer.job, answer.name, stages, INTERRUPTED)
        prices = get_catalog().estimate_prices(self.pipeline, answer.job.payload, self._settings)
        names = self.pipeline.stage_names
        later = sum(prices[name] for name in names[names.index(at_work.stage) + 1 :])
        self._budget.reserve(
            replace(entry, cost=entry.cost + later),
            max(_INTERRUPTED_SECONDS, _LONGEST_CALLS * self._settings.call_deadline),
        )

    def _store_answer(self, answer: "_Answer", error: CastadError | None) -> bool:
        """Write the answer's saves and its import to the spool; return whether that succeeded."""
        job, kept = answer.job, answer.kept
        saves: Sequence[Any] = ()
        if error is None:
            saves = self.stateless.saves(answer.brief, answer.products, job.task_id)
            # The append below completes the stages after the answer.
            now, result = time.time(), {"saves": len(saves)}
            kept += [KeptStage(name, result, now, now, []) for name in self.stateless.after]
        elif job.pictures:
            # A retry as a run would look for a picture that is nowhere.
            error = CastadError(f"{error.message}; {_NO_PICTURE}", code=error.code)
        entry = build_import_entry(self.pipeline, job, answer.name, kept, error)
        trigger_crash_point(f"{self.stateless.after[0]}.after_fetch")
        try:
            self._spool.append((*saves, entry))
            trigger_crash_point(f"{self.stateless.after[0]}.after_keep")
        except StateUnavailableError as unavailable:
            self.counts.not_kept += 1
            _log.error("answered, but not kept: task_id=%s %s", job.task_id, unavailable.message)
            return False
        return True

    def close(self) -> None:
        """Remove this process's folder of pictures."""
        self._files.close()


def _log_unexpected(error: BaseException) -> CastadError:
    """Log a bug with its traceback, and return the error that the client reads."""
    log = log_traceback(error)
    _log.error("unexpected error: %s; the details are in %s", type(error).__name__, log)
    return CastadError("an unexpected error; the operator's log has the details", code=_INTERNAL)


@dataclass
class _Answer:
    """One answer in progress; `name` is unique to it, `products` and `kept` are those of its stages so far."""

    job: DirectJob
    brief: Any = None
    products: dict[str, Any] = field(default_factory=dict)
    kept: list[KeptStage] = field(default_factory=list)
    name: str = field(default_factory=lambda: secrets.token_hex(6))
