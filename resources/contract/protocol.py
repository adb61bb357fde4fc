"""Define what a provider implements, for a vendor behind HTTP and for the studio on this machine alike.

A stage's input is a plain JSON object that holds values and artifact references, never paths, clients or secrets.
Money is in micro-dollars (1 USD = 1,000,000). The token in its address authenticates a callback
(docs/vendors/README.md); its body is untrusted: only the job's id is read from it.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

Json = Any
StageInput = Mapping[str, Json]
OpenArtifact = Callable[[Mapping[str, Json]], Path]
"""Returns the local file of an artifact or a picture to which a job's input refers."""
BeforeSend = Callable[[], None]
"""Called right before a job's first byte is sent; where it raises, nothing is sent."""


def allow_send() -> None:
    """Allow the job to be sent."""


@dataclass(frozen=True)
class Rate:
    """How often a vendor may be called: at most `calls` of any kind in `seconds`."""

    calls: int
    seconds: int


@dataclass(frozen=True)
class Receipt:
    """The provider has accepted the job under this id.

    `answer` is set where the result came with the receipt: then nothing has to be polled. `cost` is the
    actual price in micro-dollars where the provider reports it, else None.
    """

    external_id: str
    answer: Mapping[str, Json] | None = None
    cost: int | None = None


@dataclass(frozen=True)
class InProgress:
    """The job is known and not finished.

    `progress` is in [0, 1] where the provider reports it; `note` describes it in a few words.
    """

    progress: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Succeeded:
    """The provider's final status is success; `answer` is everything that `fetch` needs to get the result."""

    answer: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Product:
    """A finished result. `result` is stored as JSON; `files` are in the folder given to `fetch`.

    `cost` is the actual price in micro-dollars where the provider reports it, else None.
    """

    result: Mapping[str, Json]
    files: tuple[Path, ...] = ()
    cost: int | None = None


class Provider(Protocol):
    """Makes the results of one stage. Its methods raise only the errors of `resources.contract.errors`."""

    name: str
    usual_seconds: float
    """How long a job usually takes; used until the ledger holds enough finished ones."""
    unique_ids: bool
    """Whether it never gives two jobs the same id. Where it may, an answer that comes with the receipt is kept
    under an id of castad's own; nothing else is accepted under a repeated id."""
    repeatable: bool
    """Whether a lost job may be sent again automatically where it is cheap enough."""
    token_is_id: bool
    """Whether a submission's token becomes the job's id: it is a canonical UUID then, and no secret."""

    @property
    def rate(self) -> Rate | None:
        """How often the vendor may be called; None on this machine."""
        ...

    def price(self, job_input: StageInput) -> int:
        """Return the expected cost of one submission in micro-dollars; 0 where nothing is charged."""
        ...

    def prepare(self, job_input: StageInput) -> None:
        """Run every check of the job that is free, so that `submit` may send it at once.

        The caller takes the job's permit at the vendor afterwards.
        """
        ...

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        """Send the job once; `before_send` is called as late as possible, and its error stops the job.

        `token` is unguessable, unique to this submission, and sent where the provider echoes it.
        Raises UnknownSubmissionError wherever the job may have been accepted. Any other error means
        that it was not, or carries what it cost all the same (`ProviderError.cost`).
        """
        ...

    def find(self, token: str) -> str | None:
        """Return the id of the job submitted with this token; None where the provider cannot be asked."""
        ...

    def owns(self, external_id: str, token: str) -> bool | None:
        """Return whether a job was submitted with this token; None where the provider does not report it.

        Called before the ledger accepts an id from an operator. Raises PermanentError where there is no such job.
        """
        ...

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """Ask for the job's state once.

        Raises SubmissionFailedError or PermanentError if the provider's own final status is failure, and in
        no other case: either ends the job.
        """
        ...

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Fetch the finished result, its files into `folder`; may be called again with the same answer."""
        ...

    def cancel(self, external_id: str) -> None:
        """Stop the job if that is possible; an unknown or finished job is no error."""
        ...

    def account_status(self) -> str:
        """Ask the vendor, free of charge, for the state of the account, in a few words for the operator."""
        ...


@runtime_checkable
class StoringProvider(Protocol):
    """A provider whose vendor stores answers, so that a lost one is found."""

    def build_unstored_copy(self) -> Provider:
        """Return the same provider for jobs that are looked up never again: nothing of them is stored."""
        ...


class Report(Protocol):
    """Reports the progress of the work, in [0, 1] or None where it is unknown, with a note in a few words."""

    def __call__(self, progress: float | None, note: str = "") -> None:
        """Report the progress; raises as `Work.check` does, never because the progress cannot be saved."""


@dataclass(frozen=True)
class Work:
    """The surroundings of one execution of a local stage.

    `folder` is empty and takes the files that the stage makes. `open` is the path of a file of an earlier stage's
    product. `picture` is the path of a picture that the order refers to. `check` raises where the attempt has to
    stop or the stage's deadline is over; long work calls it every few seconds. `report` checks too, and saves
    how far the work is; it may be called often, because reports are saved at most once in CASTAD_WATCH_SECONDS.
    Free calls to a vendor are made in a block `calling` its name: the request waits while it is paused, and
    a refusal in the block that holds for all jobs pauses it.
    """

    task_id: str
    folder: Path
    open: Callable[[Mapping[str, Any]], Path]
    picture: Callable[[Mapping[str, str]], Path]
    check: Callable[[], None]
    report: Report
    calling: Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True)
class StageSettings:
    """A stage as its runs, the ledger and the sensors see it.

    `maker` is the provider that makes it; `kind` is what the provider makes; both are "" for a stage that this
    machine makes itself. `slots` is how many of it all workers together may make at once, None without a limit.
    `retry_seconds` is the wait before its first retry. `deadline` is how many seconds an attempt waits for it.
    """

    name: str
    maker: str = ""
    kind: str = ""
    retry_seconds: float = 30.0
    slots: int | None = None
    deadline: float = 3600.0


CALLBACK_PATH = "/callbacks/{provider}/{token}"


def build_callback_url(public_url: str, provider: str, token: str) -> str:
    """Build the address at which this provider calls back about the submission with this token."""
    return public_url + CALLBACK_PATH.format(provider=provider, token=token)
