"""What castad asks of anyone who makes something: a vendor behind HTTP or the studio on this machine.

An order is a plain JSON object: it is hashed and stored before anything is sent, so it holds values and
artifact references, never paths, clients or secrets. Money is in micro-dollars (1 USD = 1,000,000).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

Json = Any
StageInput = Mapping[str, Json]
BeforeSend = Callable[[], None]
"""Called when an order's first byte is about to be sent; where it raises, nothing is."""


def no_send_check() -> None:
    """Nothing has to be looked at before an order is sent."""


@dataclass(frozen=True)
class Rate:
    """How often a vendor may be called: so many calls in so many seconds, whatever they ask."""

    calls: int
    seconds: int


@dataclass(frozen=True)
class Receipt:
    """The provider has taken the order under this id.

    `answer` is set where the result came with the receipt: then nothing has to be polled. `cost` is the
    actual price in micro-dollars where the provider tells it, else None.
    """

    external_id: str
    answer: Mapping[str, Json] | None = None
    cost: int | None = None


@dataclass(frozen=True)
class InProgress:
    """The job is known and not finished.

    `progress` is in [0, 1] where the provider tells it; `note` says in a few words how far it is.
    """

    progress: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Succeeded:
    """The provider's verdict of success; `answer` is all that `fetch` needs to get the result."""

    answer: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Product:
    """What was made. `result` is stored as JSON; `files` lie in the folder given to `fetch`.

    `cost` is the actual price in micro-dollars where the provider tells it, else None.
    """

    result: Mapping[str, Json]
    files: tuple[Path, ...] = ()
    cost: int | None = None


class Provider(Protocol):
    """One maker. Every method may raise the errors of `resources.contract.errors`, and nothing else."""

    name: str
    usual_seconds: float
    """How long a job usually takes, as long as the ledger has not seen enough of them."""
    unique_ids: bool
    """Whether it never calls two jobs by one id. Where it may, an answer that comes with the receipt is the
    order's all the same, under a name of castad's own; nothing else is believed under a repeated id."""
    repeatable: bool
    """Whether a lost order may be sent again by itself, where it is cheap enough."""

    @property
    def rate(self) -> Rate | None:
        """What the vendor allows; None on this machine."""
        ...

    def price(self, order: StageInput) -> int:
        """The expected cost of one submission, in micro-dollars; 0 where nothing is charged."""
        ...

    def prepare(self, order: StageInput) -> None:
        """Do what is free and comes before the order: afterwards `submit` may send at once.

        The order has been checked where checking costs nothing. Its turn at the vendor is taken afterwards.
        """
        ...

    def submit(
        self, order: StageInput, token: str, before_send: BeforeSend = no_send_check
    ) -> Receipt:
        """Send the order once; `before_send` is called as late as can be, and its error stops it.

        `token` is unguessable, unique to this submission, and rides along where the provider echoes it.
        Raises UnknownSubmissionError wherever the order may have been accepted; any other error means
        that it was not, or what it cost all the same (`ProviderError.cost`).
        """
        ...

    def find(self, token: str) -> str | None:
        """The id of the job submitted with this token, or None where that cannot be learned."""
        ...

    def owns(self, external_id: str, token: str) -> bool | None:
        """Whether a job was submitted with this token; None where the provider does not tell.

        Asked before a person's word is taken for it. Raises PermanentError where there is no such job.
        """
        ...

    def poll(self, order: StageInput, external_id: str) -> InProgress | Succeeded:
        """Ask once how the job stands.

        Raises SubmissionFailedError or PermanentError on the provider's own verdict of failure and on
        nothing else: either ends the job.
        """
        ...

    def fetch(self, order: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Bring the finished result into `folder`. May be called again after a failure, with the same answer."""
        ...

    def cancel(self, external_id: str) -> None:
        """Stop the job if it can be stopped; a job that is unknown or finished is no error."""
        ...

    def account_status(self) -> str:
        """How the account stands, in a few words for people; asks the vendor, for free."""
        ...
