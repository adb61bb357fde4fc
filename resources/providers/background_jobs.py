"""Run providers that need no vendor, and hold what several vendors share: rate gates, and absences."""

import hashlib
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import (
    InvalidInputError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
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
from resources.contract.studio_errors import translate_studio_errors
from resources.http.vendor_client import RateGate
from resources.ledger.db.database import Database, open_database
from resources.ledger.transitions.dispatch import acquire_unpaid_call
from resources.process.file_locks import DISK_FULL, Slots, is_disk_full_error
from resources.process.settings import Settings
from studio.errors import StoppedError

STOP_CHECK_SECONDS = 0.2
_MAX_WAIT_SECONDS = 30.0
_LONGEST_BACKOFF = 2.0
_MOST_REMEMBERED = 10_000
Clock = Callable[[], float]
Answer = Callable[[StageInput], Mapping[str, Json]]
"""The result of a job, in the caller's thread."""


class FreeProvider:
    """The base of providers on this machine: no price, no preparation, and job ids derived from the token."""

    unique_ids = True
    repeatable = True
    token_is_id = False
    rate = None

    def __init__(self, name: str) -> None:
        self.name = name

    def price(self, job_input: StageInput) -> int:
        """Return zero: this machine is free."""
        return 0

    def prepare(self, job_input: StageInput) -> None:
        """Do nothing: no job needs to be prepared."""

    def find(self, token: str) -> str | None:
        """Return the id that the token's job has or would get, whether it was submitted or not."""
        return derive_job_id(self.name, token)

    def owns(self, external_id: str, token: str) -> bool | None:
        """Return whether the id is derived from the token."""
        return external_id == derive_job_id(self.name, token)

    def account_status(self) -> str:
        """Return a fixed text: this machine is always available."""
        return "on this machine, needs no key"


class AnsweringProvider(FreeProvider):
    """A provider that computes its result at once, in the caller's thread; the same input has the same result."""

    usual_seconds = 0.5

    def __init__(self, name: str, answer: Answer) -> None:
        super().__init__(name)
        self._answer = answer

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        """Compute the result and return it in the receipt.

        Raises PermanentError `invalid_picture`, SubmissionFailedError `out_of_memory`, and the errors of `answer`.
        """
        before_send()
        return Receipt(derive_job_id(self.name, token), self._make_answer(job_input), cost=0)

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """Compute the result again. Raises the errors of `submit`."""
        return Succeeded(self._make_answer(job_input))

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Return the result as a product without files."""
        return Product(answer)

    def cancel(self, external_id: str) -> None:
        """Do nothing: there is no job to stop."""

    def _make_answer(self, job_input: StageInput) -> Mapping[str, Json]:
        try:
            with translate_studio_errors():
                return self._answer(job_input)
        except InvalidInputError as error:
            raise PermanentError(error.message, code="invalid_picture") from None
        except MemoryError:
            raise SubmissionFailedError(
                f"{self.name}: not enough memory", code="out_of_memory"
            ) from None


@dataclass
class BackgroundJob:
    """A job that runs in a thread, with its progress; it ends early once `stop` is set.

    `done` is set at its end; then either `product` or `error` is set.
    """

    external_id: str
    state: InProgress = field(default_factory=InProgress)
    stop: Event = field(default_factory=Event)
    done: Event = field(default_factory=Event)
    product: Product | None = None
    error: ProviderError | None = None

    def report(self, done: int, whole: int, unit: str) -> None:
        """Store the job's progress: `done` of `whole` parts of this `unit`, such as frames."""
        self.state = InProgress(done / whole, f"{unit} {done} of {whole}")


MakeProduct = Callable[[StageInput, Path, BackgroundJob], Product]


class LocalProvider(FreeProvider):
    """The base of providers on this machine whose jobs run in background threads.

    Jobs are in memory only: a lost product is made again. A product's files are in a folder under `workdir` until
    they are fetched. `slots` limits the jobs at once.
    """

    usual_seconds = 10.0

    def __init__(self, name: str, make: MakeProduct, workdir: Path, slots: Slots) -> None:
        super().__init__(name)
        self._make = make
        self._workdir = workdir
        self._slots = slots
        self._jobs: dict[str, BackgroundJob] = {}
        self._lock = Lock()

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        """Start the job in the background and return its receipt."""
        before_send()
        return Receipt(
            self._start_job(job_input, derive_job_id(self.name, token)).external_id, cost=0
        )

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """Return the job's state; start the job again if this process does not have it.

        After its error has been raised once, a job is forgotten. Raises SubmissionFailedError or PermanentError.
        """
        job = self._start_job(job_input, external_id)
        if not job.done.is_set():
            return job.state
        try:
            product = self._take_product(job)
        except TransientError as error:
            raise SubmissionFailedError(error.message, code=error.code) from error
        files = [str(path) for path in product.files]
        return Succeeded(
            {"external_id": external_id, "result": dict(product.result), "files": files}
        )

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Move the product's files into `folder`. If one is missing, make the product again and wait for it."""
        external_id = str(answer["external_id"])
        product = Product(answer["result"], tuple(Path(name) for name in answer["files"]))
        if not all(path.is_file() for path in product.files):
            self._remove_job(external_id)
            job = self._start_job(job_input, external_id)
            job.done.wait()
            product = self._take_product(job)
        with _translate_job_errors(self.name):
            folder.mkdir(parents=True, exist_ok=True)
            files = tuple(Path(shutil.move(path, folder / path.name)) for path in product.files)
        self._remove_job(external_id)
        self._remove_folders(external_id)
        return Product(product.result, files, cost=0)

    def cancel(self, external_id: str) -> None:
        """Stop the job and remove its files; do nothing if this process does not have it."""
        job = self._remove_job(external_id)
        if job is not None:
            job.stop.set()
            job.done.wait(2 * STOP_CHECK_SECONDS)
            self._remove_folders(external_id)

    def _start_job(self, job_input: StageInput, external_id: str) -> BackgroundJob:
        """Return the job of this id; start it if this process does not have it."""
        with self._lock:
            job = self._jobs.get(external_id)
            if job is None:
                job = self._jobs[external_id] = BackgroundJob(external_id)
                Thread(
                    target=self._execute_job, args=(job_input, job), name=external_id, daemon=True
                ).start()
            return job

    def _take_product(self, job: BackgroundJob) -> Product:
        """Return the product of a finished job; if it failed, remove the job and raise its error."""
        if job.product is None:
            self._remove_job(job.external_id)
            lost = f"the job of the {self.name} maker was lost"
            raise job.error or TransientError(lost, code=f"{self.name}_lost")
        return job.product

    def _remove_job(self, external_id: str) -> BackgroundJob | None:
        with self._lock:
            return self._jobs.pop(external_id, None)

    def _execute_job(self, job_input: StageInput, job: BackgroundJob) -> None:
        job.state = InProgress(note=f"waits for a free slot, {self._slots.count} at once")
        try:
            with (
                _translate_job_errors(self.name),
                self._slots.hold_slot(job.stop) as taken,
                ExitStack() as at_error,
            ):
                if not taken:
                    raise StoppedError("the job was stopped before it had a slot")
                job.state = InProgress()
                # Folders of an earlier try.
                self._remove_folders(job.external_id)
                self._workdir.mkdir(parents=True, exist_ok=True)
                folder = Path(tempfile.mkdtemp(prefix=f"{job.external_id}-", dir=self._workdir))
                at_error.callback(shutil.rmtree, folder, ignore_errors=True)
                product = self._make(job_input, folder, job)
                if job.stop.is_set():
                    raise StoppedError("the job was stopped")
                at_error.pop_all()
                job.product = product
        except ProviderError as error:
            job.error = error
        finally:
            job.done.set()

    def _remove_folders(self, external_id: str) -> None:
        for folder in self._workdir.glob(f"{external_id}-*"):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _translate_job_errors(maker: str) -> Iterator[None]:
    """Re-raise any error from the block as one that a provider may raise; `maker` begins its message and code."""
    try:
        with translate_studio_errors():
            yield
    except ProviderError:
        raise
    except InvalidInputError as error:
        raise PermanentError(error.message, code=error.code) from error
    except OSError as error:
        if is_disk_full_error(error):
            raise TransientError("there is no space left on the disk", code=DISK_FULL) from error
        raise TransientError(
            f"{maker}: a file could not be used: {error}", code=f"{maker}_file"
        ) from error
    except MemoryError as error:
        raise TransientError(
            f"{maker}: there is not enough memory", code=f"{maker}_memory"
        ) from error
    except Exception as error:
        raise PermanentError(
            f"{maker}: it failed: {type(error).__name__}: {error}", code=f"{maker}_error"
        ) from error


def derive_job_id(maker: str, token: str) -> str:
    """Derive the job id from the token: always the same, so that a lost job is found again."""
    return f"{maker}-{hashlib.sha256(token.encode()).hexdigest()[:16]}"


def make_core_slots(workdir: Path, kind: str) -> Slots:
    """Make one slot per processor for this kind of work, shared by all processes of the state folder."""
    return Slots(workdir.parent / "slots" / kind, count_cores())


def count_cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


Sleep = Callable[[float], object]
_sleep: ContextVar[Sleep | None] = ContextVar("castad_sleep", default=None)


@contextmanager
def use_sleep_in_rate_gates(sleep: Sleep) -> Iterator[None]:
    """Let rate gates in the block wait with `sleep` and without a time limit; its errors end the wait."""
    token = _sleep.set(sleep)
    try:
        yield
    finally:
        _sleep.reset(token)


def get_rate_gate(settings: Settings, provider: str, rate: Rate) -> RateGate:
    """Build the rate gate of a provider, by the settings' ledger."""
    return build_ledger_rate_gate(lambda: open_database(settings.ledger_url), provider, rate)


def build_ledger_rate_gate(
    open_ledger: Callable[[], Database],
    provider: str,
    rate: Rate,
    *,
    max_wait_seconds: float = _MAX_WAIT_SECONDS,
) -> RateGate:
    """Build the rate gate of a provider: a function that waits until a call fits the rate limit.

    The ledger counts the calls of all processes together. Outside of `use_sleep_in_rate_gates` the gate waits for
    up to `max_wait_seconds` and then raises TransientError `rate_limited`; `state_unavailable` if the ledger does
    not answer.
    """

    def wait() -> None:
        sleep = _sleep.get()
        deadline = time.monotonic() + max_wait_seconds
        backoff = rate.seconds / rate.calls
        while True:
            try:
                left = acquire_unpaid_call(open_ledger(), provider, rate)
            except SQLAlchemyError as error:
                raise TransientError(
                    f"{provider}: the ledger did not answer ({type(error).__name__})",
                    code="state_unavailable",
                ) from None
            if left <= 0:
                return
            if sleep is None and time.monotonic() + left > deadline:
                raise TransientError(
                    f"{provider}: the rate limit of {rate.calls} calls in {rate.seconds} s "
                    "is used up by submissions",
                    code="rate_limited",
                    retry_after=rate.seconds,
                )
            # Many callers wait for the same moment: the longer one waits, the less often it asks.
            (sleep or time.sleep)(left + random.uniform(0, backoff))  # noqa: S311 - jitter
            backoff = min(2 * backoff, _LONGEST_BACKOFF)

    return wait


class AbsenceTimes:
    """The times since when named things have been missing, by `clock` in seconds; keeps the last 10,000 names."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[str, float] = {}
        self._lock = Lock()

    def record_absence(self, name: str) -> float:
        """Record that the named thing is missing now; return for how many seconds it has been."""
        with self._lock:
            if len(self._since) >= _MOST_REMEMBERED and name not in self._since:
                self._since.pop(next(iter(self._since)))
            now = self._clock()
            return now - self._since.setdefault(name, now)

    def record_presence(self, name: str) -> None:
        """Record that the named thing is present, which ends its absence."""
        with self._lock:
            self._since.pop(name, None)
