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
    """Do nothing: the default check before a job is sent, which allows every job."""


@dataclass(frozen=True)
class Rate:
    """How often a vendor may be called: at most `calls` of any kind in `seconds`."""

    calls: int
    seconds: int


@dataclass(frozen=True)
class Receipt:
    """The provider's confirmation that it has accepted a job, with the job's id there.

    `answer` is the result if it came at once, so that nothing has to be polled; else None. `cost` is the actual
    price in micro-dollars, None if the provider does not report it.
    """

    external_id: str
    answer: Mapping[str, Json] | None = None
    cost: int | None = None


@dataclass(frozen=True)
class InProgress:
    """The state of a job that the provider has accepted and not finished.

    `progress` is in [0, 1], None if unknown; `note` describes the state in a few words.
    """

    progress: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Succeeded:
    """The final status of a successful job; `answer` is what `fetch` needs to get the result."""

    answer: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Product:
    """A finished result: `result` is stored as JSON, `files` are in the folder given to `fetch`.

    `cost` is the actual price in micro-dollars, None if the provider does not report it.
    """

    result: Mapping[str, Json]
    files: tuple[Path, ...] = ()
    cost: int | None = None


class Provider(Protocol):
    """A maker of one stage's results. Its methods raise only the errors of `resources.contract.errors`."""

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
        """How often the vendor may be called; None for a provider without a rate limit."""
        ...

    def price(self, job_input: StageInput) -> int:
        """Return the expected cost of one submission in micro-dollars; 0 where nothing is charged."""
        ...

    def prepare(self, job_input: StageInput) -> None:
        """Run every free check of the job and free preparation, so that `submit` can send the job at once.

        The caller takes the job's rate limit permit afterwards.
        """
        ...

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        """Send the job once and return the provider's receipt.

        `before_send` is called as late as possible; if it raises, the job is not sent. `token` is unguessable,
        unique to this submission, and sent where the provider echoes it. Raises UnknownSubmissionError if the job
        may have been accepted. Any other error means that it was not, or carries the charged amount
        (`ProviderError.cost`).
        """
        ...

    def find(self, token: str) -> str | None:
        """Return the id of the job that was submitted with this token; None if the provider cannot look it up."""
        ...

    def owns(self, external_id: str, token: str) -> bool | None:
        """Return whether the job was submitted with this token; None if the provider does not report it.

        Called before the ledger accepts an id from an operator. Raises PermanentError if there is no such job.
        """
        ...

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """Query the job's state once.

        Raises SubmissionFailedError or PermanentError only if the provider's final status is failure; either ends
        the job.
        """
        ...

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Fetch the finished result, with its files in `folder`. May be called again with the same answer."""
        ...

    def cancel(self, external_id: str) -> None:
        """Stop the job if possible; ignore an unknown or finished one."""
        ...

    def account_status(self) -> str:
        """Query the vendor, free of charge, for the account's state; return it in a few words for the operator."""
        ...


@runtime_checkable
class StoringProvider(Protocol):
    """A provider whose vendor stores answers, so that a lost job can be looked up."""

    def build_unstored_copy(self) -> Provider:
        """Return a copy of this provider that has the vendor store nothing, for jobs that are never looked up."""
        ...


class Report(Protocol):
    """A callback that reports a stage's progress: a share in [0, 1], None if unknown, and a short note."""

    def __call__(self, progress: float | None, note: str = "") -> None:
        """Report the progress. Raises the errors of `Work.check`; a failure to save the progress is ignored."""


@dataclass(frozen=True)
class Work:
    """The tools and files that a local stage gets for one execution.

    `folder` is empty and takes the files that the stage makes. `open` returns the path of a file of an earlier
    stage's product, `picture` that of a picture in the order. `check` raises if the attempt has to stop or the
    stage's deadline has passed; long work calls it every few seconds. `report` also checks, and saves the
    progress, at most once in CASTAD_WATCH_SECONDS. `calling(vendor)` is a context for free calls to a vendor: it
    waits while the vendor is paused. An error in it that concerns all jobs pauses the vendor.
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
    """A stage's settings, as its runs, the ledger and the sensors use them.

    `maker` is the name of its provider and `kind` the kind of product; both are "" for a stage that this machine
    makes. `slots` limits how many all workers together make at once, None for no limit. `retry_seconds` is the
    wait before the first retry. `deadline` is the time limit of one attempt in seconds.
    """

    name: str
    maker: str = ""
    kind: str = ""
    retry_seconds: float = 30.0
    slots: int | None = None
    deadline: float = 3600.0


CALLBACK_PATH = "/callbacks/{provider}/{token}"


def build_callback_url(public_url: str, provider: str, token: str) -> str:
    """Build the URL at which the provider calls back about the submission with this token."""
    return public_url + CALLBACK_PATH.format(provider=provider, token=token)
