"""Background jobs of this process: one thread and one private folder per job, a limited number at once."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread

from resources.contract.errors import (
    InvalidInputError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.contract.protocol import InProgress, Json, Product, StageInput, Succeeded
from resources.contract.studio_errors import as_castad_errors
from resources.process.disk_errors import DISK_FULL, is_disk_full
from resources.process.slots import Slots
from studio.errors import StoppedError

STOP_CHECK_SECONDS = 0.2


@dataclass
class BackgroundJob:
    """One job and its progress. Its thread reports here and ends early when `stop` is set."""

    external_id: str
    state: InProgress = field(default_factory=InProgress)
    stop: Event = field(default_factory=Event)
    done: Event = field(default_factory=Event)
    product: Product | None = None
    error: ProviderError | None = None

    def report(self, done: int, whole: int, unit: str) -> None:
        """The job's progress is `done` of `whole` parts, such as frames."""
        self.state = InProgress(done / whole, f"{unit} {done} of {whole}")


MakeProduct = Callable[[StageInput, Path, BackgroundJob], Product]


class BackgroundJobs:
    """Makes products in the background. Its state is in memory: a lost product is made again.

    A product is in a folder of its own under `workdir` until it is fetched. Errors name the `maker`.
    """

    def __init__(self, maker: str, make: MakeProduct, workdir: Path, slots: Slots) -> None:
        self._maker = maker
        self._make = make
        self._workdir = workdir
        self._slots = slots
        self._jobs: dict[str, BackgroundJob] = {}
        self._lock = Lock()

    def start(self, job_input: StageInput, external_id: str) -> BackgroundJob:
        """The job with this id, started now where this process does not have it."""
        with self._lock:
            job = self._jobs.get(external_id)
            if job is None:
                job = self._jobs[external_id] = BackgroundJob(external_id)
                Thread(
                    target=self._work, args=(job_input, job), name=external_id, daemon=True
                ).start()
            return job

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """The job's state. A failed job is forgotten once its error was raised, and may be started again.

        Raises:
            SubmissionFailedError: the job failed for a transient reason; a new submission may succeed.
            PermanentError: the job will fail again.
        """
        job = self.start(job_input, external_id)
        if not job.done.is_set():
            return job.state
        try:
            product = self._product(job)
        except TransientError as error:
            raise SubmissionFailedError(error.message, code=error.code) from error
        files = [str(path) for path in product.files]
        return Succeeded(
            {"external_id": external_id, "result": dict(product.result), "files": files}
        )

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """The product, its files moved into `folder`; made again, while the caller waits, where they are missing.

        Raises:
            ProviderError: making the product again failed.
        """
        external_id = str(answer["external_id"])
        product = Product(answer["result"], tuple(Path(name) for name in answer["files"]))
        if not all(path.is_file() for path in product.files):
            self._forget(external_id)
            job = self.start(job_input, external_id)
            job.done.wait()
            product = self._product(job)
        with _as_provider_errors(self._maker):
            folder.mkdir(parents=True, exist_ok=True)
            files = tuple(Path(shutil.move(path, folder / path.name)) for path in product.files)
        self._forget(external_id)
        self._sweep(external_id)
        return Product(product.result, files, cost=0)

    def cancel(self, external_id: str) -> None:
        """The job is stopped and its files are removed; nothing happens where it is unknown."""
        job = self._forget(external_id)
        if job is not None:
            job.stop.set()
            job.done.wait(2 * STOP_CHECK_SECONDS)
            self._sweep(external_id)

    def _product(self, job: BackgroundJob) -> Product:
        """The product of a finished job; raises its error where it failed."""
        if job.product is None:
            self._forget(job.external_id)
            lost = f"the job of the {self._maker} maker was lost"
            raise job.error or TransientError(lost, code=f"{self._maker}_lost")
        return job.product

    def _forget(self, external_id: str) -> BackgroundJob | None:
        with self._lock:
            return self._jobs.pop(external_id, None)

    def _work(self, job_input: StageInput, job: BackgroundJob) -> None:
        """The job is done, with a product in its folder, or with an error and no folder."""
        try:
            with _as_provider_errors(self._maker), self._slot(job), self._folder(job) as folder:
                product = self._make(job_input, folder, job)
                if job.stop.is_set():
                    raise StoppedError("the job was stopped")
                job.product = product
        except ProviderError as error:
            job.error = error
        finally:
            job.done.set()

    @contextmanager
    def _folder(self, job: BackgroundJob) -> Iterator[Path]:
        """A new folder for the job, in place of an earlier try's; it is removed where the block raises."""
        self._sweep(job.external_id)
        self._workdir.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{job.external_id}-", dir=self._workdir))
        try:
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    @contextmanager
    def _slot(self, job: BackgroundJob) -> Iterator[None]:
        """The block has a slot. Raises StoppedError where the job is stopped before one is free."""
        job.state = InProgress(note=f"waits for a free slot, {self._slots.count} at once")
        with self._slots.one(job.stop) as taken:
            if not taken:
                raise StoppedError("the job was stopped before it had a slot")
            job.state = InProgress()
            yield

    def _sweep(self, external_id: str) -> None:
        """The job's folders are removed, also those that a dead process left."""
        for folder in self._workdir.glob(f"{external_id}-*"):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _as_provider_errors(maker: str) -> Iterator[None]:
    """Any error in the block leaves it as one of the errors that a provider may raise."""
    try:
        with as_castad_errors():
            yield
    except ProviderError:
        raise
    except InvalidInputError as error:
        raise PermanentError(error.message, code=error.code) from error
    except OSError as error:
        if is_disk_full(error):
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
